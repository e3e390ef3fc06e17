"""The tables of the relay: deliveries with attempts, lookups and decisions, the service's profile, readings, events.

Inside a payload, `{"$ref": [kind, subject]}` refers to another resource; sending replaces it by the remote id.
"""

import uuid
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from formation_portal.applications.models import SUBJECT_LIMIT, Application
from formation_portal.audit.attestation import attested
from formation_portal.core.encrypted_fields import EncryptedBinaryField, EncryptedJSONField, EncryptedTextField


class ResourceKind(StrEnum):
    """A kind of resource at the service, or a kind of transition of an entity's status; in order of sending."""

    ENTITY = "entity"
    ENTITY_CSP = "entity_csp"
    SHARE_CLASS = "share_class"
    SHARE_CLASS_CSP = "share_class_csp"
    PARTY = "party"
    PARTY_CSP = "party_csp"
    DOCUMENT = "document"
    SHAREHOLDING = "shareholding"
    SUBMISSION = "submission"
    STATUS = "status"

    @property
    def order(self) -> int:
        return _ORDER.index(self)

    @property
    def is_transition(self) -> bool:
        """Tell whether the kind is a submission or a change of status, which is sent once and never taken back."""
        return self in TRANSITION_KINDS

    @property
    def is_csp(self) -> bool:
        """Tell whether the kind is csp-data of an entity, party or share class: answers without an id of their own."""
        return self in (ResourceKind.ENTITY_CSP, ResourceKind.SHARE_CLASS_CSP, ResourceKind.PARTY_CSP)

    @property
    def has_id(self) -> bool:
        """Tell whether the service has records of the kind, with ids of their own."""
        return not (self.is_csp or self.is_transition)


_ORDER = list(ResourceKind)
TRANSITION_KINDS = (ResourceKind.SUBMISSION, ResourceKind.STATUS)

# Answers by field name, and members beside them, with references to other resources.
Payload = dict[str, Any]
# The name of a resource within its application: its kind, and a token (empty if there is only one of the kind).
ResourceName = tuple[ResourceKind, str]
ENTITY: ResourceName = (ResourceKind.ENTITY, "")
# Any other change of status is an agent's; its subject is the id of its entry in the history.
WITHDRAWAL: ResourceName = (ResourceKind.STATUS, "")
_ROW = ("application_id", "kind", "subject")


def parent_of(kind: ResourceKind, subject: str) -> ResourceName | None:
    """Return the resource whose removal also removes this one; None for the entity itself."""
    if kind is ResourceKind.ENTITY:
        return None
    if kind is ResourceKind.PARTY_CSP:
        return (ResourceKind.PARTY, subject)
    if kind is ResourceKind.SHARE_CLASS_CSP:
        return (ResourceKind.SHARE_CLASS, subject)
    if kind is ResourceKind.DOCUMENT and (party := subject.partition("/")[0]):
        return (ResourceKind.PARTY, party)
    return ENTITY


def submission_subject(number: int) -> str:
    """Return the subject of a submission: "" for the first, its number for a later submission."""
    return str(number) if number > 1 else ""


def shareholding_subject(party_token: str, class_token: str) -> str:
    return f"{party_token}/{class_token}"


_REFERENCE = "$ref"


def reference_to(kind: ResourceKind, subject: str) -> dict[str, Any]:
    return {_REFERENCE: [kind.value, subject]}


def referenced_name(value: Any) -> ResourceName | None:
    if isinstance(value, dict) and value.keys() == {_REFERENCE}:
        kind, subject = value[_REFERENCE]
        return (ResourceKind(kind), subject)
    return None


def referenced_names(payload: Any) -> Iterator[ResourceName]:
    if (name := referenced_name(payload)) is not None:
        yield name
    elif isinstance(payload, dict):
        for value in payload.values():
            if isinstance(value, dict):
                yield from referenced_names(value)


