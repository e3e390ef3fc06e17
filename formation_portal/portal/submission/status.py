"""The status page: how far a submitted application has come, and what came back; and whether that has changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from hashlib import blake2s

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.applications.translation import product_text
from formation_portal.contract.catalog import expected_dates
from formation_portal.contract.lifecycle import FINAL, State, is_possible
from formation_portal.contract.localisation import long_date, ngettext
from formation_portal.gateway.records import EntityRecord
from formation_portal.relay.delivery_status import ApplicationDeliveries, accepted_documents
from formation_portal.relay.entity_status import read_payment
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
from formation_portal.reviews.customer_queries import decision_texts
from formation_portal.reviews.decisions import registration_of
from formation_portal.ui import formats
from formation_portal.ui.formats import entity_word

from ..feedback import DeliverySummary
from .corrections import Returned, ReviewRound, returned, review_rounds

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
    """One step of the progress, as ui/timeline.html draws it."""

    when: str
    title: str
    detail: str
    state: str


def document_steps(draft: Draft, deliveries: ApplicationDeliveries) -> Iterator[ProgressStep]:
    """One for all that are accepted, and one for each that came back, with its note. Two queries at most."""
    count, last = accepted_documents(draft.application)
    if count:
        words = ngettext("{count} document accepted", "{count} documents accepted", count)
        yield ProgressStep(_day(last), words, "", "met")
    returned = deliveries.returned_documents
    labels = {party.token: party.label for party in draft.parties_of({token for token, _, _ in returned if token})}
    for token, slot, status in returned:
        said = {"slot": draft.slot_words(slot), "whom": labels.get(token) or draft.title}
        title = gettext("“%(slot)s” of %(whom)s was returned to you") % said
        yield ProgressStep(_day(status.at), title, status.note, "heed")


def _day(at: datetime | None) -> str:
    return formats.day(at) if at else ""


@dataclass(frozen=True)
class Progress:
    """What has happened to a submitted application and when, where it is, and what usually follows."""

    application: Application

    @cached_property
    def moves(self) -> tuple[Change, ...]:
        """The moves in its history: one query."""
        found = self.application.changes.exclude(moved_to="").select_related("who").order_by("pk")
        return tuple(move for move in found if move.moved_to in set(State))

    @property
    def returned(self) -> Change | None:
        """The return that it waits for its customer since, where the history knows it."""
        last = self.moves[-1] if self.moves else None
        return last if last and last.moved_to == State.RETURNED_FOR_CHANGES else None

    @property
    def is_late(self) -> bool:
        """Whether it takes longer than it usually does."""
        days = self._expected_dates if self.application.status is State.SUBMITTED_TO_CSP else None
        return days is not None and timezone.localdate() > days[1]

    @property
    def _current(self) -> Change | None:
        """The move that led to where it stands; none while it waits in the queue, since it does so by submitting."""
        last = self.moves[-1] if self.moves else None
        is_there = last is not None and last.moved_to == self.application.state
        return last if is_there and self.application.status is not State.SUBMITTED_FOR_REVIEW else None

    @property
    def _timeline(self) -> str:
        return self.application.timeline

    @property
    def _expected_dates(self) -> tuple[date, date] | None:
        """When it usually exists: counted from the filing, and before that from when it was last submitted. None where
        the product's words tell no days, while its customer has it or has to pay, and at the end."""
        status = self.application.status
        if self.application.payment_due_since is not None:
            return None
        submissions = [one for one in self.moves if one.moved_to == State.SUBMITTED_FOR_REVIEW]
        if status is State.SUBMITTED_TO_CSP:
            since = self._current.at if self._current else None
        elif status in (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW):
            since = submissions[-1].at if submissions else self.application.submitted_at
        else:
            since = None
        timeline = product_text(self.application.product, "estimated_timeline")
        return expected_dates(timeline, start=timezone.localdate(since)) if since else None

    @property
    def _expected(self) -> str:
        """The days of those that are still ahead, in words; nothing once all have passed."""
        today, days = timezone.localdate(), self._expected_dates
        if days is None or days[1] < today:
            return ""
        return gettext("Expected %(days)s") % {"days": formats.date_range(max(days[0], today), days[1])}

    def steps(self, documents: Iterable[ProgressStep] = ()) -> Iterator[ProgressStep]:
        """The steps in the order of time. `documents` is what was said of them."""
        status, past = self.application.status, [move for move in self.moves if move is not self._current]
        if not any(move.moved_to == State.SUBMITTED_FOR_REVIEW for move in self.moves):
            # It was submitted before the history knew of moves.
            yield ProgressStep(_day(self.application.submitted_at), gettext("You submitted"), "", "met")
        for place, move in enumerate(past):
            yield _past_step(
                move, is_first=not place, is_again=any(one.moved_to == move.moved_to for one in past[:place])
            )
        yield from documents
        yield self._present_step()
        if status is State.RETURNED_FOR_CHANGES or self._is_before_review:
            yield ProgressStep("", str(_REVIEW), "", "later")
        if status in _BEFORE_FILING:
            yield ProgressStep("", str(_FILING), self._usually, "later")
        if status not in FINAL:
            if settings.LETTERS_GO_OUT:
                promise = gettext("We will write to you that day and update this page.")
            else:
                promise = gettext("We will update this page that day.")
            yield ProgressStep(self._expected, self._exists, promise, "later")

    @property
    def _is_before_review(self) -> bool:
        """Report that our review waits for the customer's payment."""
        return self.application.payment_due_since is not None and self.application.status in _BEFORE_FILING

    def _present_step(self) -> ProgressStep:
        status, when = self.application.status, _day(self._current.at if self._current else None)
        if self.application.payment_due_since is not None:
            when = _day(self.application.payment_due_since)
            return ProgressStep(when, gettext("Waiting for payment"), gettext("Next: you."), "heed")
        if status is State.INCORPORATED:
            return ProgressStep(when, self._exists, gettext("Completed."), "met")
        mark, title, following = _NOW[status]
        detail = str(following)
        if status is State.SUBMITTED_TO_CSP:
            detail = f"{detail} {self._usually}".strip()
        return ProgressStep(when, str(title), detail, mark)

    @property
    def _exists(self) -> str:
        if entity_word(str(self.application.product.get("product", {}).get("type", ""))) == "foundation":
            return gettext("The foundation is incorporated")
        return gettext("The company is incorporated")

    @property
    def _usually(self) -> str:
        """How long the product's words say that it takes."""
        return gettext("Usually %(range)s.") % {"range": self._timeline.removesuffix(".")} if self._timeline else ""


