"""Build the status page of a submitted application: its progress, returned items, and updates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from hashlib import blake2s

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.applications.translation import product_text
from formation_portal.contract.catalog import expected_dates
from formation_portal.contract.lifecycle import FINAL, State, is_possible
from formation_portal.contract.localisation import long_date, ngettext
from formation_portal.relay.delivery_status import ApplicationDeliveries
from formation_portal.relay.entity_status import read_payment
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
from formation_portal.reviews.customer_queries import decision_texts
from formation_portal.reviews.decision_rules import HISTORY_MESSAGES
from formation_portal.reviews.decisions import registration_of
from formation_portal.ui import formats

from ..feedback import DeliverySummary
from ..pages import day_words, incorporated_words
from .corrections import Returned, review_rounds

Words = str | Promise

_REVIEW = gettext_lazy("Our reviewer checks people and documents")
_FILING = gettext_lazy("Application goes to the registry")

# The titles of past steps.
_HAPPENED: dict[State, Words] = {
    State.SUBMITTED_FOR_REVIEW: gettext_lazy("You submitted"),
    State.IN_REVIEW: gettext_lazy("Review started"),
    State.RETURNED_FOR_CHANGES: gettext_lazy("Returned to you"),
    State.SUBMITTED_TO_CSP: gettext_lazy("Sent to the registry"),
}
# The present step: its mark, its title, and who acts next.
_NOW: dict[State, tuple[str, Words, Words]] = {
    State.SUBMITTED_FOR_REVIEW: ("open", _REVIEW, gettext_lazy("Next: our reviewer.")),
    State.IN_REVIEW: ("half", _REVIEW, gettext_lazy("Next: our reviewer.")),
    State.RETURNED_FOR_CHANGES: ("warning", gettext_lazy("Returned to you"), gettext_lazy("Next: you.")),
    State.SUBMITTED_TO_CSP: ("half", gettext_lazy("With the registry"), gettext_lazy("Next: the registry.")),
    State.REJECTED: ("error", gettext_lazy("Our reviewer declined it"), gettext_lazy("This decision is final.")),
    State.WITHDRAWN: ("later", gettext_lazy("You withdrew it"), ""),
}
_BEFORE_FILING = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.RETURNED_FOR_CHANGES})


# The first line of the status page.
_LEADS: dict[State, Words] = {
    State.SUBMITTED_FOR_REVIEW: gettext_lazy("Waiting for our reviewer. You don’t need to do anything now."),
    State.IN_REVIEW: gettext_lazy("With our reviewer. You don’t need to do anything now."),
    State.SUBMITTED_TO_CSP: gettext_lazy("With the registry. You don’t need to do anything now."),
    State.INCORPORATED: gettext_lazy("Completed."),
    State.REJECTED: gettext_lazy("Declined. This decision is final."),
    State.WITHDRAWN: gettext_lazy("You withdrew this application."),
}
_MOVING = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP})


@dataclass(frozen=True, slots=True)
class ProgressStep:
    when: str
    title: str
    detail: str
    state: str


def document_steps(draft: Draft, deliveries: ApplicationDeliveries) -> Iterator[ProgressStep]:
    """Yield a step for all accepted documents, then a step for each returned one. Makes at most one SQL query."""
    if accepted := deliveries.accepted_documents:
        last = max(row.updated_at for row in accepted)
        sentence = ngettext("{count} document accepted", "{count} documents accepted", len(accepted))
        yield ProgressStep(formats.day(last), sentence, "", "met")
    for token, slot, status in deliveries.returned_documents:
        party = draft.party(token)
        sentence = gettext("“%(slot)s” of %(whom)s was returned to you")
        sentence %= {"slot": draft.slot_words(slot), "whom": party.label if party else draft.title}
        yield ProgressStep(day_words(status.at), sentence, status.note, "warning")


@dataclass(frozen=True)
class Progress:
    application: Application

    @cached_property
    def _changes(self) -> list[Change]:
        """Read the changes of the state, and our reviewer's decisions that did not change it."""
        changes = self.application.changes.filter(~Q(moved_to="") | Q(message__in=HISTORY_MESSAGES))
        return list(changes.select_related("who").order_by("pk"))

    @cached_property
    def moves(self) -> tuple[Change, ...]:
        return tuple(change for change in self._changes if change.moved_to in set(State))

    @property
    def is_late(self) -> bool:
        if self.application.status is not State.SUBMITTED_TO_CSP or self._expected_dates is None:
            return False
        return timezone.localdate() > self._expected_dates[1]

    @property
    def _current(self) -> Change | None:
        """Return the move to the present state; None while the application waits for review after being submitted."""
        if not self.moves or self.application.status is State.SUBMITTED_FOR_REVIEW:
            return None
        last = self.moves[-1]
        return last if last.moved_to == self.application.state else None

    @property
    def _expected_dates(self) -> tuple[date, date] | None:
        """Return the expected dates of incorporation, counted from the filing or, before that, the last submission.

        None if the product's timeline names no days, while the customer has to act, and in a final state.
        """
        since: datetime | None = None
        if self.application.status is State.SUBMITTED_TO_CSP and self._current:
            since = self._current.at
        elif self.application.status in (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW):
            submissions = (move.at for move in reversed(self.moves) if move.moved_to == State.SUBMITTED_FOR_REVIEW)
            since = next(submissions, self.application.submitted_at)
        if since is None or self.application.payment_due_since is not None:
            return None
        timeline = product_text(self.application.product, "estimated_timeline")
        return expected_dates(timeline, start=timezone.localdate(since))

    @property
    def _expected(self) -> str:
        """Name the expected days that are still ahead; "" if none are."""
        today = timezone.localdate()
        days = self._expected_dates
        if days is None or days[1] < today:
            return ""
        return gettext("Expected %(days)s") % {"days": formats.date_range(max(days[0], today), days[1])}

    def steps(self, documents: Iterable[ProgressStep] = ()) -> Iterator[ProgressStep]:
        """Yield the steps in the order of time, with the steps of documents just before the present step."""
        status = self.application.status
        seen = {move.moved_to for move in self.moves}
        if State.SUBMITTED_FOR_REVIEW not in seen:
            # The application was submitted before the history recorded moves.
            yield ProgressStep(day_words(self.application.submitted_at), gettext("You submitted"), "", "met")
        past_states: set[str] = set()
        for change in self._changes:
            if not change.moved_to:
                yield ProgressStep(formats.day(change.at), change.text, f"{timezone.localtime(change.at):%H:%M}", "met")
            elif change in self.moves and change is not self._current:
                yield _past_step(change, is_first=not past_states, is_again=change.moved_to in past_states)
                past_states.add(change.moved_to)
        yield from documents
        yield self._present_step()
        if status in _BEFORE_FILING:
            if status is State.RETURNED_FOR_CHANGES or self.application.payment_due_since is not None:
                yield ProgressStep("", str(_REVIEW), "", "later")
            yield ProgressStep("", str(_FILING), self._usual_time, "later")
        if status not in FINAL:
            promise = gettext("We will update this page that day.")
            if settings.LETTERS_GO_OUT:
                promise = gettext("We will write to you that day and update this page.")
            yield ProgressStep(self._expected, self._incorporated, promise, "later")

    def _present_step(self) -> ProgressStep:
        status = self.application.status
        payment_due_since = self.application.payment_due_since
        if payment_due_since is not None:
            waiting = gettext("Waiting for payment")
            return ProgressStep(formats.day(payment_due_since), waiting, gettext("Next: you."), "warning")
        day = formats.day(self._current.at) if self._current else ""
        if status is State.INCORPORATED:
            return ProgressStep(day, self._incorporated, gettext("Completed."), "met")
        mark, title, following = _NOW[status]
        detail = str(following)
        if status is State.SUBMITTED_TO_CSP:
            detail = f"{detail} {self._usual_time}".strip()
        return ProgressStep(day, str(title), detail, mark)

    @property
    def _incorporated(self) -> str:
        return incorporated_words(str(self.application.product.get("product", {}).get("type", "")))

    @property
    def _usual_time(self) -> str:
        """Say how long a formation takes, by the product's timeline."""
        timeline = self.application.timeline.removesuffix(".")
        return gettext("Usually %(range)s.") % {"range": timeline} if timeline else ""