def resolve_references(payload: Any, ids: Mapping[ResourceName, str]) -> Any:
    """Replace the references in a payload by remote ids. Raises KeyError if a remote id is not known yet."""
    if (name := referenced_name(payload)) is not None:
        return ids[name]
    if isinstance(payload, Mapping):
        return {key: resolve_references(value, ids) for key, value in payload.items()}
    return payload


class Reason(StrEnum):
    """The portal's own reason for the state of a delivery, or for the outcome of an attempt."""

    # Held: the call may have been processed, and only an agent can find out.
    UNCLEAR = "unclear"
    # Held, or done in the case of a transition: the service has no call for the change.
    UNSUPPORTED = "unsupported"
    # Held: several records of the service may be this resource, and it is unclear which one is.
    AMBIGUOUS = "ambiguous"
    # A transition was refused, or is held in doubt: the entity has another status at the service.
    STATE_CONFLICT = "state_conflict"
    # Waiting: the evidence says that nothing arrived, so it may be sent again.
    RESEND = "resend"
    # The uploaded file was replaced or removed (held), or can't be read now (waiting).
    FILE_MISSING = "file_missing"
    # Done: the resource was sent again, and a last lookup has found that the service has more than one of it.
    DUPLICATE = "duplicate"
    # Done: an agent has informed the provider by hand.
    PROVIDER_INFORMED = "told"
    # Held: the service says that it has processed other content under our key.
    KEY_REUSED = "idempotency_key_reused"
    # Held: the service refused without a code, and named nothing that a customer could change.
    NOT_ACCEPTED = "not_accepted"
    # Waiting: the service does not accept our key, or not for this call.
    NOT_AUTHORISED = "not_authorised"
    NOT_ALLOWED = "not_allowed"
    # Unknown: the service is still processing the call, or its answer names a record that belongs to another row.
    IN_PROGRESS = "in_progress"
    BOUND_ELSEWHERE = "bound_elsewhere"
    # Waiting: too little of the lease was left to make the call.
    TOO_LATE = "too_late"


# Reasons that only the portal may give: an equal code from the service is stored with a mark.
OWN_REASONS = frozenset(Reason) - {Reason.KEY_REUSED}

# The status of a document at the service; empty until it was first read (INTERFACE.md, "Documents").
APPROVED = "approved"
REJECTED = "rejected"


class DeliveryState(models.TextChoices):
    QUEUED = "queued"
    SENDING = "sending"
    DONE = "done"
    WAITING = "waiting"  # surely not processed; will be tried again
    UNKNOWN = "unknown"  # it may have arrived
    RECONCILING = "reconciling"  # the service's records are being read
    HELD = "held"  # an agent is needed
    REFUSED = "refused"  # the customer is needed


