"""The steps of a submitted application: what has happened and when, where it is, and what usually follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.contract.catalog import expected_dates
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus
from formation_portal.relay.models import APPROVED, REJECTED
from formation_portal.relay.resources import ResourceKind
from formation_portal.ui import formats
from formation_portal.ui.formats import entity_word

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
class ProgressStep:
    """One step of the tracker, as ui/timeline.html draws it."""

    when: str
    title: str
    detail: str
    state: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The steps in the order of time. `is_late` says that it takes longer than it usually does."""

    steps: tuple[ProgressStep, ...]
    moves: tuple[Change, ...]
    is_late: bool = False

    @property
    def returned(self) -> Change | None:
        """The return that it waits for its customer since, where the history knows it."""
        last = self.moves[-1] if self.moves else None
        return last if last and last.moved_to == State.RETURNED_FOR_CHANGES else None


def progress(draft: Draft, *, documents: Sequence[ProgressStep] = ()) -> Progress:
    """The tracker of one application: one query, for the moves in its history. `documents` is what was said of them."""
    application = draft.application
    found = application.changes.exclude(moved_to="").select_related("who").order_by("pk")
    moves = tuple(move for move in found if move.moved_to in set(State))
    return Progress(tuple(_steps(application, moves, documents)), moves, _is_late(application, moves))


def _steps(
    application: Application, moves: Sequence[Change], documents: Sequence[ProgressStep]
) -> Iterator[ProgressStep]:
    current = _current(application, moves)
    past = [move for move in moves if move is not current]
    if not any(move.moved_to == State.SUBMITTED_FOR_REVIEW for move in moves):
        # It was submitted before the history knew of moves.
        at = application.submitted_at
        when = formats.day(timezone.localtime(at).date()) if at else ""
        yield ProgressStep(when, gettext("You submitted"), "", "met")
    for place, move in enumerate(past):
        yield _past(move, is_first=not place, is_again=any(one.moved_to == move.moved_to for one in past[:place]))
    yield from documents
    yield _now(application, current)
    if application.status is State.RETURNED_FOR_CHANGES:
        yield ProgressStep("", str(_REVIEW), "", "later")
    if application.status in _BEFORE_FILING:
        yield ProgressStep("", str(_FILING), _usually(application, None), "later")
    if application.status not in FINAL:
        if settings.LETTERS_GO_OUT:
            promise = gettext("We will write to you that day and update this page.")
        else:
            promise = gettext("We will update this page that day.")
        yield ProgressStep("", _exists(application), promise, "later")


def _current(application: Application, moves: Sequence[Change]) -> Change | None:
    """The move that led to where it stands; none while it still waits in the queue, since it does so by submitting."""
    last = moves[-1] if moves else None
    is_there = last is not None and last.moved_to == application.state
    return last if is_there and application.status is not State.SUBMITTED_FOR_REVIEW else None


def _past(move: Change, *, is_first: bool, is_again: bool) -> ProgressStep:
    """The heading hangs beside the first step, so that its day stands with its time."""
    state, local = State(move.moved_to), timezone.localtime(move.at)
    title = str(_HAPPENED.get(state, state.words))
    if state is State.SUBMITTED_FOR_REVIEW and is_again:
        title = gettext("You submitted again")
    detail = formats.date_and_time(move.at) if is_first else f"{local:%H:%M}"
    if state is State.SUBMITTED_FOR_REVIEW and move.who is not None and not move.who.is_agent:
        by = {"when": detail, "name": move.who.called}
        detail = gettext("%(when)s, by %(name)s") % by
    return ProgressStep("" if is_first else formats.day(local.date()), title, detail, "met")


def _now(application: Application, move: Change | None) -> ProgressStep:
    when = formats.day(timezone.localtime(move.at).date()) if move else ""
    if application.status is State.INCORPORATED:
        return ProgressStep(when, _exists(application), gettext("Completed."), "met")
    mark, title, following = _NOW[application.status]
    detail = str(following)
    if application.status is State.SUBMITTED_TO_CSP:
        detail = f"{detail} {_usually(application, move)}".strip()
    return ProgressStep(when, str(title), detail, mark)


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
    days = expected_dates(words, start=timezone.localtime(move.at).date()) if move else None
    if days is None:
        return usually
    expected = gettext("Expected %(days)s.") % {"days": formats.date_range(*days)}
    return f"{usually} {expected}"


def _timeline(application: Application) -> str:
    return str(application.product.get("estimated_timeline") or "").strip()


def _is_late(application: Application, moves: Sequence[Change]) -> bool:
    move = _current(application, moves)
    if application.status is not State.SUBMITTED_TO_CSP or move is None:
        return False
    days = expected_dates(_timeline(application), start=timezone.localtime(move.at).date())
    return days is not None and timezone.localdate() > days[1]


def document_steps(draft: Draft, board: ApplicationDeliveries) -> tuple[ProgressStep, ...]:
    """One for all that are accepted, and one for each that came back, with its note. Costs no query."""
    return tuple(
        _document_steps(draft, [(one, board.of(ResourceKind.DOCUMENT, one.subject)) for one in draft.documents])
    )


def _document_steps(draft: Draft, views: list[tuple[Document, DeliveryStatus]]) -> Iterator[ProgressStep]:
    accepted = sorted((view for _, view in views if view.document_status == APPROVED), key=lambda view: str(view.at))
    if accepted:
        words = ngettext("%(count)d document accepted", "%(count)d documents accepted", len(accepted))
        yield ProgressStep(_day(accepted[-1]), words % {"count": len(accepted)}, "", "met")
    for document, view in views:
        if view.document_status == REJECTED:
            party = draft.party(document.party.token) if document.party else None
            said = {"slot": document.slot, "whom": party.label if party else draft.title}
            title = gettext("“%(slot)s” of %(whom)s was returned to you") % said
            yield ProgressStep(_day(view), title, view.note, "heed")


def _day(view: DeliveryStatus) -> str:
    return formats.day(timezone.localtime(view.at).date()) if view.at else ""