def _past_step(move: Change, *, is_first: bool, is_again: bool) -> ProgressStep:
    """Build the step of a past move. The first step names the day in its detail: its margin has the heading."""
    state = State(move.moved_to)
    title = str(_HAPPENED.get(state, state.words))
    if state is State.SUBMITTED_FOR_REVIEW and is_again:
        title = gettext("You submitted again")
    day = formats.day(move.at)
    detail = f"{timezone.localtime(move.at):%H:%M}"
    if is_first:
        day = ""
        detail = formats.full_date_and_time(move.at)
    if state is State.SUBMITTED_FOR_REVIEW and move.who is not None and not move.who.is_agent:
        detail = gettext("%(when)s, by %(name)s") % {"when": detail, "name": move.who.called}
    return ProgressStep(day, title, detail, "met")


def current_return(delivery: DeliverySummary, progress: Progress, *, back_to: str = "") -> Returned | None:
    """Return the returned items while the application waits for the customer's corrections; else None."""
    if progress.application.status is not State.RETURNED_FOR_CHANGES:
        return None
    move = next(reversed(progress.moves), None)
    if move and move.moved_to != State.RETURNED_FOR_CHANGES:
        move = None
    return Returned(delivery, move, back_to=back_to)


class StatusPage:
    def __init__(self, draft: Draft, delivery: DeliverySummary) -> None:
        application = draft.application
        is_payment_due = application.payment_due_since is not None
        self.draft = draft
        self.delivery = delivery
        self.progress = Progress(application)
        self.steps = self.progress.steps(document_steps(draft, delivery.deliveries))
        self.returned = current_return(delivery, self.progress, back_to="status")
        self.rounds = review_rounds(draft, self.progress.moves)
        # The reviewer's reason, if the application was declined.
        self.declined = ""
        if application.status is State.REJECTED:
            self.declined = decision_texts(application, "decline").get(application.submissions, "")
        # The payment page's URL, read from the formation service.
        self.payment = read_payment(application) if is_payment_due else None
        self.can_withdraw = application.is_own and is_possible("withdraw", application.status)
        # The next step is somebody else's, not the customer's.
        self.is_moving = application.status in _MOVING and not is_payment_due
        self.sends_emails = settings.LETTERS_GO_OUT
        self.updated = formats.day_and_time(timezone.now())
        # Pages with a final status ask for no updates.
        self.version = "" if application.status in FINAL else status_version(application)

    @property
    def lead(self) -> str:
        if self.returned is None:
            if self.draft.application.payment_due_since is not None:
                return gettext("Waiting for your payment. We review your application after that.")
            if self.progress.is_late:
                return gettext("With the registry for longer than usual. Contact us if you have not heard from us.")
            return str(_LEADS.get(self.draft.application.status, ""))
        if count := self.returned.open_count:
            return ngettext(
                "Waiting for you to make {count} correction.", "Waiting for you to make {count} corrections.", count
            )
        if self.returned.items or self.returned.corrections:
            return gettext("Waiting for you to send your corrections.")
        return gettext("Waiting for you to make changes.")

    @property
    def facts(self) -> Iterator[tuple[str, str, bool]]:
        """Yield the facts of the receipt: label, value, and whether it is a name. Makes at most one SQL query."""
        application = self.draft.application
        if application.submitted_at is not None:
            yield gettext("Submitted"), formats.zoned_date_and_time(application.submitted_at), False
        if application.submitted_by is not None:
            yield gettext("By"), application.submitted_by.called, True
        if entry := registration_of(application):
            if entry.number:
                yield gettext("Registration number"), entry.number, False
            if entry.day:
                yield gettext("Registered on"), long_date(entry.day), False


def status_version(application: Application) -> str:
    """Digest the state, round and payment, and the service's statuses of documents. Makes one SQL query."""
    # Every status is greater than "", so that the database can use the index.
    documents = Delivery.objects.filter(
        application=application.pk, kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE, document_status__gt=""
    )
    rows = documents.order_by("pk").only("application", "kind", "subject", "document_status", "document_note")
    statuses = [(row.pk, row.document_status, row.document_note) for row in rows]
    values = (application.state, application.submissions, application.payment_due_since, statuses)
    return blake2s(repr(values).encode(), digest_size=8).hexdigest()