class Delivery(models.Model):
    """A resource at the service: the payloads that are wanted, sent and acknowledged, and the state of sending."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.value) for kind in ResourceKind])
    subject = models.CharField(max_length=SUBJECT_LIMIT, blank=True)
    position = models.PositiveIntegerField(default=0)
    # None: the service should not have the resource.
    wanted = EncryptedJSONField(null=True, bound_to=_ROW)
    # None: the service has not acknowledged that it has the resource.
    acknowledged = EncryptedJSONField(null=True, bound_to=_ROW)
    # The payload that was sent last, with its Idempotency-Key, which stays the same for every try of the payload.
    sent = EncryptedJSONField(null=True, bound_to=_ROW)
    key = models.CharField(max_length=64, blank=True)
    # The resources that must have a remote id before this row is sent: [[kind, subject], …].
    needs = models.JSONField(default=list)
    remote_id = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=12, choices=DeliveryState.choices, default=DeliveryState.QUEUED)
    # A stable word: the reason for the state, or a remark on how the delivery was done.
    reason = models.CharField(max_length=40, blank=True)
    problems = EncryptedJSONField(default=list, bound_to=_ROW)
    # When to work on the row. None: not before something else changes.
    next_at = models.DateTimeField(null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    # Numbers of consecutive tries that surely did nothing, repeats of calls in doubt, vain lookups since the last send.
    attempts = models.PositiveIntegerField(default=0)
    repeats = models.PositiveIntegerField(default=0)
    looks = models.PositiveIntegerField(default=0)
    # The resource was created again after a call in doubt: a lookup for duplicates is due once the row is done.
    recheck = models.BooleanField(default=False)
    # Since when it is not known whether the call arrived.
    unclear_since = models.DateTimeField(null=True, blank=True)
    # For a document: its status at the service, the service's note, and when to read both next.
    document_status = models.CharField(max_length=10, blank=True, db_column="verdict")
    document_note = EncryptedTextField(blank=True, db_column="verdict_note", bound_to=_ROW)
    read_next_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("application", "kind", "subject"), name="one_row_a_thing"),
            models.UniqueConstraint(
                fields=("application",), condition=Q(state="sending"), name="one_call_in_flight_an_entity"
            ),
            models.UniqueConstraint(
                fields=("kind", "remote_id"), condition=~Q(remote_id=""), name="one_thing_a_remote_id"
            ),
        )
        indexes = (
            models.Index(fields=("state", "reason"), name="deliveries_by_state"),
            models.Index(fields=("next_at",), condition=Q(next_at__isnull=False), name="due_deliveries"),
            models.Index(
                fields=("read_next_at", "updated_at"),
                condition=Q(kind="document", state="done") & ~Q(document_status="approved"),
                name="documents_to_read",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.state}".replace(" :", ":")

    @property
    def name(self) -> ResourceName:
        return (self.resource_kind, self.subject)

    @cached_property
    def resource_kind(self) -> ResourceKind:
        return ResourceKind(self.kind)

    @property
    def is_transition(self) -> bool:
        return self.kind in TRANSITION_KINDS

    @property
    def is_settled(self) -> bool:
        """Tell whether we know what the service has: no call is on its way or in doubt."""
        if self.state == DeliveryState.HELD:
            return self.reason not in (Reason.UNCLEAR, Reason.AMBIGUOUS)
        return self.state not in (DeliveryState.SENDING, DeliveryState.UNKNOWN, DeliveryState.RECONCILING)

    @property
    def needs_a_decision(self) -> bool:
        """Tell whether only an agent can decide if the service has the resource, or if a transition is sent again."""
        return self.state == DeliveryState.HELD and (
            self.reason in (Reason.UNCLEAR, Reason.AMBIGUOUS) or self.is_transition
        )

    @property
    def is_returned(self) -> bool:
        """Tell whether the row is a document that the service has rejected, and the customer has not replaced yet."""
        return self.state == DeliveryState.DONE and self.document_status == REJECTED

    def hold(self, reason: str) -> None:
        """Leave the row to an agent. The caller saves the row."""
        self.state = DeliveryState.HELD
        self.reason = reason
        self.next_at = None


class Attempt(models.Model):
    """A call without its bodies, committed before the socket opens. Without `ended_at`, it runs or was broken off."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="calls")
    key = models.CharField(max_length=64)
    lease = models.UUIDField(default=uuid.uuid4)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=40, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    request_id = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.outcome or 'not ended'}"


class Conclusion(models.TextChoices):
    """A conclusion from a lookup. For a transition, OTHER_STATUS with the entity's status may be stored instead."""

    BOUND = "bound", "Found"
    NOT_FOUND = "not there", "Not found"
    SEVERAL_MATCHES = "several may be it", "Several possible matches"
    NO_LIST = "no list to read", "No list available"
    UNREADABLE = "could not be read", "Could not be read"
    AS_WANTED = "as it should be", "Up to date"
    DUPLICATES = "duplicates", "Duplicates found"
    UNKNOWN_STATUS = "no state that we know", "Unknown status"


OTHER_STATUS = "it stands at "


