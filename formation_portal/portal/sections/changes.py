"""What a save changes on a page and sets aside elsewhere; and what was typed where others have changed it meanwhile."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
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
from formation_portal.contract.localisation import in_quotes, ngettext
from formation_portal.contract.record import Party
from formation_portal.contract.rules import FormState
from formation_portal.ui.formats import counted, listed, time_or_day
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.form_data import KEEP, PAGE_VERSION
from formation_portal.ui.forms.question import AnswerRow, Question
from formation_portal.ui.forms.region import Region

from ..feedback import posted_replies
from ..pages import Link, customer_name


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """Regions that the page shows wrong, marks that have changed, and one sentence for those who hear it.

    `addresses` are those whose country was changed, and with it their parts.
    """

    regions: tuple[Region, ...]
    marks: tuple[Question, ...]
    announcement: str
    addresses: tuple[Question, ...] = ()
    # Those of whose answer something else is said below the control than before.
    objections: tuple[Question, ...] = ()
    # Other questions stand there than before, as after a change of roles: they are drawn anew.
    is_rebuilt: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether the page shows its questions right."""
        return not (self.regions or self.marks or self.addresses or self.objections or self.is_rebuilt)


def page_update(*, before: QuestionForm, after: QuestionForm, shown: Iterable[str]) -> PageUpdate:
    """Compare what the page shows (`shown`, the posted markers) with what it has to show after saving."""
    if before.runs is not after.runs and before.structure != after.structure:
        there, now = before.shown_controls, after.shown_controls
        return PageUpdate((), (), announcement(added=len(now - there), removed=len(there - now)), is_rebuilt=True)
    wrong = after.shown.symmetric_difference(shown)
    regions = after.regions_of(wrong)
    swapped = {after.control(one.spec) for region in regions for one in region.asked}
    places = after.places_of(after.names_changed_since(before))
    pairs = [(before.question(before.asked[at]), after.question(after.asked[at])) for at in places]
    marks = tuple(now for was, now in pairs if now.name not in swapped and now.mark != was.mark and not now.error)
    added = sum(len(region.asked) for region in regions if region.shown)
    removed = sum(len(region.asked) for region in regions if not region.shown)
    addresses = tuple(
        now for was, now in pairs if now.spec.parts and now.spec.parts_for(now.raw) != was.spec.parts_for(was.raw)
    )
    objections = tuple(now for was, now in pairs if now.name not in swapped and _note(now) != _note(was))
    return PageUpdate(regions, marks, announcement(added=added, removed=removed), addresses, objections)


def _note(question: Question) -> tuple[str, str]:
    return question.objection, question.advice


def announcement(*, added: int, removed: int) -> str:
    """One sentence for each of the two counts of questions; nothing for none."""
    said = []
    if added:
        said.append(ngettext("{count} question added below.", "{count} questions added below.", added))
    if removed:
        said.append(
            ngettext(
                "{count} question removed. We keep your answer until you submit.",
                "{count} questions removed. We keep your answers until you submit.",
                removed,
            )
        )
    return " ".join(said)


@dataclass(frozen=True, slots=True)
class NeedChanges:
    """What a list of what is needed shows too much, by the ids of its lines, and what it lacks.

    Lines that it lacks come with the id of the line that they stand before; an empty one is the end of the list.
    """

    done: tuple[str, ...]
    new: tuple[tuple[str, tuple[Link, ...]], ...]


def need_changes(before: Sequence[Link], after: Sequence[Link]) -> NeedChanges | None:
    """From a list that a page shows to the one that it has to show; None where it is drawn anew as a whole.

    That is where a list is empty or becomes so, where a line has no place of its own, where the order is another, and
    where there is a second list of what has to be corrected.
    """
    if any(line.is_correction for line in (*before, *after)):
        return None
    was, now = {one.id: one for one in before}, {one.id: one for one in after}
    same = [one.id for one in after if was.get(one.id) == one]
    if not before or not after or "" in was or "" in now or len(was) < len(before) or len(now) < len(after):
        return None
    if same != [one.id for one in before if now.get(one.id) == one]:
        return None
    new: list[tuple[str, tuple[Link, ...]]] = []
    run: list[Link] = []
    kept = set(same)
    for one in (*after, None):
        if one and one.id not in kept:
            run.append(one)
        elif run:
            new.append((one.id if one else "", tuple(run)))
            run = []
    return NeedChanges(tuple(id_ for id_ in was if id_ not in kept), tuple(new))


