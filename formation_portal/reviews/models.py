"""The tables of a review. Agents delete no row: a withdrawn row stays, so that agents who saw the row learn what
became of it."""

import uuid
from mimetypes import guess_extension

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.text import slugify

from formation_portal.applications.models import SUBJECT_LIMIT, Application
from formation_portal.audit.attestation import attested
from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField

from .targets import Target, TargetKind

MAX_TEXT = 2_000
MAX_LABEL = 300
MAX_REGISTER_NUMBER = 80
# The columns that encrypted values are bound to (core/encrypted_fields.py).
_ROW = ("application_id", "row")
# The columns of a row that the audit log attests.
_AUTHORSHIP = ("application_id", "version", "by_id", "at")
_TARGET = ("kind", "holder", "name", "label")


class Review(models.Model):
    """The version of an application's review, which every change raises; each page carries the version it shows."""

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="review")
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"Review of {self.application_id}, version {self.version}"


class _ReviewRow(models.Model):
    """A row of a review, with the agent who last changed the row and the review's version after that change."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="%(class)ss")
    version = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    # Identifies the row for encryption, before it has a primary key.
    row = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        abstract = True


class _TargetedRow(_ReviewRow):
    """A row about one target of the application (targets.py), with the label that the target had then."""

    kind = models.CharField(max_length=12, choices=TargetKind.choices)
    holder = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=SUBJECT_LIMIT, blank=True)
    label = EncryptedTextField(max_length=MAX_LABEL, blank=True, bound_to=_ROW)

    class Meta:
        abstract = True

    @property
    def target(self) -> Target:
        return Target(TargetKind(self.kind), self.holder, self.name)


@attested(*_AUTHORSHIP, *_TARGET, "digest")
class Check(_TargetedRow):
    """The acceptance of a fact, with a digest of its value then. The digest is empty if the acceptance was undone."""

    # Encrypted, since guessing could find a short answer by its digest.
    digest = EncryptedTextField(max_length=64, blank=True, bound_to=_ROW)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("application", "kind", "holder", "name"), name="one_check_a_fact"),
        )

    def __str__(self) -> str:
        return f"Check of {self.kind} {self.name} in {self.application_id}"


class QueryReason(models.TextChoices):
    DIFFERS = "differs", "Answer differs from the document"
    UNREADABLE = "unreadable", "Page cut off or unreadable"
    OUTDATED = "outdated", "Document too old"
    WRONG = "wrong", "Wrong document"
    MISSING = "missing", "Information missing"
    UNCLEAR = "unclear", "Answer is unclear"
    OTHER = "other", "Other"


@attested(
    *(*_AUTHORSHIP, *_TARGET, "reason", "text", "proposal", "dropped_at", "round", "sent_at"),
    *("reply", "replied_at", "settled_at"),
    label="reviews.remark",
)
class Query(_TargetedRow):
    """A query to the customer: a draft until it is sent with a return, open until an agent resolves it.

    The customer reads `text`, may accept `proposal` (an answer as typed) with one click, and writes `reply`.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="queries")
    reason = models.CharField(max_length=12, choices=QueryReason.choices, default=QueryReason.OTHER)
    text = EncryptedTextField(bound_to=_ROW)
    proposal = EncryptedJSONField(null=True, bound_to=_ROW)
    dropped_at = models.DateTimeField(null=True)
    # The number of the submission that the query returned.
    round = models.PositiveSmallIntegerField(null=True)
    sent_at = models.DateTimeField(null=True)
    reply = EncryptedTextField(blank=True, bound_to=_ROW)
    replied_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "reviews_remark"
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("application", "kind", "holder", "name"),
                condition=Q(dropped_at=None, settled_at=None, sent_at=None),
                name="one_drafted_remark_a_place",
            ),
        )

    def __str__(self) -> str:
        return f"Query about {self.kind} {self.name} in {self.application_id}"

    @property
    def is_open(self) -> bool:
        return self.dropped_at is None and self.settled_at is None

    @property
    def is_draft(self) -> bool:
        return self.is_open and self.sent_at is None