class Look(models.Model):
    """A reading of the service's records after a call in doubt, with its result. Ids only, no personal data."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="lookups")
    looked_at = models.DateTimeField(auto_now_add=True)
    # The number of records, and the ids of those that may be this resource and belong to no other row.
    records = models.PositiveIntegerField(default=0)
    matches = models.JSONField(default=list)
    conclusion = models.CharField(max_length=40)
    request_id = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.conclusion}"


@attested("delivery_id", "agent_id", "kind", "remote_id", "note", "informed_payload", "decided_at")
class Decision(models.Model):
    """An agent's decision about a delivery that only a person could resolve. Only erasure changes or removes it."""

    class Kind(models.TextChoices):
        BIND = "bind", "The formation service has it"
        ABSENT = "absent", "The formation service does not have it"
        PROVIDER_INFORMED = "told", "Formation service informed"
        SEND_AGAIN = "again", "Sent again unchanged"

    delivery = models.ForeignKey(Delivery, models.PROTECT, related_name="decisions")
    row = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    agent = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    remote_id = models.CharField(max_length=200, blank=True)
    note = EncryptedTextField(blank=True, bound_to=("delivery_id", "row"))
    # The payload that was wanted when the provider was informed; None for a removal, and for other decisions.
    # Stored values are bound to the column's older name.
    informed_payload = EncryptedJSONField(null=True, db_column="told", bound_to=("delivery_id", "row"))
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.kind}"


class ServiceProfile(models.Model):
    """The capabilities of the service at one URL, and the state of calls to it. None: not known."""

    base_url = models.CharField(max_length=300, primary_key=True)
    can_edit = models.BooleanField(null=True)
    # The results of `probe_service`, in the shape of `service_profile.Capabilities`.
    capabilities = models.JSONField(null=True, blank=True)
    # Calls that the service lacks, as its last answers show: kinds of transitions, and edits such as "change party".
    lacks = models.JSONField(default=list, blank=True)
    probed_at = models.DateTimeField(null=True, blank=True)
    # The end of a pause in sending, and its reason: the service asks for a pause, or does not accept our key.
    paused_until = models.DateTimeField(null=True, blank=True)
    pause_reason = models.CharField(max_length=20, blank=True)
    # The circuit breaker: consecutive calls without an answer, and when one call may be tried.
    failures = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True, blank=True)
    # The times of the last calls, in seconds since 1970, for the rate limit; and the rest of the retry budget.
    recent_calls = models.JSONField(default=list)
    retries_left = models.FloatField(null=True)
    retries_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.base_url


class EntityReading(models.Model):
    """The last reading of an application's entity at the service, and the time of the next one.

    While a worker reads, `next_at` is the end of its lease. If it is None, no reading is planned.
    """

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="entity_reading")
    read_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True, db_index=True)
    status = EncryptedTextField(max_length=80, blank=True, bound_to=("application_id",))
    # The URL where the customer pays, as last read from the service; a page reads the URL again.
    payment_url = EncryptedTextField(blank=True, bound_to=("application_id",))

    def __str__(self) -> str:
        return f"Entity of {self.application_id}: {self.status}"


class ReceivedEvent(models.Model):
    """An event signed by the service, kept as received."""

    event_id = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=200, blank=True)
    # The id of the entity at the service, as the event states it.
    about = models.CharField(max_length=200, blank=True)
    body = EncryptedBinaryField(bound_to=("event_id",))
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"


class RefusedEvents(models.Model):
    """The number of events refused for one reason since the portal last subscribed: at most one row for each reason."""

    class Reason(models.TextChoices):
        NO_SECRET = "no_secret", "the portal has no secret to verify them"
        UNSIGNED = "unsigned", "they have no signature"
        OTHER_SCHEME = "other_scheme", "they are signed in another way than WEBHOOK_SCHEME says"
        TIME = "time", "they were signed more than five minutes ago, or the clocks differ"
        SIGNATURE = "signature", "their signature does not match the secret"
        CONTENT = "content", "their content is not JSON"

    reason = models.CharField(primary_key=True, max_length=20, choices=Reason.choices)
    number = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.reason}: {self.number}"