@dataclass(frozen=True, slots=True)
class Consequence:
    """A changed choice: the name of its answer, what it has made inactive in words, if that is much, and its change."""

    name: str
    text: str
    change: Change


def consequence(
    draft: Draft,
    before: FormState,
    changes: Sequence[Change],
    *,
    party: Party | None = None,
    only_of: str | None = None,
) -> Consequence | None:
    """Return the last choice that the changes of a save have made; None if they changed no choice.

    `before` is the state before the save, and `party` the party whose answers were saved, as it was then. `only_of` is
    the token of a guest's party: guests are told of nothing else.
    """
    for change in reversed(changes):
        for name in restorable_choices(draft, change):
            inactive = _shown_to_reader(_made_inactive(draft, before, changes, party), only_of)
            text = ""
            if inactive.is_much:
                things = _things(draft, inactive)
                text = gettext("No longer needed because of this answer: {things}.").format(things=things)
            return Consequence(name, text, change)
    return None


def _made_inactive(draft: Draft, before: FormState, changes: Sequence[Change], party: Party | None) -> Inactive:
    """Return what the changes have made inactive. Changes of answers alone are compared only where those reach."""
    row = draft.party(party.id) if party else None
    names = {str(line["field"]) for change in changes for line in change.changes}
    holders = {change.holder for change in changes}
    own_holders = {party.id} if party else {section.key for section in draft.schema.entity_sections}
    is_about_answers = holders <= own_holders and ROLES not in names and bool(party) == bool(row)
    if not is_about_answers:
        return newly_inactive(before, draft.form_state)
    deciding = names & answers_in_rules(draft.schema)
    return inactive_by(deciding, before, draft.form_state, was=party, now=row.record if row else None)


def inactive_warnings(
    draft: Draft, asked: Iterable[FieldSpec], party: Party | None = None, *, only_of: str | None = None
) -> dict[str, str]:
    """By name, of each choice among these questions that holds much: what another answer can set aside.

    The questions are the party's, or else the entity's; `only_of` as for `consequence`. It is said in a way that stays
    true when the choice is changed in the page.
    """
    answers = (party or draft.record).answers
    deciding = answers_in_rules(draft.schema) & answers.values.keys()
    known = {spec.name: spec for spec in asked if spec.name in deciding}
    choices = {name: spec for name, spec in known.items() if can_be_much(draft.schema, name, party)}
    found = inactive_without(choices, draft.form_state, party) if choices else {}
    shown = {name: _shown_to_reader(inactive, only_of) for name, inactive in found.items()}
    return {
        name: gettext(
            "If you change this answer, {things} may no longer apply. Choose “{words}” again to restore them."
        ).format(
            things=_things(draft, inactive),
            words=choices[name].display(answers.values[name]),
        )
        for name, inactive in shown.items()
        if inactive.is_much
    }


def _shown_to_reader(inactive: Inactive, only_of: str | None) -> Inactive:
    if only_of is None:
        return inactive
    return Inactive(answers=frozenset(one for one in inactive.answers if one.holder == only_of))


def _things(draft: Draft, inactive: Inactive) -> str:
    """2 sections, 1 person and 3 answers."""
    kinds = [row.kind for row in draft.parties if row.token in inactive.parties]
    words = (
        counted(len(inactive.sections), "{count} section", "{count} sections"),
        counted(kinds.count("person"), "{count} person", "{count} people"),
        counted(kinds.count("corporate"), "{count} company", "{count} companies"),
        counted(kinds.count("foundation"), "{count} foundation", "{count} foundations"),
        counted(len(inactive.share_classes), "{count} share class", "{count} share classes"),
        counted(len(inactive.answers), "{count} answer", "{count} answers"),
    )
    return listed([word for word in words if word])