@attested(*_AUTHORSHIP, *_TARGET, "text", "removed_at")
class Note(_TargetedRow):
    """A note for colleagues, which customers never see."""

    text = EncryptedTextField(bound_to=_ROW)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"Note in {self.application_id}"


@attested(*_AUTHORSHIP, *_TARGET, "slot", "page", "sha256", "text", "removed_at")
class Evidence(_TargetedRow):
    """The page of a party's document that proves a fact, and what the page says. Slot and digest identify the
    document, since a replaced document may be removed."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="evidence")
    slot = models.TextField()
    page = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    text = EncryptedTextField(max_length=MAX_LABEL, blank=True, bound_to=_ROW)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("application", "kind", "holder", "name"),
                condition=Q(removed_at=None),
                name="one_evidence_a_fact",
            ),
        )

    def __str__(self) -> str:
        return f"Evidence of {self.kind} {self.name} in {self.application_id}"


class ScreeningKind(models.TextChoices):
    """The kinds of screening, done outside the portal. REQUIRED_SCREENING lists their codes."""

    SANCTIONS = "sanctions", "Sanctions check"
    PEP = "pep", "PEP check"
    REGISTER = "register", "Company register check"
    ADVERSE_MEDIA = "adverse_media", "Adverse media check"

    def is_about(self, *, is_person: bool) -> bool:
        """Tell whether this check fits the party: a PEP check fits people only, a register check companies only."""
        if self is ScreeningKind.PEP:
            return is_person
        return self is not ScreeningKind.REGISTER or not is_person


class ScreeningOutcome(models.TextChoices):
    CLEAR = "clear", "Clear"
    CLEARED = "cleared", "Possible match, cleared"
    MATCH = "match", "Match"


@attested(*_AUTHORSHIP, "holder", "label", "kind", "done_on", "outcome", "text", "sha256", "removed_at")
class ScreeningCheck(_ReviewRow):
    """A check of a party outside the portal, with its result and perhaps a file, stored like an upload. `holder` is
    the party's token, `label` its name then."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="screening_checks")
    holder = models.CharField(max_length=80)
    label = EncryptedTextField(max_length=MAX_LABEL, bound_to=_ROW)
    kind = models.CharField(max_length=16, choices=ScreeningKind.choices)
    done_on = models.DateField()
    outcome = models.CharField(max_length=12, choices=ScreeningOutcome.choices)
    text = EncryptedTextField(blank=True, bound_to=_ROW)
    file = models.FileField(max_length=200, blank=True)
    name = EncryptedTextField(max_length=255, blank=True, bound_to=_ROW)
    mime_type = models.CharField(max_length=40, blank=True)
    size = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        # The last check of each kind counts.
        ordering = ("done_on", "pk")

    def __str__(self) -> str:
        return f"{self.kind} of {self.holder} in {self.application_id}"

    @property
    def download_name(self) -> str:
        """Return a download's file name: reference, kind and file type, never the uploaded name."""
        kind = slugify(ScreeningKind(self.kind).label)
        return f"{self.application.reference}-{kind}{guess_extension(self.mime_type) or ''}"


class DecisionOutcome(models.TextChoices):
    WAITING = "waiting", "Awaiting second agent"
    SCHEDULED = "scheduled", "Takes effect shortly"
    DONE = "done", "Done"
    REFUSED = "refused", "Not confirmed by the second agent"
    OVERTAKEN = "overtaken", "Replaced"
    UNDONE = "undone", "Undone before it took effect"
    STOPPED = "stopped", "Stopped before it took effect"


class DecisionKind(models.TextChoices):
    """The decisions of an agent (decision_rules.py). One that moves the application is named like its transition."""

    APPROVE = "approve", "Approval"
    RETURN = "return", "Return"
    DECLINE = "decline", "Decline"
    INCORPORATE = "record_incorporation", "Incorporation"


