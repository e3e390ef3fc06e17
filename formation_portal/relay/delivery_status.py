"""Describe the state of an application's deliveries in the words that customers read (design, "Relay")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.models import Application
from formation_portal.applications.queries import rows_of
from formation_portal.contract.lifecycle import State
from formation_portal.contract.schema import Section

from .calls.routes import REMOVE
from .models import APPROVED, WITHDRAWAL, Delivery, DeliveryState, Reason, ResourceKind, ResourceName
from .order import is_blocked, is_closed_for_changes
from .problems import LocatedProblem, problems_of
from .queries import DELIVERIES
from .resolution import is_undecided, must_inform_provider
from .service_profile import current_profile
from .wording import Titles


class DeliveryStage(TextChoices):
    """The state of a delivery as a customer reads it, most urgent first; never "failed" while the outcome is open."""

    YOURS = "yours", gettext_noop("Changes needed")
    PAYMENT = "payment", gettext_noop("Waiting for payment")
    OURS = "ours", gettext_noop("With our team")
    CHECKING = "checking", gettext_noop("Checking delivery")
    WAITING = "waiting", gettext_noop("Waiting to retry")
    SENDING = "sending", gettext_noop("Sending")
    SAVED = "saved", gettext_noop("Saved")
    RECEIVED = "received", gettext_noop("Received")


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
# Stages in which nothing is wrong.
_UNTROUBLED = frozenset({DeliveryStage.SENDING, DeliveryStage.SAVED, DeliveryStage.RECEIVED})
_URGENCY = list(DeliveryStage)

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

# A sentence for each reason why a delivery is with our team.
_IN_DOUBT = gettext_noop("We don’t know yet whether it arrived. Our team is checking. You don’t need to do anything.")
_REASONS: Mapping[str, str] = {
    Reason.UNSUPPORTED: gettext_noop(
        "We can’t send this change automatically. Our team will inform the formation service."
    ),
    Reason.UNCLEAR: _IN_DOUBT,
    Reason.AMBIGUOUS: _IN_DOUBT,
}
_FILE_MISSING = gettext_noop("We can’t open this file at the moment. We keep trying. You can also upload it again.")
_OTHER_REASON = gettext_noop(
    "Something went wrong when we sent it. Our team is looking into it. You don’t need to do anything."
)


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """The state of one delivery. `why` is a sentence if our team has it or its file can't be read, otherwise empty."""

    state: DeliveryStage = DeliveryStage.SAVED
    message: str = DeliveryStage.SAVED.label
    problems: tuple[LocatedProblem, ...] = ()
    at: datetime | None = None
    why: str = ""
    delivery: int | None = None
    is_undecided: bool = False
    must_inform_provider: bool = False
    # For a document: its status at the service, "approved" or "rejected", and the service's note.
    document_status: str = ""
    note: str = ""

    @property
    def words(self) -> str:
        return gettext(self.message)

    @property
    def is_refused(self) -> bool:
        return self.state is DeliveryStage.YOURS


