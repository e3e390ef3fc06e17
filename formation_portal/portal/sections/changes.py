"""Compare a page before and after a save: changed parts, choices that made answers inactive, and conflicts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words
from formation_portal.applications.services import ROLES, SaveResult, restorable_choices
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.inactive_answers import (
    Inactive,
    answers_in_rules,
    can_be_much,
    inactive_by,
    inactive_without,
    newly_inactive,
)
from formation_portal.contract.localisation import in_quotes
from formation_portal.contract.record import Party
from formation_portal.contract.rules import FormState
from formation_portal.ui.formats import counted, day_and_time, listed
from formation_portal.ui.forms.form import QuestionForm, Region
from formation_portal.ui.forms.form_data import KEEP, PAGE_VERSION
from formation_portal.ui.forms.question import AnswerRow, Question

from ..feedback import posted_replies
from ..pages import Link, customer_name


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """The parts of a page to redraw after a save, and an announcement for screen readers."""

    regions: tuple[Region, ...]
    marks: tuple[Question, ...]
    announcement: str
    # Postal addresses whose country, and so whose parts, have changed.
    addresses: tuple[Question, ...] = ()
    # Questions whose objection or advice has changed.
    objections: tuple[Question, ...] = ()
    # All questions are redrawn, since the page asks other questions, as after a change of roles.
    is_rebuilt: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.regions or self.marks or self.addresses or self.objections or self.is_rebuilt)


def page_update(*, before: QuestionForm, after: QuestionForm, shown_regions: Iterable[str]) -> PageUpdate:
    """Compare the form before a save with the form after it. `shown_regions` are the ids that the browser shows."""
    if before.structure != after.structure:
        added = len(after.shown_controls - before.shown_controls)
        removed = len(before.shown_controls - after.shown_controls)
        return PageUpdate((), (), announcement(added=added, removed=removed), is_rebuilt=True)
    changed_ids = after.shown.symmetric_difference(shown_regions)
    regions = tuple(region for region in after.regions if region.id in changed_ids)
    swapped: set[str] = set()
    added = removed = 0
    for region in regions:
        swapped.update(region.controls)
        if region.shown:
            added += len(region.asked)
        else:
            removed += len(region.asked)
    marks: list[Question] = []
    addresses: list[Question] = []
    objections: list[Question] = []
    for old, new in zip(map(before.question, before.asked), map(after.question, after.asked), strict=True):
        if new.spec.parts and new.spec.parts_for(new.raw) != old.spec.parts_for(old.raw):
            addresses.append(new)
        if new.name in swapped:
            continue
        if new.mark != old.mark and not new.error:
            marks.append(new)
        if (new.objection, new.advice) != (old.objection, old.advice):
            objections.append(new)
    text = announcement(added=added, removed=removed)
    return PageUpdate(regions, tuple(marks), text, tuple(addresses), tuple(objections))


def announcement(*, added: int, removed: int) -> str:
    added_words = counted(added, "{count} question added below.", "{count} questions added below.")
    removed_words = counted(
        removed,
        "{count} question removed. We keep your answer until you submit.",
        "{count} questions removed. We keep your answers until you submit.",
    )
    return " ".join(filter(None, (added_words, removed_words)))


@dataclass(frozen=True, slots=True)
class NeedChanges:
    """Changes to a list of needs: ids of lines to remove, and new lines by the id of the next line ("" at the end)."""

    done: tuple[str, ...]
    new: tuple[tuple[str, tuple[Link, ...]], ...]


def need_changes(before: Sequence[Link], after: Sequence[Link]) -> NeedChanges | None:
    """Compare the shown list of needs with the new list; None if the whole list must be redrawn.

    That is so if a list is or becomes empty, if lines lack ids of their own, if their order changes, or if there is a
    second list, of corrections or of advice.
    """
    old = {line.id: line for line in before}
    new = {line.id: line for line in after}
    if (
        not before
        or not after
        or any(line.is_correction or line.is_advice or not line.id for line in (*before, *after))
    ):
        return None
    same = [id_ for id_, line in new.items() if old.get(id_) == line]
    is_shuffled = same != [id_ for id_, line in old.items() if new.get(id_) == line]
    if is_shuffled or len(old) < len(before) or len(new) < len(after):
        return None
    added: dict[str, list[Link]] = {}
    run: list[Link] = []
    for line in after:
        if line.id not in same:
            run.append(line)
        elif run:
            added[line.id] = run
            run = []
    if run:
        added[""] = run
    new_lines = tuple((id_, tuple(lines)) for id_, lines in added.items())
    return NeedChanges(tuple(id_ for id_ in old if id_ not in same), new_lines)


@dataclass(frozen=True, slots=True)
class Consequence:
    """A changed choice: the name of its answer, a text if it has made much inactive, and the change itself."""

    name: str
    text: str
    change: Change


def consequence(
    draft: Draft, before: FormState, changes: Sequence[Change], party: PartyRow | None, *, is_guests: bool
) -> Consequence | None:
    """Return the last restorable choice of a save and its consequence, or None. `party`: the party before the save."""
    for change in reversed(changes):
        for name in restorable_choices(draft, change):
            inactive = _made_inactive(draft, before, changes, party)
            if party and is_guests:
                inactive = _visible_to_guest(inactive, party.token)
            text = ""
            if inactive.is_much:
                counts = _count(draft, inactive)
                text = gettext("No longer needed because of this answer: {things}.").format(things=counts)
            return Consequence(name, text, change)
    return None


def _made_inactive(draft: Draft, before: FormState, changes: Sequence[Change], party: PartyRow | None) -> Inactive:
    """Return what the changes have made inactive. If only answers changed, compare only what depends on them."""
    after = draft.form_state
    names = {str(line["field"]) for change in changes for line in change.changes}
    holders = {change.holder for change in changes}
    deciding = names & answers_in_rules(draft.schema)
    if ROLES not in names:
        if party is None and holders <= {section.key for section in draft.schema.entity_sections}:
            return inactive_by(deciding, before, after)
        if party and holders <= {party.token} and (row := draft.party(party.token)):
            return inactive_by(deciding, before, after, was=party.record, now=row.record)
    return newly_inactive(before, after)


@dataclass(frozen=True)
class InactiveWarnings:
    """The warnings at choices on a page: what may no longer apply after a change, if that is much.

    The warnings stay true when the choice is changed. Guests are warned only of answers of the party `only_of`.
    """

    draft: Draft
    # The fields that the page asks the party, or else the entity.
    specs: Sequence[FieldSpec]
    party: Party | None = None
    only_of: str | None = None

    def of(self, name: str) -> str:
        return self._texts.get(name, "")

    @cached_property
    def _texts(self) -> dict[str, str]:
        draft = self.draft
        values = (self.party or draft.record).answers.values
        deciding = answers_in_rules(draft.schema) & values.keys()
        choices: dict[str, FieldSpec] = {}
        for spec in self.specs:
            if spec.name in deciding and can_be_much(draft.schema, spec.name, self.party):
                choices[spec.name] = spec
        if not choices:
            return {}
        text = gettext(
            "If you change this answer, {things} may no longer apply. Choose “{words}” again to restore them."
        )
        texts: dict[str, str] = {}
        for name, inactive in inactive_without(choices, draft.form_state, self.party).items():
            if self.only_of is not None:
                inactive = _visible_to_guest(inactive, self.only_of)
            if inactive.is_much:
                answer = choices[name].display(values[name])
                texts[name] = text.format(things=_count(draft, inactive), words=answer)
        return texts


def _visible_to_guest(inactive: Inactive, token: str) -> Inactive:
    return Inactive(answers=frozenset(answer for answer in inactive.answers if answer.holder == token))


def _count(draft: Draft, inactive: Inactive) -> str:
    kinds = [row.kind for row in draft.parties if row.token in inactive.parties]
    counts = (
        counted(len(inactive.sections), "{count} section", "{count} sections"),
        counted(kinds.count("person"), "{count} person", "{count} people"),
        counted(kinds.count("corporate"), "{count} company", "{count} companies"),
        counted(kinds.count("foundation"), "{count} foundation", "{count} foundations"),
        counted(len(inactive.share_classes), "{count} share class", "{count} share classes"),
        counted(len(inactive.answers), "{count} answer", "{count} answers"),
    )
    return listed(list(filter(None, counts)))


Reader = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """An answer as posted and as stored. With `is_left`, only others have changed it, so that the stored one stays."""

    control: str
    label: str
    posted: str
    stored: str
    change: Change | None = None
    is_left: bool = False

    def author_words(self, reader: Reader) -> str:
        """Say who has saved the stored version, and when. Guests, who have no account, get no name."""
        change = self.change
        if change is None or change.who is None or reader.pk is None:
            return gettext("As it is now")
        sentence = gettext("As %(name)s saved it on %(time)s")
        if change.who_id == reader.pk:
            sentence = gettext("As you saved it in another window on %(time)s")
        name = customer_name(change.who) or gettext("someone else")
        return sentence % {"name": name, "time": day_and_time(change.at)}


def field_conflicts(form: QuestionForm, result: SaveResult) -> tuple[FieldConflict, ...]:
    others = {**result.conflicts, **result.skipped}
    conflicts: list[FieldConflict] = []
    for question in form.questions:
        name = question.spec.name
        if name in others:
            other = others[name]
            conflicts.append(
                FieldConflict(
                    control=question.name,
                    label=question.label,
                    posted=answer_in_words(question.spec, other.posted, form.share_classes),
                    stored=answer_in_words(question.spec, other.stored, form.share_classes),
                    change=other.change,
                    is_left=name in result.skipped,
                )
            )
    return tuple(conflicts)


def conflict_words(conflicts: Iterable[FieldConflict]) -> str:
    """Name the answers that both the reader and others have changed, which wait for a choice; "" for none."""
    return sentence_about(
        [conflict.label for conflict in conflicts if not conflict.is_left],
        gettext("{names} was changed in another window, so your answer is not saved. Your other answers are saved."),
        gettext("{names} were changed in another window, so yours are not saved. Your other answers are saved."),
    )


def kept_theirs_words(labels: Iterable[str]) -> str:
    """Name the answers that only others have changed, which therefore stay; "" for none."""
    return sentence_about(
        labels,
        gettext("{names} was changed in another window. We kept the answer saved there."),
        gettext("{names} were changed in another window. We kept the answers saved there."),
    )


def accepted_words(labels: Iterable[str]) -> str:
    """Name the answers that stay as they were, since a reviewer has accepted them; "" for none."""
    return sentence_about(
        labels,
        gettext("{names} was not changed, because our reviewer has accepted it."),
        gettext("{names} were not changed, because our reviewer has accepted them."),
    )


def sentence_about(labels: Iterable[str], singular: str, plural: str) -> str:
    """Fill the labels into `{names}` of the sentence for one or for several; "" without a label."""
    names = [in_quotes(label) for label in labels]
    sentence = singular if len(names) == 1 else plural
    return sentence.format(names=listed(names)) if names else ""


def hidden_controls(
    post: QueryDict, *, but: Collection[str] = ("csrfmiddlewaretoken", "version", PAGE_VERSION)
) -> tuple[tuple[str, str], ...]:
    """Return the post as hidden inputs, without `but` and choices in a conflict. Buttons of slots become "update"."""
    inputs: list[tuple[str, str]] = []
    for name, values in post.lists():
        if name in ("slot", "removal"):
            inputs += [("update", "1")] * len(values)
        elif name not in but and not name.startswith(KEEP):
            inputs += [(name, str(value)) for value in values]
    return tuple(inputs)


def unsaved_rows(form: QuestionForm, answers: Mapping[str, Any]) -> tuple[AnswerRow, ...]:
    """Return the posted answers that differ from the stored ones, for the reader to copy."""
    rows: list[AnswerRow] = []
    for question in form.questions:
        posted = answer_in_words(question.spec, answers.get(question.spec.name), form.share_classes)
        stored = answer_in_words(question.spec, question.typed, form.share_classes)
        if posted and posted != stored:
            rows.append(AnswerRow(question.label, posted, question.is_name))
    return tuple(rows)


def unsaved_replies(post: QueryDict) -> tuple[AnswerRow, ...]:
    """Return the posted replies to our reviewer, for the reader to copy."""
    label = gettext("Your reply to our reviewer")
    return tuple(AnswerRow(label, reply.text) for reply in posted_replies(post) if reply.text.strip())