@attested(
    *(*_AUTHORSHIP, "kind", "reason", "text", "round", "outcome", "proposed_by_id", "proposed_at", "refusal"),
    *("register_number", "registered_on"),
    label="reviews.ruling",
)
class ReviewDecision(_ReviewRow):
    """A decision about the application. `text` is for the customer. A proposal waits until a second agent confirms
    or refuses it. The agent `by` can undo the decision until it is carried out (scheduled_decisions.py)."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=24)
    reason = models.CharField(max_length=24, blank=True)
    text = EncryptedTextField(blank=True, bound_to=_ROW)
    round = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=12, choices=DecisionOutcome.choices)
    # Null before the decision is scheduled, and in rows older than this column.
    takes_effect_at = models.DateTimeField(null=True)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    # Of an incorporation: the company's number in the register, and the day of its entry.
    register_number = EncryptedTextField(max_length=MAX_REGISTER_NUMBER, blank=True, bound_to=_ROW)
    registered_on = models.DateField(null=True)
    # The reason for a refusal, for colleagues.
    refusal = EncryptedTextField(blank=True, bound_to=_ROW)

    class Meta:
        db_table = "reviews_ruling"
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(fields=("application",), condition=Q(outcome="waiting"), name="one_waiting_ruling"),
            models.UniqueConstraint(
                fields=("application",), condition=Q(outcome="scheduled"), name="one_scheduled_decision"
            ),
        )
        indexes = (models.Index(fields=("outcome", "takes_effect_at"), name="decision_due"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.application_id}: {self.outcome}"

    @property
    def called(self) -> str:
        """Return the decision as a noun, such as "Approval"."""
        return dict(DecisionKind.choices).get(self.kind, self.kind)

    @property
    def reason_words(self) -> str:
        """Return the reason in words; "" without a reason, the code if no longer listed."""
        return dict(DeclineReason.choices).get(self.reason, self.reason)

    @property
    def is_confirmed(self) -> bool:
        return self.by_id != self.proposed_by_id

    @property
    def is_taken_back(self) -> bool:
        return self.outcome == DecisionOutcome.REFUSED and self.by_id == self.proposed_by_id


class ServiceStatusOutcome(models.TextChoices):
    OPEN = "open", "Waiting for an agent"
    APPLIED = "applied", "Applied"
    PASSED_ON = "passed_on", "Passed on to the customer"
    DISMISSED = "dismissed", "Dismissed"
    REPLACED = "replaced", "Replaced by a later status"


@attested(*_AUTHORSHIP, "status", "note", "company_number", "incorporated_on", "received_at", "outcome", "reason")
class ServiceStatus(_ReviewRow):
    """A status that the formation service gave the entity by its own decision, which an agent passes on or dismisses.
    `reason` is for colleagues; the customer never sees `note`."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="service_statuses")
    # A service may send any text.
    status = EncryptedTextField(max_length=80, bound_to=_ROW)
    note = EncryptedTextField(blank=True, bound_to=_ROW)
    company_number = EncryptedTextField(max_length=MAX_REGISTER_NUMBER, blank=True, bound_to=_ROW)
    incorporated_on = models.DateField(null=True)
    received_at = models.DateTimeField()
    # The number of the delivery that last wrote the portal's status to the entity; 0 without one.
    written_by = models.PositiveBigIntegerField(default=0)
    # When the service showed another status; until then an equal report is a repetition.
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=12, choices=ServiceStatusOutcome.choices)
    reason = EncryptedTextField(blank=True, bound_to=_ROW)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("application",), condition=Q(outcome="open"), name="one_open_service_status"
            ),
        )

    def __str__(self) -> str:
        return f"{self.status} of {self.application_id}: {self.outcome}"


class Accepted(models.Model):
    """The parts that were accepted before the last return; the customer can't change them (locks.py)."""

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="accepted")
    # The number of the submission that was returned.
    round = models.PositiveSmallIntegerField()
    places = models.JSONField()

    def __str__(self) -> str:
        return f"Accepted in {self.application_id}, round {self.round}"


class DeclineReason(models.TextChoices):
    IDENTITY = "identity", "Identity could not be verified"
    DOCUMENTS = "documents", "False or borrowed documents"
    FUNDS = "funds", "Source of funds unclear"
    OWNERSHIP = "ownership", "Ownership or control unclear"
    SANCTIONS = "sanctions", "Sanctions match"
    ACTIVITY = "activity", "Activity we do not accept"
    SILENCE = "silence", "Customer does not reply"
    OTHER = "other", "Other"