class ApplicationDeliveries:
    def __init__(self, application: Application, *, only_trouble: bool = False) -> None:
        self.profile = current_profile()
        self._only_trouble = only_trouble
        self._may_send = self.profile.may_send(application)
        self._saved = DeliveryStage.SAVED.label
        if application.status is State.RETURNED_FOR_CHANGES:
            self._saved = SENT_WITH_CORRECTIONS
        elif not self._may_send:
            self._saved = SENT_ON_SUBMIT
        self._rows: dict[ResourceName, Delivery] = {}
        # All rows but those of resources that the service neither has nor should have.
        self._busy_rows: list[Delivery] = []
        self._last_submission: Delivery | None = None
        for row in rows_of(application, DELIVERIES, "deliveries"):
            self._rows[row.name] = row
            if row.state != DeliveryState.DONE or row.wanted is not None:
                self._busy_rows.append(row)
            is_later = self._last_submission is None or row.position > self._last_submission.position
            if row.resource_kind is ResourceKind.SUBMISSION and is_later:
                self._last_submission = row
        self._statuses: dict[ResourceName, DeliveryStatus] = {}
        self._existing = {row.name for row in self._rows.values() if row.remote_id}
        self._is_closed = is_closed_for_changes(self._rows.values())
        self._is_payment_due = application.payment_due_since is not None

    def of(self, kind: str, token: str | None = None) -> DeliveryStatus:
        """Return the status of one resource, by its kind and token; a document's token is its row's `subject`."""
        return self._status(self._rows.get((ResourceKind(kind), token or "")))

    @property
    def last_submission(self) -> DeliveryStatus:
        return self._status(self._last_submission)

    def of_entity(self) -> DeliveryStatus:
        return self._joined(ResourceKind.ENTITY, ResourceKind.ENTITY_CSP)

    def of_section(self, section: Section) -> DeliveryStatus:
        kinds = []
        if any(spec.canonical_field for spec in section.fields):
            kinds.append(ResourceKind.ENTITY)
        if not all(spec.canonical_field for spec in section.fields):
            kinds.append(ResourceKind.ENTITY_CSP)
        return self._joined(*kinds)

    def of_party(self, token: str) -> DeliveryStatus:
        return self._joined(ResourceKind.PARTY, ResourceKind.PARTY_CSP, token=token)

    def of_share_class(self, token: str) -> DeliveryStatus:
        return self._joined(ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP, token=token)

    def of_all(self, kind: ResourceKind) -> DeliveryStatus:
        return self._most_urgent([row for row in self._busy_rows if row.resource_kind is kind])

    @cached_property
    def overall(self) -> DeliveryStatus:
        return self._most_urgent(self._busy_rows)

    @property
    def party_states(self) -> dict[str, DeliveryStage]:
        kinds = (ResourceKind.PARTY, ResourceKind.PARTY_CSP)
        return {token: self.of_party(token).state for kind, token in self._rows if kind in kinds}

    @property
    def returned_documents(self) -> tuple[tuple[str, str, DeliveryStatus], ...]:
        """Return each document that the service has rejected: the party's token or "", the slot, and the status."""
        documents = []
        for row in self._rows.values():
            if row.is_returned and row.wanted:
                token = row.subject.partition("/")[0]
                documents.append((token, str(row.wanted["document_key"]), self._status(row)))
        return tuple(documents)

    @property
    def accepted_documents(self) -> list[Delivery]:
        return [
            row
            for row in self._rows.values()
            if row.state == DeliveryState.DONE and row.document_status == APPROVED and row.wanted is not None
        ]

    def cannot_be_removed(self, kind: ResourceKind, token: str) -> bool:
        """Tell whether the service has or may have the resource, but has no call to remove it."""
        row = self._rows.get((kind, token))
        if row is None or (row.acknowledged is None and row.is_settled):
            return False
        return not (self.profile.has_edit(REMOVE, kind) and (row.remote_id or not row.is_settled))

    @property
    def refusals(self) -> tuple[tuple[LocatedProblem, datetime], ...]:
        refusals = []
        for row in self._rows.values():
            for problem in problems_of(row):
                refusals.append((problem, row.updated_at))
        return tuple(refusals)

    def unresolved(self, slot_words: Mapping[str, str] | None = None) -> tuple[tuple[str, DeliveryStatus], ...]:
        """Return title and status of each delivery that is being checked, is with our team or waits for its file."""
        titles = Titles(self._rows.values(), slot_words=slot_words)
        unresolved = []
        for row in self._busy_rows:
            status = self._status(row)
            if status.state is DeliveryStage.CHECKING or status.why:
                unresolved.append((titles.title(row), status))
        return tuple(unresolved)

    @property
    def transitions(self) -> tuple[tuple[str, DeliveryStatus], ...]:
        titles = Titles(self._rows.values())
        rows = [row for row in self._busy_rows if row.is_transition]
        rows.sort(key=lambda row: (row.name == WITHDRAWAL, row.position))
        return tuple((titles.title(row), self._status(row)) for row in rows)

    @property
    def notices(self) -> tuple[str, ...]:
        unsupported = [row for row in self._rows.values() if row.reason == Reason.UNSUPPORTED]
        transitions = [row for row in unsupported if row.is_transition]
        notices = []
        if not self.profile.can_edit and not self._may_send:
            notices.append(gettext(NO_EDITS))
        if any(row.resource_kind is ResourceKind.SUBMISSION or row.name == WITHDRAWAL for row in transitions):
            notices.append(gettext(NO_SUBMISSIONS))
        elif transitions:
            notices.append(gettext(NO_REVIEWS))
        if any(not row.is_transition for row in unsupported):
            notices.append(gettext(CHANGE_UNSUPPORTED))
        return tuple(notices)

    def _joined(self, *kinds: ResourceKind, token: str = "") -> DeliveryStatus:
        return self._most_urgent([self._rows[kind, token] for kind in kinds if (kind, token) in self._rows])

    def _most_urgent(self, rows: Sequence[Delivery]) -> DeliveryStatus:
        """Return the most urgent status, with the problems of all rows; without rows, the status "Saved"."""
        if not rows:
            return self._status(None)
        statuses = [self._status(row) for row in rows]
        first = min(statuses, key=lambda status: _URGENCY.index(status.state))
        undecided = next((status.delivery for status in statuses if status.is_undecided), None)
        to_inform = next((status.delivery for status in statuses if status.must_inform_provider), None)
        return replace(
            first,
            problems=tuple(problem for status in statuses for problem in status.problems),
            delivery=undecided or to_inform or first.delivery,
            is_undecided=undecided is not None,
            must_inform_provider=to_inform is not None,
        )

    def _status(self, row: Delivery | None) -> DeliveryStatus:
        """Return the status of a row; without a row, the status of a resource that is only saved here."""
        if row is None:
            return DeliveryStatus(message=self._saved)
        if row.name not in self._statuses:
            self._statuses[row.name] = self._find_status(row)
        return self._statuses[row.name]

    def _find_status(self, row: Delivery) -> DeliveryStatus:
        # Whether the row is sent without waiting for the customer to submit again.
        may_send = self._may_send or row.is_transition
        stage = self._stage(row, may_send=may_send)
        if self._only_trouble and stage in _UNTROUBLED:
            return DeliveryStatus(message=self._saved, at=row.updated_at)
        message = stage.label
        if stage is DeliveryStage.SAVED and not may_send:
            message = self._saved
        why = ""
        if stage is DeliveryStage.OURS:
            why = gettext(_REASONS.get(row.reason, _OTHER_REASON))
        elif stage is DeliveryStage.WAITING and row.reason == Reason.FILE_MISSING:
            why = gettext(_FILE_MISSING)
        status = DeliveryStatus(
            stage,
            message,
            problems_of(row),
            row.updated_at,
            why,
            delivery=row.pk,
            is_undecided=is_undecided(row),
            must_inform_provider=must_inform_provider(row),
        )
        if row.state == DeliveryState.DONE:
            return replace(status, document_status=row.document_status, note=row.document_note)
        return status

    def _stage(self, row: Delivery, *, may_send: bool) -> DeliveryStage:
        if row.is_returned:
            return DeliveryStage.YOURS
        if row.state == DeliveryState.DONE:
            if self._is_payment_due and row is self._last_submission:
                return DeliveryStage.PAYMENT
            if row.reason == Reason.UNSUPPORTED:
                return DeliveryStage.OURS
            if row.acknowledged is None:
                return DeliveryStage.SAVED
            return DeliveryStage.RECEIVED
        if row.state != DeliveryState.QUEUED:
            return _STAGES[DeliveryState(row.state)]
        if not may_send or is_blocked(row, self._rows.values(), self._existing, is_closed=self._is_closed):
            return DeliveryStage.SAVED
        if self.profile.is_paused(timezone.now()):
            return DeliveryStage.WAITING
        return DeliveryStage.SENDING


def deliveries_of(application: Application) -> ApplicationDeliveries:
    return ApplicationDeliveries(application)


def deliveries_for_customer(application: Application) -> ApplicationDeliveries:
    """Return the deliveries as customers see them: in a draft, one being sent or received shows as saved."""
    return ApplicationDeliveries(application, only_trouble=application.status is State.DRAFT)
