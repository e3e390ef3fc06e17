"""How far everything of an application has come, in the words that its customer reads (design, "Relay")."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.models import Application
from formation_portal.applications.queries import rows_of
from formation_portal.contract.lifecycle import State
from formation_portal.contract.schema import Section

from .calls.routes import REMOVE
from .models import (
    AMBIGUOUS,
    APPROVED,
    FILE_MISSING,
    UNCLEAR,
    UNSUPPORTED,
    WITHDRAWAL,
    Delivery,
    DeliveryState,
    ResourceKind,
    ResourceName,
)
from .order import is_blocked, is_closed_for_changes
from .problems import LocatedProblem, problems_of
from .queries import DELIVERIES
from .resolution import is_undecided, must_inform_provider
from .service_profile import Profile, current_profile
from .wording import Titles


class DeliveryStage(StrEnum):
    """What a customer reads; never "failed" while it is not known. In the order of urgency."""

    YOURS = "yours"
    PAYMENT = "payment"
    OURS = "ours"
    CHECKING = "checking"
    WAITING = "waiting"
    SENDING = "sending"
    SAVED = "saved"
    RECEIVED = "received"


STAGE_WORDS = {
    DeliveryStage.YOURS: gettext_noop("Changes needed"),
    DeliveryStage.PAYMENT: gettext_noop("Waiting for payment"),
    DeliveryStage.OURS: gettext_noop("With our team"),
    DeliveryStage.CHECKING: gettext_noop("Checking delivery"),
    DeliveryStage.WAITING: gettext_noop("Waiting to retry"),
    DeliveryStage.SENDING: gettext_noop("Sending"),
    DeliveryStage.SAVED: gettext_noop("Saved"),
    DeliveryStage.RECEIVED: gettext_noop("Received"),
}
SENT_ON_SUBMIT = gettext_noop("Saved. We send it when you submit.")
SENT_WITH_CORRECTIONS = gettext_noop("Saved. We send it with your corrections.")

_STAGES = {
    DeliveryState.SENDING: DeliveryStage.SENDING,
    DeliveryState.WAITING: DeliveryStage.WAITING,
    DeliveryState.UNKNOWN: DeliveryStage.CHECKING,
    DeliveryState.RECONCILING: DeliveryStage.CHECKING,
    DeliveryState.HELD: DeliveryStage.OURS,
    DeliveryState.REFUSED: DeliveryStage.YOURS,
}
# Where nothing is wrong.
_UNTROUBLED = frozenset({DeliveryStage.SENDING, DeliveryStage.SAVED, DeliveryStage.RECEIVED})
_URGENCY = {stage: place for place, stage in enumerate(DeliveryStage)}

NO_EDITS = gettext_noop(
    "The formation service can’t change what it has received, so we send your answers together when you submit."
)
NO_SUBMISSIONS = gettext_noop(
    "We can’t send a submission or withdrawal to the formation service automatically. We record it here, and our team "
    "will inform the service."
)
NO_REVIEWS = gettext_noop(
    "We can’t send our review to the formation service automatically. We record it here, and our team will inform the "
    "service."
)
CHANGE_UNSUPPORTED = gettext_noop(
    "We can’t send one of the changes automatically. Our team will inform the formation service about it."
)

# Why our team has a thing, in one sentence.
_IN_DOUBT = gettext_noop("We don’t know yet whether it arrived. Our team is checking. You don’t need to do anything.")
_REASONS = {
    UNSUPPORTED: gettext_noop("We can’t send this change automatically. Our team will inform the formation service."),
    UNCLEAR: _IN_DOUBT,
    AMBIGUOUS: _IN_DOUBT,
}
_FILE_MISSING = gettext_noop("We can’t open this file at the moment. We keep trying. You can also upload it again.")
_OTHER_REASON = gettext_noop(
    "Something went wrong when we sent it. Our team is looking into it. You don’t need to do anything."
)


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """How far one thing has come. `message` says it in English, `state` is for marks and colours, `at` is when it last
    changed.

    `why` is a sentence where our team has it, or its file can't be read. For agents: `delivery` is the row's primary
    key, `is_undecided` says that it waits for a decision, `must_inform_provider` that somebody has to inform the
    provider by hand.
    """

    state: DeliveryStage = DeliveryStage.SAVED
    message: str = STAGE_WORDS[DeliveryStage.SAVED]
    problems: tuple[LocatedProblem, ...] = ()
    at: datetime | None = None
    why: str = ""
    delivery: int | None = None
    is_undecided: bool = False
    must_inform_provider: bool = False
    # Of a document: what the service says of it, "approved" or "rejected", and its note.
    document_status: str = ""
    note: str = ""

    @property
    def words(self) -> str:
        """Return the message in the reader's language."""
        return gettext(self.message)

    @property
    def is_refused(self) -> bool:
        """Whether the service has refused it, so that the customer has to change something."""
        return self.state is DeliveryStage.YOURS


