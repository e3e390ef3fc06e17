"""The way of an application that was submitted: what has happened and when, where it is, and what usually follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.contract.timeline import expected_between
from formation_portal.portal.counting import entity_word

from . import moments

Words = str | Promise

_REVIEW = gettext_lazy("Our reviewer checks people and documents")
_FILING = gettext_lazy("Application goes to the registry")

# What has happened, once it is past.
_HAPPENED: dict[State, Words] = {
    State.SUBMITTED_FOR_REVIEW: gettext_lazy("You submitted"),
    State.IN_REVIEW: gettext_lazy("Review started"),
    State.RETURNED_FOR_CHANGES: gettext_lazy("Returned to you"),
    State.SUBMITTED_TO_CSP: gettext_lazy("Sent to the registry"),
}
# Where it is now: the mark, the step, and who acts next.
_NOW: dict[State, tuple[str, Words, Words]] = {
    State.SUBMITTED_FOR_REVIEW: ("open", _REVIEW, gettext_lazy("Next: our reviewer.")),
    State.IN_REVIEW: ("half", _REVIEW, gettext_lazy("Next: our reviewer.")),
    State.RETURNED_FOR_CHANGES: ("heed", gettext_lazy("Returned to you"), gettext_lazy("Next: you.")),
    State.SUBMITTED_TO_CSP: ("half", gettext_lazy("With the registry"), gettext_lazy("Next: the registry.")),
    State.REJECTED: ("stop", gettext_lazy("Our reviewer declined it"), gettext_lazy("This decision is final.")),
    State.WITHDRAWN: ("stop", gettext_lazy("You withdrew it"), ""),
}
_BEFORE_FILING = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.RETURNED_FOR_CHANGES})


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the tracker, as components/timeline.html draws it."""

    when: str
    title: str
    detail: str
    state: str


@dataclass(frozen=True, slots=True)
class Tracker:
    """The steps in the order of time. `is_late` says that it takes longer than it usually does."""

    steps: tuple[Step, ...]
    moves: tuple[Change, ...]
    is_late: bool = False

    @property
    def returned(self) -> Change | None:
        """The return that it waits for its customer since, where the history knows it."""
        last = self.moves[-1] if self.moves else None
        return last if last and last.moved_to == State.RETURNED_FOR_CHANGES else None


def tracker(draft: Draft, *, documents: Sequence[Step] = ()) -> Tracker:
    """The tracker of one application: one query, for the moves in its history. `documents` is what was said of them."""
    application = draft.application
    found = application.changes.exclude(moved_to="").select_related("who").order_by("pk")
    moves = tuple(move for move in found if move.moved_to in set(State))
    return Tracker(tuple(_steps(application, moves, documents)), moves, _is_late(application, moves))


def _steps(application: Application, moves: Sequence[Change], documents: Sequence[Step]) -> Iterator[Step]:
    current = _current(application, moves)
    past = [move for move in moves if move is not current]
    if not any(move.moved_to == State.SUBMITTED_FOR_REVIEW for move in moves):
        yield _submitted(application)
    for place, move in enumerate(past):
        yield _past(move, is_first=not place, is_again=any(one.moved_to == move.moved_to for one in past[:place]))
    yield from documents
    yield _now(application, current)
    yield from _ahead(application)


def _current(application: Application, moves: Sequence[Change]) -> Change | None:
    """The move that led to where it stands; none while it still waits in the queue, since it does so by submitting."""
    last = moves[-1] if moves else None
    is_there = last is not None and last.moved_to == application.state
    return last if is_there and application.status is not State.SUBMITTED_FOR_REVIEW else None


def _submitted(application: Application) -> Step:
    """For what was submitted before the history knew of moves."""
    at = application.submitted_at
    return Step(moments.day(timezone.localtime(at).date()) if at else "", gettext("You submitted"), "", "met")


def _past(move: Change, *, is_first: bool, is_again: bool) -> Step:
    """The heading hangs beside the first step, so that its day stands with its time."""
    state, local = State(move.moved_to), timezone.localtime(move.at)
    title = str(_HAPPENED.get(state, state.words))
    if state is State.SUBMITTED_FOR_REVIEW and is_again:
        title = gettext("You submitted again")
    detail = moments.full(move.at) if is_first else f"{local:%H:%M}"
    if state is State.SUBMITTED_FOR_REVIEW and move.who is not None and not move.who.is_agent:
        by = {"when": detail, "name": move.who.called}
        detail = gettext("%(when)s, by %(name)s") % by
    return Step("" if is_first else moments.day(local.date()), title, detail, "met")


def _now(application: Application, move: Change | None) -> Step:
    when = moments.day(timezone.localtime(move.at).date()) if move else ""
    if application.status is State.INCORPORATED:
        return Step(when, _exists(application), gettext("Completed."), "met")
    mark, title, following = _NOW[application.status]
    detail = str(following)
    if application.status is State.SUBMITTED_TO_CSP:
        detail = f"{detail} {_usually(application, move)}".strip()
    return Step(when, str(title), detail, mark)


def _ahead(application: Application) -> Iterator[Step]:
    if application.status is State.RETURNED_FOR_CHANGES:
        yield Step("", str(_REVIEW), "", "later")
    if application.status in _BEFORE_FILING:
        yield Step("", str(_FILING), _usually(application, None), "later")
    if application.status not in FINAL:
        yield Step("", _exists(application), _says_so(), "later")


def _says_so() -> str:
    if settings.LETTERS_GO_OUT:
        return gettext("We will write to you that day and update this page.")
    return gettext("We will update this page that day.")


def _exists(application: Application) -> str:
    if entity_word(str(application.product.get("product", {}).get("type", ""))) == "foundation":
        return gettext("The foundation is incorporated")
    return gettext("The company is incorporated")


def _usually(application: Application, move: Change | None) -> str:
    """How long it usually takes; with the days, once they can be counted."""
    words = _timeline(application)
    if not words:
        return ""
    usually = gettext("Usually %(range)s.") % {"range": words.removesuffix(".")}
    days = expected_between(words, start=timezone.localtime(move.at).date()) if move else None
    if days is None:
        return usually
    expected = gettext("Expected %(days)s.") % {"days": moments.span(*days)}
    return f"{usually} {expected}"


def _timeline(application: Application) -> str:
    return str(application.product.get("estimated_timeline") or "").strip()


def _is_late(application: Application, moves: Sequence[Change]) -> bool:
    move = _current(application, moves)
    if application.status is not State.SUBMITTED_TO_CSP or move is None:
        return False
    days = expected_between(_timeline(application), start=timezone.localtime(move.at).date())
    return days is not None and timezone.localdate() > days[1]
