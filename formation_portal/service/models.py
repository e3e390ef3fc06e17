"""The service's own tables (INTERFACE.md, "Where answers go")."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.core.databases import SERVICE
from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedJSONField,
    EncryptedTextField,
)
from formation_portal.core.encryption import UnreadableError, key_ring
from formation_portal.core.key_rotation import in_batches, rotation_task
from formation_portal.core.outbox import OutboxRow
from formation_portal.service import identifiers


def role_mark(role: str) -> str:
    """Put bars around a role, as in `Party.role_text`, so that a search finds whole roles only."""
    return f"|{role}|"


# The longest prefix of a word, in letters, by which a party can be found.
_PREFIX_LETTERS = 16
_DIGEST_DIGITS = 10


def prefix_marks(prefix: str) -> list[str]:
    """Return the marks that `Party.search_text` may hold for a word's prefix: a digest under each key, newest first."""
    return [f"|{key.digest(prefix[:_PREFIX_LETTERS]).hex()[:_DIGEST_DIGITS]}" for key in key_ring()]


class Account(models.Model):
    """An owner of API keys and records. A key can access only its own account's records."""

    name = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """The digest and last letters of a key. A row is never deleted, since the records made with the key refer to it."""

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="keys")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    is_unlimited = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ending = models.CharField(max_length=4, blank=True, default="", db_default="")
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # Updated once a minute at most (auth.py).
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def can_be_revoked(self) -> bool:
        return self.status == "Active" and not (self.is_unlimited or self.is_demo)

    @property
    def status(self) -> str:
        if self.revoked_at:
            return "Revoked"
        if self.has_expired:
            return "Expired"
        return "Active"


class FormSchema(models.Model):
    """A published form schema. Older schemas are kept for the entities that were created with them."""

    id = models.CharField(primary_key=True, max_length=64)
    jurisdiction_product_id = models.CharField(max_length=64, db_index=True)
    version = models.CharField(max_length=50)
    document = models.JSONField()
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.id


class CatalogItem(models.Model):
    """A product in a jurisdiction. `document` is the item without its schema."""

    jurisdiction_product_id = models.CharField(primary_key=True, max_length=64)
    form = models.ForeignKey(FormSchema, on_delete=models.PROTECT, related_name="items")
    jurisdiction = models.CharField(max_length=100)
    product_type = models.CharField(max_length=50)
    position = models.PositiveIntegerField()
    is_listed = models.BooleanField(default=True)
    document = models.JSONField()

    class Meta:
        ordering = ("position",)

    def __str__(self) -> str:
        return self.jurisdiction_product_id


class CatalogLoad(models.Model):
    """A loaded catalog. The catalog's ETag is derived from the newest row's digest."""

    digest = models.CharField(max_length=64)
    loaded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest

    @classmethod
    def latest_digest(cls) -> str:
        return cls.objects.order_by("-pk").values_list("digest", flat=True).first() or ""


class Record(models.Model):
    """The base of records that keep the time of their creation."""

    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


class AnsweredRecord(Record):
    properties = EncryptedJSONField(default=dict, bound_to=("id",))
    csp_data = EncryptedJSONField(default=dict, bound_to=("id",))
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class Entity(AnsweredRecord):
    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_entity_id)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="entities")
    created_by = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="entities")
    client_reference = models.CharField(max_length=100, null=True)  # noqa: DJ001 - NULLs are never equal
    item = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="entities")
    form = models.ForeignKey(FormSchema, on_delete=models.PROTECT, related_name="entities")
    status = models.CharField(max_length=30, default=State.DRAFT)
    status_note = EncryptedTextField(blank=True, bound_to=("id",))
    # Ages are calculated for the day of the first submission (INTERFACE.md, "Bounds").
    first_submitted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("created_by", "client_reference"), name="one_entity_per_client_reference"),
        )
        indexes = (models.Index(fields=("account", "-created_at")),)


class Party(AnsweredRecord):
    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_party_id)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="parties")
    party_type = models.CharField(max_length=20)
    roles = models.JSONField(default=list)
    search_text = models.TextField()
    role_text = models.TextField()

    class Meta:
        indexes = (models.Index(fields=("entity", "created_at")),)

    def save(self, *args: Any, **kwargs: Any) -> None:
        label = canonical.label_of(self.properties)
        email = self.properties.get("email") or ""
        prefixes: set[str] = set()
        for word in f"{label} {email}".casefold().split():
            longest = min(len(word), _PREFIX_LETTERS)
            prefixes.update(word[:length] for length in range(1, longest + 1))
        self.search_text = "".join(sorted(prefix_marks(prefix)[0] for prefix in prefixes))
        # A text of the roles, since not every database can search lists in JSON.
        self.role_text = "".join(map(role_mark, self.roles))
        super().save(*args, **kwargs)