def _past_step(move: Change, *, is_first: bool, is_again: bool) -> ProgressStep:
    """The heading hangs beside the first step, so that its day stands with its time."""
    state, local = State(move.moved_to), timezone.localtime(move.at)
    title = str(_HAPPENED.get(state, state.words))
    if state is State.SUBMITTED_FOR_REVIEW and is_again:
        title = gettext("You submitted again")
    detail = formats.date_and_time(move.at) if is_first else f"{local:%H:%M}"
    if state is State.SUBMITTED_FOR_REVIEW and move.who is not None and not move.who.is_agent:
        detail = gettext("%(when)s, by %(name)s") % {"when": detail, "name": move.who.called}
    return ProgressStep("" if is_first else formats.day(move.at), title, detail, "met")


@dataclass(frozen=True)
class StatusPage:
    """The status of an application that was submitted. Some queries more than a draft's own, by where it stands."""

    draft: Draft
    delivery: DeliverySummary

    @cached_property
    def progress(self) -> Progress:
        return Progress(self.draft.application)

    @property
    def steps(self) -> Iterator[ProgressStep]:
        return self.progress.steps(document_steps(self.draft, self.delivery.deliveries))

    @cached_property
    def returned(self) -> Returned | None:
        """What came back, where it waits for its customer."""
        if not self.draft.application.is_open:
            return None
        return returned(self.delivery, self.progress.returned, back_to="status")

    @cached_property
    def declined(self) -> str:
        """Why it was declined, where it was."""
        application = self.draft.application
        if application.status is not State.REJECTED:
            return ""
        return decision_texts(application, "decline").get(application.submissions, "")

    @property
    def lead(self) -> str:
        """Where it stands, and who acts next."""
        if self.returned is None:
            if self.is_payment_due:
                return gettext("Waiting for your payment. We review your application after that.")
            if self.progress.is_late:
                return gettext("With the registry for longer than usual. Contact us if you have not heard from us.")
            return str(_LEADS.get(self.draft.application.status, ""))
        if not self.returned.items and not self.returned.corrections:
            return gettext("Waiting for you to make changes.")
        left = self.returned.left
        if not left:
            return gettext("Waiting for you to send your corrections.")
        return ngettext(
            "Waiting for you to make {count} correction.", "Waiting for you to make {count} corrections.", left
        )

    @property
    def rounds(self) -> list[ReviewRound]:
        """What came back before and was answered."""
        return review_rounds(self.draft, self.progress.moves)

    @property
    def facts(self) -> Iterator[tuple[str, str, bool]]:
        """When and by whom it was submitted, and the company's entry in the register, each with whether it is a name.

        One query, where it has one.
        """
        application = self.draft.application
        if application.submitted_at is not None:
            yield gettext("Submitted"), formats.date_and_time(application.submitted_at), False
        if application.submitted_by is not None:
            yield gettext("By"), application.submitted_by.called, True
        if entry := registration_of(application):
            if entry.number:
                yield gettext("Registration number"), entry.number, False
            if entry.day:
                yield gettext("Registered on"), long_date(entry.day), False

    @property
    def is_payment_due(self) -> bool:
        return self.draft.application.payment_due_since is not None

    @cached_property
    def payment(self) -> EntityRecord:
        """Return the address at which the customer pays, read from the formation service."""
        return read_payment(self.draft.application)

    @property
    def can_withdraw(self) -> bool:
        return self.draft.application.is_own and is_possible("withdraw", self.draft.application.status)

    @property
    def is_moving(self) -> bool:
        """Whether somebody else has it, so that there is something to wait for."""
        return self.draft.application.status in _MOVING and not self.is_payment_due

    @property
    def updated(self) -> str:
        """When the page was drawn."""
        return formats.time_or_day(timezone.now())

    @property
    def has_letters(self) -> bool:
        """Whether what happens next is written to the customer."""
        return bool(settings.LETTERS_GO_OUT)

    @cached_property
    def version(self) -> str:
        """What the page shows, as it asks for news; empty once nothing can change any more. At most one query."""
        application = self.draft.application
        return "" if application.status in FINAL else status_version(application)


def status_version(application: Application) -> str:
    """State, round, payment, and what the service says of documents, as an address names them. One query."""
    # Some status is greater than none: so they are found in the index.
    documents = Delivery.objects.filter(
        application=application.pk, kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE, document_status__gt=""
    )
    rows = documents.order_by("pk").only("application", "kind", "subject", "document_status", "document_note")
    statuses = [(row.pk, row.document_status, row.document_note) for row in rows]
    seen = (application.state, application.submissions, application.payment_due_since, statuses)
    return blake2s(repr(seen).encode(), digest_size=8).hexdigest()


def has_changed(reference: str, user: User, *, shown: str) -> bool | None:
    """Whether a page that shows a version is old; None where the user has no such application. Two queries."""
    application = Application.objects.visible_to(user).filter(reference=reference).first()
    if application is None:
        return None
    return bool(shown) and application.submitted_at is not None and status_version(application) != shown
