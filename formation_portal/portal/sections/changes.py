"""What a save changes: regions of the page that show or hide, and answers that became inactive, with the way back."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.services import restorable_choices
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.inactive_answers import Inactive, answers_in_rules, inactive_without, newly_inactive
from formation_portal.contract.localisation import gettext, in_quotes, ngettext
from formation_portal.contract.record import Party
from formation_portal.contract.rules import FormState
from formation_portal.ui.formats import counted, listed
from formation_portal.ui.forms.form import QuestionForm, Region
from formation_portal.ui.forms.question import Question


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """Regions that the page shows wrong, marks that have changed, and one sentence for those who hear it."""

    regions: tuple[Region, ...]
    marks: tuple[Question, ...]
    announcement: str
    # Other questions stand there than before, as after a change of roles: they are drawn anew.
    is_rebuilt: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether the page shows its questions right."""
        return not (self.regions or self.marks or self.is_rebuilt)


def page_update(*, before: QuestionForm, after: QuestionForm, shown: Iterable[str]) -> PageUpdate:
    """Compare what the page shows (`shown`, the posted markers) with what it has to show after saving."""
    if before.structure != after.structure:
        there, now = before.shown_controls, after.shown_controls
        return PageUpdate((), (), announcement(added=len(now - there), removed=len(there - now)), is_rebuilt=True)
    wrong = after.shown.symmetric_difference(shown)
    regions = tuple(region for region in after.regions if region.id in wrong)
    swapped = {question.name for region in regions for question in region.questions}
    earlier = {question.name: question.mark for question in before.questions}
    marks = tuple(
        question
        for question in after.questions
        if question.name not in swapped and question.mark != earlier.get(question.name) and not question.error
    )
    added = sum(len(region.questions) for region in regions if region.shown)
    removed = sum(len(region.questions) for region in regions if not region.shown)
    return PageUpdate(regions, marks, announcement(added=added, removed=removed))


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
class Consequence:
    """A changed choice: the name of its answer, and what it has set aside; no text where that isn't worth a word."""

    name: str
    text: str
    undo_url: str


def consequence(draft: Draft, was: FormState) -> Consequence | None:
    """What the last save of the draft has set aside since it stood like this; None where it changed no choice."""
    reference = draft.application.reference
    return _found(
        draft,
        newly_inactive(was, draft.form_state),
        undo=lambda number: reverse("portal:choice_restoration", args=[reference, number]),
    )


def inactive_warnings(draft: Draft, asked: Iterable[FieldSpec], party: Party | None = None) -> dict[str, str]:
    """By name, of each choice among these questions that holds much: what another answer can set aside.

    The questions are the party's, or else the entity's. It is said in a way that stays true when the choice is
    changed in the page.
    """
    return _foreseen(draft, asked, party, lambda aside: aside)


def guest_inactive_warnings(draft: Draft, asked: Iterable[FieldSpec], party: Party) -> dict[str, str]:
    """The same for somebody who fills in one party alone: of nothing else."""
    return _foreseen(draft, asked, party, lambda aside: _own(aside, party.id))


def _foreseen(
    draft: Draft, asked: Iterable[FieldSpec], party: Party | None, seen: Callable[[Inactive], Inactive]
) -> dict[str, str]:
    answers = (party or draft.record).answers
    deciding = answers_in_rules(draft.schema) & answers.values.keys()
    given = {spec.name: spec for spec in asked if spec.name in deciding}
    found = inactive_without(given, draft.form_state, party) if given else {}
    told = {name: seen(aside) for name, aside in found.items()}
    return {
        name: gettext(
            "If you change this answer, {things} may no longer apply. Choose “{words}” again to restore them.",
            things=listed(list(_counts(draft, aside))),
            words=given[name].display(answers.values[name]),
        )
        for name, aside in told.items()
        if aside.is_much
    }


def guest_consequence(draft: Draft, was: FormState, *, party: str, undo: Callable[[int], str]) -> Consequence | None:
    """The same for somebody who fills in one party alone: nothing is told of what is set aside elsewhere.

    `undo` gives the address that takes a change of that number back.
    """
    aside = newly_inactive(was, draft.form_state)
    return _found(draft, _own(aside, party), undo=undo)


def _own(aside: Inactive, party: str) -> Inactive:
    return Inactive(answers=frozenset(one for one in aside.answers if one.holder == party))


def _found(draft: Draft, aside: Inactive, *, undo: Callable[[int], str]) -> Consequence | None:
    for change in reversed(draft.new_changes):
        for name in restorable_choices(draft, change):
            said = ""
            if aside.is_much:
                things = listed(list(_counts(draft, aside)))
                said = gettext("No longer needed because of this answer: {things}.", things=things)
            return Consequence(name, said, undo(change.pk))
    return None


def _counts(draft: Draft, aside: Inactive) -> Iterable[str]:
    kinds = [row.kind for row in draft.parties if row.token in aside.parties]
    words = (
        counted(len(aside.sections), "{count} section", "{count} sections"),
        counted(kinds.count("person"), "{count} person", "{count} people"),
        counted(kinds.count("corporate"), "{count} company", "{count} companies"),
        counted(kinds.count("foundation"), "{count} foundation", "{count} foundations"),
        counted(len(aside.share_classes), "{count} share class", "{count} share classes"),
        counted(len(aside.answers), "{count} answer", "{count} answers"),
    )
    return (word for word in words if word)


def restored_words(labels: Iterable[str]) -> str:
    """That the choice was taken back."""
    named = [in_quotes(label) for label in labels]
    if len(named) == 1:
        return gettext("{questions} has been changed back.", questions=listed(named))
    return gettext("{questions} have been changed back.", questions=listed(named))


def overtaken_words(labels: Iterable[str]) -> str:
    """That the choice was not taken back, and why."""
    named = [in_quotes(label) for label in labels]
    if len(named) == 1:
        return gettext(
            "{questions} has been answered again since, so it was not changed back.", questions=listed(named)
        )
    return gettext(
        "{questions} have been answered again since, so they were not changed back.", questions=listed(named)
    )
