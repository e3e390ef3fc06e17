"""The tables of the desk: cases, the words that find them, who has opened them, and shared texts."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.audit.attestation import attested
from formation_portal.contract.lifecycle import State
from formation_portal.core.encrypted_fields import EncryptedTextField

TITLE_LIMIT = 300
TAKEOVER_REASON_LIMIT = 200
PLACE_LIMIT = 200


@attested("claimed_by_id", "claimed_at", "taken_from_id", "takeover_reason", every=False)
class Case(models.Model):
    """A submitted application as the queue shows it: a copy, kept up to date by `queue.queue_index`, and the claim.

    A column like `waiting_since` is NULL unless the case is in a certain view; it then has a time, mostly of the last
    submission. Its index lists the view's cases in the queue's order. (SQLite makes no use of indexes on flags.)
    """

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="case")
    title = EncryptedTextField(max_length=TITLE_LIMIT, blank=True, bound_to=("application_id",))
    state = models.CharField(max_length=24, choices=[(state.value, state.words) for state in State])
    submitted_at = models.DateTimeField()
    # Closed; not yet closed; waiting for us; waiting for us again, after a return.
    closed_since = models.DateTimeField(null=True)
    open_since = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    answered_since = models.DateTimeField(null=True)
    # Set while a decision waits for a second agent; the agent who proposed it.
    confirm_since = models.DateTimeField(null=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False
    )
    # Set while the agent whose proposal was refused has to decide again.
    refused_at = models.DateTimeField(null=True)
    # The working days that a case may be with us, and was in earlier rounds; when the case becomes overdue.
    target_days = models.PositiveSmallIntegerField(default=0)
    waited_days = models.PositiveSmallIntegerField(default=0)
    overdue_at = models.DateTimeField(null=True)
    # The product and the jurisdiction, as the catalog names them.
    product = models.CharField(max_length=100, blank=True)
    place = models.CharField(max_length=PLACE_LIMIT, blank=True)
    parties = models.PositiveIntegerField(default=0)
    documents = models.PositiveIntegerField(default=0)
    # The numbers of done checks and of all checks; 0 until counted.
    checks_done = models.PositiveIntegerField(default=0)
    checks_all = models.PositiveIntegerField(default=0)
    # Rises with each change of the application or its review, but not with claims, for comparison with an agent's
    # page (`Opening`); the author of the last change, None for the service and guests; its time.
    version = models.PositiveIntegerField(default=0)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    changed_at = models.DateTimeField(null=True)
    # A status that the formation service decided by itself and that waits for an agent; the time of its arrival.
    service_status = EncryptedTextField(max_length=80, blank=True, default="", bound_to=("application_id",))
    service_status_since = models.DateTimeField(null=True)
    # The claim (desk/queue/claims.py), and the reason for taking the case over from `taken_from`.
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True)
    taken_from = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    takeover_reason = EncryptedTextField(
        max_length=TAKEOVER_REASON_LIMIT, blank=True, db_column="word", bound_to=("application_id",)
    )
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False
    )

    class Meta:
        indexes = (
            models.Index(fields=("submitted_at", "application"), name="case_submitted"),
            models.Index(fields=("state", "submitted_at", "application"), name="case_by_state"),
            models.Index(fields=("open_since", "application"), name="case_open"),
            models.Index(fields=("closed_since", "application"), name="case_closed"),
            models.Index(fields=("waiting_since", "application"), name="case_waiting"),
            models.Index(fields=("overdue_at", "application"), name="case_overdue"),
            models.Index(fields=("answered_since", "application"), name="case_answered"),
            models.Index(fields=("confirm_since", "application"), name="case_to_confirm"),
            models.Index(fields=("claimed_by", "claimed_at"), name="case_claimed"),
            models.Index(fields=("product", "submitted_at", "application", "place"), name="case_by_product"),
            models.Index(fields=("product", "open_since", "application", "place"), name="case_open_by_product"),
            models.Index(fields=("product", "waiting_since", "application", "place"), name="case_waiting_by_product"),
            models.Index(fields=("place", "waiting_since", "application"), name="case_waiting_by_place"),
            models.Index(fields=("place", "submitted_at", "application"), name="case_by_place"),
            models.Index(fields=("place", "open_since", "application"), name="case_open_by_place"),
        )

    def __str__(self) -> str:
        return f"Case {self.pk}"

    @property
    def is_claimed(self) -> bool:
        """Tell whether an agent has a claim that has not expired (CLAIM_HOURS)."""
        expiry = timedelta(hours=settings.CLAIM_HOURS)
        return self.claimed_at is not None and self.claimed_at > timezone.now() - expiry


class CaseWord(models.Model):
    """A digest of the first letters of a word in a case, for searches without stored names (queue/queue_index.py)."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="words")
    word = models.BinaryField(max_length=120)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("case", "word"), name="one_row_a_word"),)
        indexes = (models.Index(fields=("word", "case"), name="case_word"),)

    def __str__(self) -> str:
        return f"A word of case {self.case_id}"


class Offer(models.Model):
    """A product that has cases, with its jurisdiction: a choice in the filters."""

    product = models.CharField(max_length=100, primary_key=True)
    name = models.CharField(max_length=TITLE_LIMIT)
    place = models.CharField(max_length=PLACE_LIMIT, blank=True)

    def __str__(self) -> str:
        return f"{self.name}, {self.place}"


class Opening(models.Model):
    """The last time that an agent had a case open, and the version that the page showed (desk/case/news.py)."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="+")
    agent = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    opened_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("application", "agent"), name="one_opening_an_agent"),)

    def __str__(self) -> str:
        return f"Application {self.application_id}, open"


class SharedText(models.Model):
    """A text that agents reuse in queries and decisions (desk/shared_texts.py). A removed text keeps its row; `version`
    counts its changes, so that no agent overwrites an unseen change."""

    title = models.CharField(max_length=80)
    text = models.TextField()
    version = models.PositiveIntegerField(default=1)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("title", "pk")

    def __str__(self) -> str:
        return self.title