@rotation_task
def renew_search_texts() -> None:
    """Rewrite each party's search text with the newest key."""
    for party in in_batches(Party.objects.all()):
        with suppress(UnreadableError), transaction.atomic(using=SERVICE):
            for locked in Party.objects.select_for_update().filter(pk=party.pk):
                locked.save(update_fields=["search_text"])


class ShareClass(AnsweredRecord):
    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_share_class_id)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="share_classes")
    name = models.CharField(max_length=500)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("entity", "name"), name="one_class_per_name"),)


class Shareholding(Record):
    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_shareholding_id)
    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="shareholdings")
    share_class = models.ForeignKey(ShareClass, on_delete=models.CASCADE, related_name="shareholdings")
    shares_held = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("party", "share_class"), name="one_shareholding_per_party_and_class"),
        )


class Document(Record):
    """An uploaded file in a document slot. `path` is within the documents' storage."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_document_id)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="documents")
    party = models.ForeignKey(Party, on_delete=models.CASCADE, null=True, related_name="documents")
    document_key = models.CharField(max_length=500)
    name = EncryptedTextField(max_length=255, bound_to=("id",))
    mime_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    status = models.CharField(max_length=20, default="pending")
    path = models.CharField(max_length=200)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("party", "document_key"),
                name="one_document_per_party_slot",
                condition=models.Q(party__isnull=False),
            ),
            models.UniqueConstraint(
                fields=("entity", "document_key"), name="one_document_per_slot", condition=models.Q(party__isnull=True)
            ),
        )

    @property
    def scope(self) -> str:
        return "party" if self.party_id else "entity"


class Event(models.Model):
    """An event that is posted to subscriptions. Events are ordered by number."""

    number = models.BigAutoField(primary_key=True)
    id = models.CharField(unique=True, max_length=40, default=identifiers.new_event_id)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="events")
    type = models.CharField(max_length=50)
    data = EncryptedJSONField(bound_to=("id",))
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class RequestCount(models.Model):
    """The number of a key's requests in its current minute, on PostgreSQL. The table is unlogged."""

    api_key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, primary_key=True, related_name="+")
    began_at = models.DateTimeField()
    used = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.used} calls"


class KeptAnswer(models.Model):
    """The first answer to an Idempotency-Key. Without a status, the request is running or has died."""

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="kept_answers")
    idempotency_key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    # The id of the entity that the answer is about. Rows older than this column also have None.
    about = models.CharField(max_length=40, null=True, db_index=True)  # noqa: DJ001 - a column that is quick to add
    attempt = models.CharField(max_length=32)
    started_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    headers = EncryptedJSONField(default=dict, bound_to=("api_key_id", "idempotency_key"))
    body = EncryptedBinaryField(default=bytes, bound_to=("api_key_id", "idempotency_key"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("api_key", "idempotency_key"), name="one_answer_per_idempotency_key"),
        )

    def __str__(self) -> str:
        return self.idempotency_key


class Subscription(Record):
    """A URL that events are posted to. The subscription's secret is derived from its id."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_webhook_id)
    account = models.ForeignKey("service.Account", on_delete=models.PROTECT, related_name="subscriptions")
    url = models.CharField(max_length=2_000)
    events = models.JSONField(default=list)
    description = models.CharField(max_length=500, blank=True)


class EventDelivery(OutboxRow):
    # The time for looking up the target's address, and `posting.POST_SECONDS` for the rest of an attempt.
    LEASE = timedelta(minutes=3)
    LEASE_MARGIN = timedelta(minutes=1)

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey("service.Event", on_delete=models.CASCADE, related_name="deliveries")
    # The id of the event's entity. The events of an entity are posted in order.
    about = models.CharField(max_length=40)
    # The id of the running attempt's lease.
    lease = models.UUIDField(null=True)
    delivered_at = models.DateTimeField(null=True)
    dead_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("subscription", "event"), name="one_delivery_per_subscription_and_event"),
        )
        indexes = (
            models.Index(fields=("next_at",), condition=Q(next_at__isnull=False), name="events_to_send"),
            models.Index(
                fields=("subscription", "about", "event"),
                condition=Q(next_at__isnull=False),
                name="events_in_their_order",
            ),
        )

    def __str__(self) -> str:
        return f"delivery {self.pk}"

    @property
    def state(self) -> str:
        if self.delivered_at:
            return "delivered"
        if self.dead_at:
            return "dead"
        return "waiting"


class DeliveryAttempt(models.Model):
    """An attempt to deliver an event, saved before its socket opens."""

    delivery = models.ForeignKey(EventDelivery, on_delete=models.CASCADE, related_name="attempts")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # A fixed word from `posting`. Empty while the attempt runs.
    outcome = models.CharField(max_length=40, blank=True)
    status = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.outcome or 'in progress'}, {self.started_at}"