Reader = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """One answer in both versions; `control` names the question in the form.

    `change` is who has saved theirs, where the history tells; `is_left` where only they have changed it, so that there
    is nothing to choose.
    """

    control: str
    label: str
    mine: str
    theirs: str
    change: Change | None = None
    is_left: bool = False

    def said_to(self, reader: Reader) -> str:
        """Who has saved theirs, and when."""
        change = self.change
        # Whoever has no account was asked for their own part, and is told nothing of who else works on the application.
        if change is None or change.who is None or reader.pk is None:
            return gettext("As it is now")
        words = {"name": customer_name(change.who) or gettext("someone else"), "time": time_or_day(change.at)}
        if change.who_id == reader.pk:
            return gettext("As you saved it in another window on %(time)s") % words
        return gettext("As %(name)s saved it on %(time)s") % words


def field_conflicts(form: QuestionForm, result: SaveResult) -> tuple[FieldConflict, ...]:
    """Return the answers that others have changed, in the order of the questions."""
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
                    mine=answer_in_words(question.spec, other.posted, form.share_classes),
                    theirs=answer_in_words(question.spec, other.stored, form.share_classes),
                    change=other.change,
                    is_left=name in result.skipped,
                )
            )
    return tuple(conflicts)


def conflict_words(conflicts: Iterable[FieldConflict]) -> str:
    """Say which answers wait for a choice, since both have changed them; empty where there are none."""
    one = gettext("{names} was changed in another window, so your answer is not saved. Your other answers are saved.")
    many = gettext("{names} were changed in another window, so yours are not saved. Your other answers are saved.")
    return sentence_about((conflict.label for conflict in conflicts if not conflict.is_left), one, many)


def kept_theirs_words(labels: Iterable[str]) -> str:
    """What was changed elsewhere, and stays so, in a sentence; empty where nothing was."""
    one = gettext("{names} was changed in another window. We kept the answer saved there.")
    many = gettext("{names} were changed in another window. We kept the answers saved there.")
    return sentence_about(labels, one, many)


def accepted_words(labels: Iterable[str]) -> str:
    """That what was posted of these is left, since it was accepted; empty where nothing was."""
    one = gettext("{names} was not changed, because our reviewer has accepted it.")
    many = gettext("{names} were not changed, because our reviewer has accepted them.")
    return sentence_about(labels, one, many)


def sentence_about(labels: Iterable[str], one: str, many: str) -> str:
    """The sentence about one or many, `{names}` in it; empty where there is none."""
    named = [in_quotes(label) for label in labels]
    return (one if len(named) == 1 else many).format(names=listed(named)) if named else ""


def hidden_controls(
    post: QueryDict, *, but: Collection[str] = ("csrfmiddlewaretoken", "version", PAGE_VERSION)
) -> tuple[tuple[str, str], ...]:
    """The post as hidden inputs, so that nothing typed is lost on the way; choices of an earlier clash left out.

    A button that was pressed at a slot is not pressed again, but leads back to the page as it would have. The controls
    that `but` names are made anew by the page.
    """
    return tuple(
        ("update", "1") if name in ("slot", "removal") else (name, str(value))
        for name, values in post.lists()
        if name not in but and not name.startswith(KEEP)
        for value in values
    )


def unsaved_rows(form: QuestionForm, raw: Mapping[str, Any]) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there, to be read and copied where it could not be saved."""
    posted = ((one, answer_in_words(one.spec, raw.get(one.spec.name), form.share_classes)) for one in form.questions)
    return tuple(
        AnswerRow(question.label, words, question.is_name)
        for question, words in posted
        if words and words != answer_in_words(question.spec, question.typed, form.share_classes)
    )


def unsaved_replies(post: QueryDict) -> tuple[AnswerRow, ...]:
    """What was written to our reviewer, likewise."""
    written = (reply.text for reply in posted_replies(post) if reply.text.strip())
    return tuple(AnswerRow(gettext("Your reply to our reviewer"), text) for text in written)