class ApplicationDeliveries:
    """Every delivery of one application, as its pages show it."""

    def __init__(
        self, application: Application, rows: Iterable[Delivery], profile: Profile, *, only_trouble: bool = False
    ) -> None:
        self._only_trouble = only_trouble
        self._sends_things = profile.may_send(application)
        is_returned = application.status is State.RETURNED_FOR_CHANGES
        self._later = SENT_WITH_CORRECTIONS if is_returned else SENT_ON_SUBMIT
        self._rows = {row.name: row for row in rows}
        self._statuses: dict[ResourceName, DeliveryStatus] = {}
        self.profile = profile
        self._existing = {row.name for row in self._rows.values() if row.remote_id}
        self._is_closed = is_closed_for_changes(self._rows.values())
        self._is_payment_due = application.payment_due_since is not None

    def of(self, kind: str, token: str | None = None) -> DeliveryStatus:
        """One thing; what has no row yet is saved here and nothing more. A document's token is its `subject`."""
        row = self._rows.get((ResourceKind(kind), token or ""))
        return self._status(row) if row else self._saved_only()

    @cached_property
    def last_submission(self) -> DeliveryStatus:
        """The newest of the submissions."""
        row = self._last_submission_row
        return self._status(row) if row else self._saved_only()

    @cached_property
    def _last_submission_row(self) -> Delivery | None:
        submissions = (row for row in self._rows.values() if row.resource_kind is ResourceKind.SUBMISSION)
        return max(submissions, key=lambda row: row.position, default=None)

    def of_entity(self) -> DeliveryStatus:
        """The answers about the entity, of either kind: the more urgent status, with the problems of both."""
        return self._joined(ResourceKind.ENTITY, ResourceKind.ENTITY_CSP)

    def of_section(self, section: Section) -> DeliveryStatus:
        """The answers to a section's questions about the entity."""
        kinds = (
            (ResourceKind.ENTITY, section.has_canonical_fields),
            (ResourceKind.ENTITY_CSP, section.has_csp_fields),
        )
        return self._joined(*(kind for kind, is_asked in kinds if is_asked))

    def of_party(self, token: str) -> DeliveryStatus:
        """A party and its answers."""
        return self._joined(ResourceKind.PARTY, ResourceKind.PARTY_CSP, token=token)

    @property
    def returned_documents(self) -> tuple[tuple[str, str, DeliveryStatus], ...]:
        """The documents that the service has rejected: token of the party or nothing, slot, and status."""
        returned = ((row, row.wanted) for row in self._rows.values() if row.is_returned)
        return tuple(
            (row.subject.partition("/")[0], str(wanted["document_key"]), self._status(row))
            for row, wanted in returned
            if wanted
        )

    @property
    def party_states(self) -> dict[str, DeliveryStage]:
        """How far each party has come of which there is a row, by its token."""
        kinds = (ResourceKind.PARTY, ResourceKind.PARTY_CSP)
        return {token: self.of_party(token).state for kind, token in self._rows if kind in kinds}

    def of_share_class(self, token: str) -> DeliveryStatus:
        """A share class and its answers."""
        return self._joined(ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP, token=token)

    def of_all(self, kind: ResourceKind) -> DeliveryStatus:
        """Everything of one kind: the most urgent status, with all problems."""
        rows = [row for row in self._rows.values() if row.resource_kind is kind and not self._is_idle(row)]
        return self._most_urgent([self._status(row) for row in rows])

    def cannot_be_removed(self, kind: ResourceKind, token: str) -> bool:
        """Whether the service has the thing, or may have it, and has no call to remove it."""
        row = self._rows.get((kind, token))
        if row is None or (row.acknowledged is None and row.is_settled):
            return False
        return not (self.profile.has_edit(REMOVE, kind) and (row.remote_id or not row.is_settled))

    @cached_property
    def overall(self) -> DeliveryStatus:
        """The most urgent status of all, with every problem."""
        return self._most_urgent([self._status(row) for row in self._rows.values() if not self._is_idle(row)])

    @property
    def refusals(self) -> tuple[tuple[LocatedProblem, datetime], ...]:
        """Everything that the service refused, each with when it did."""
        return tuple((problem, row.updated_at) for row in self._rows.values() for problem in problems_of(row))

    def unresolved(self, slot_words: Mapping[str, str] | None = None) -> tuple[tuple[str, DeliveryStatus], ...]:
        """What is being checked, is with our team or waits for its file: titles and statuses, also of what was removed
        here."""
        titles = Titles(self._rows.values(), slot_words=slot_words)
        views = ((titles.title(row), self._status(row)) for row in self._rows.values() if not self._is_idle(row))
        return tuple((title, view) for title, view in views if view.state is DeliveryStage.CHECKING or view.why)

    @property
    def transitions(self) -> tuple[tuple[str, DeliveryStatus], ...]:
        """Submissions and changes of status, in their order: titles and statuses."""
        titles = Titles(self._rows.values())
        found = [row for row in self._rows.values() if row.is_transition and not self._is_idle(row)]
        found.sort(key=lambda row: (row.name == WITHDRAWAL, row.position))
        return tuple((titles.title(row), self._status(row)) for row in found)

    @property
    def notices(self) -> tuple[str, ...]:
        """What this service can't do, said plainly."""
        cannot = [row.name for row in self._rows.values() if row.reason == UNSUPPORTED]
        by_customers = any(kind is ResourceKind.SUBMISSION or (kind, subject) == WITHDRAWAL for kind, subject in cannot)
        found = [
            (not self.profile.can_edit and not self._sends_things, NO_EDITS),
            (by_customers, NO_SUBMISSIONS),
            (not by_customers and any(kind.is_transition for kind, _ in cannot), NO_REVIEWS),
            (any(not kind.is_transition for kind, _ in cannot), CHANGE_UNSUPPORTED),
        ]
        return tuple(gettext(words) for applies, words in found if applies)

    def _joined(self, *kinds: ResourceKind, token: str = "") -> DeliveryStatus:
        rows = [self._rows[(kind, token)] for kind in kinds if (kind, token) in self._rows]
        return self._most_urgent([self._status(row) for row in rows])

    def _most_urgent(self, views: list[DeliveryStatus]) -> DeliveryStatus:
        if not views:
            return self._saved_only()
        first = min(views, key=lambda view: _URGENCY[view.state])
        undecided = next((view.delivery for view in views if view.is_undecided), None)
        to_inform = next((view.delivery for view in views if view.must_inform_provider), None)
        return replace(
            first,
            problems=tuple(problem for view in views for problem in view.problems),
            delivery=undecided or to_inform or first.delivery,
            is_undecided=undecided is not None,
            must_inform_provider=to_inform is not None,
        )

    def _saved_only(self) -> DeliveryStatus:
        return DeliveryStatus(message=STAGE_WORDS[DeliveryStage.SAVED] if self._sends_things else self._later)

    def _is_idle(self, row: Delivery) -> bool:
        """Nothing is there and nothing should be."""
        return row.state == DeliveryState.DONE and row.wanted is None

    def _status(self, row: Delivery) -> DeliveryStatus:
        name = row.name
        if name not in self._statuses:
            self._statuses[name] = self._find_status(row)
        return self._statuses[name]

    def _find_status(self, row: Delivery) -> DeliveryStatus:
        # Whether it is sent without another submission by the customer.
        may_send = self._sends_things or row.is_transition
        stage = self._stage(row, may_send=may_send)
        saved = STAGE_WORDS[DeliveryStage.SAVED] if may_send else self._later
        if self._only_trouble and stage in _UNTROUBLED:
            return DeliveryStatus(message=saved, at=row.updated_at)
        is_done = row.state == DeliveryState.DONE
        return DeliveryStatus(
            stage,
            saved if stage is DeliveryStage.SAVED else STAGE_WORDS[stage],
            problems_of(row),
            row.updated_at,
            why=self._why(row, stage),
            delivery=row.pk,
            is_undecided=is_undecided(row),
            must_inform_provider=must_inform_provider(row),
            document_status=row.document_status if is_done else "",
            note=row.document_note if is_done else "",
        )

    def _why(self, row: Delivery, stage: DeliveryStage) -> str:
        if stage is DeliveryStage.WAITING and row.reason == FILE_MISSING:
            return gettext(_FILE_MISSING)
        return gettext(_REASONS.get(row.reason, _OTHER_REASON)) if stage is DeliveryStage.OURS else ""

    def _stage(self, row: Delivery, *, may_send: bool) -> DeliveryStage:
        if row.is_returned:
            return DeliveryStage.YOURS
        if row.state == DeliveryState.DONE:
            there = DeliveryStage.SAVED if row.acknowledged is None else DeliveryStage.RECEIVED
            if self._is_payment_due and row is self._last_submission_row:
                return DeliveryStage.PAYMENT
            return DeliveryStage.OURS if row.reason == UNSUPPORTED else there
        if row.state != DeliveryState.QUEUED:
            return _STAGES[DeliveryState(row.state)]
        if not may_send or is_blocked(row, self._rows.values(), self._existing, is_closed=self._is_closed):
            return DeliveryStage.SAVED
        return DeliveryStage.WAITING if self.profile.is_paused(timezone.now()) else DeliveryStage.SENDING


def deliveries_of(application: Application) -> ApplicationDeliveries:
    """Read the deliveries of an application: two queries, one where its rows were prefetched."""
    return ApplicationDeliveries(application, rows_of(application, DELIVERIES, "deliveries"), current_profile())


def deliveries_for_customer(application: Application) -> ApplicationDeliveries:
    """Read the deliveries as a customer sees them: of a draft, they say only what is wrong; the rest is saved."""
    rows, only_trouble = rows_of(application, DELIVERIES, "deliveries"), application.status is State.DRAFT
    return ApplicationDeliveries(application, rows, current_profile(), only_trouble=only_trouble)


def cannot_be_removed(application: Application, kind: ResourceKind, token: str) -> bool:
    """Tell whether the service has one thing, or may have it, and has no call to remove it."""
    return deliveries_of(application).cannot_be_removed(kind, token)


def accepted_documents(application: Application) -> tuple[int, datetime | None]:
    """How many documents the service has accepted, and when it said so last. One query."""
    is_accepted = Q(kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE, document_status=APPROVED)
    found = Delivery.objects.filter(is_accepted, application=application, wanted__isnull=False)
    told = found.aggregate(count=Count("pk"), last=Max("updated_at"))
    return told["count"], told["last"]
