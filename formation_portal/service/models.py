"""The service's own record. Answers are kept as JSON beside what is looked up by column (interface, "Resources")."""

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
    rows_in_order,
)
from formation_portal.core.encryption import UnreadableError, key_ring
from formation_portal.core.key_rotation import rotation_task
from formation_portal.core.outbox import OutboxRow
from formation_portal.service import identifiers


def role_mark(role: str) -> str:
    """A role as it is written among others in a text, so that none is found within another."""
    return f"|{role}|"


# Letters of a word's beginning that find a party, and hexadecimal digits of their digest.
_LONGEST_WORD, _DIGITS = 16, 10


def word_marks(beginning: str) -> list[str]:
    """How `Party.search_text` has the beginning of a word, under each key in use: the database knows no name."""
    return [f"|{key.digest(beginning[:_LONGEST_WORD]).hex()[:_DIGITS]}" for key in key_ring()]


class Account(models.Model):
    """Whose records they are. Keys of one account see the same records; those of another see none of them."""

    name = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """A credential (supplement, "Transport and credentials"). The key itself is shown once; its digest is kept, and its
    last letters, by which people tell one from another.

    A key is never deleted, since what it has made names it: a revoked one opens nothing any more.
    """

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
    # To a minute (auth.py).
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_portals(self) -> bool:
        """Whether the portal itself calls with it, or did until another took its place."""
        return self.is_unlimited

    @property
    def can_be_revoked(self) -> bool:
        """Whether it opens anything, and the portal doesn't need it: its own is replaced, the demo's ends with DEMO."""
        return self.status == "Active" and not (self.is_unlimited or self.is_demo)

    @property
    def status(self) -> str:
        """Whether it opens anything, in a word."""
        return "Revoked" if self.revoked_at else "Expired" if self.has_expired else "Active"


class FormSchema(models.Model):
    """A form schema as it went out; older ones stay for the entities that were created with them."""

    id = models.CharField(primary_key=True, max_length=64)
    jurisdiction_product_id = models.CharField(max_length=64, db_index=True)
    version = models.CharField(max_length=50)
    document = models.JSONField()
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.id


class CatalogItem(models.Model):
    """One product in one jurisdiction (interface, "Catalog item"); `api` is the item without its schema."""

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
    """When which catalog was loaded; the newest digest is what the catalog's ETag is made of."""

    digest = models.CharField(max_length=64)
    loaded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest


class Entity(models.Model):
    """One entity to be formed, with its own answers (interface, "POST /entities"; supplement, "Entities")."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_entity_id)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="entities")
    created_by = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="entities")
    client_reference = models.CharField(max_length=100, null=True)  # noqa: DJ001 - absent ones are all different
    item = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="entities")
    form = models.ForeignKey(FormSchema, on_delete=models.PROTECT, related_name="entities")
    status = models.CharField(max_length=30, default=State.DRAFT)
    status_note = EncryptedTextField(blank=True, bound_to=("id",))
    # Ages are judged on the day of the first submission (supplement, "Bounds").
    first_submitted_at = models.DateTimeField(null=True, blank=True)
    properties = EncryptedJSONField(default=dict, bound_to=("id",))
    csp_data = EncryptedJSONField(default=dict, bound_to=("id",))
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("created_by", "client_reference"), name="one_entity_per_client_reference"),
        )
        indexes = (models.Index(fields=("account", "-created_at")),)

    def __str__(self) -> str:
        return self.id

    @property
    def state(self) -> State:
        """Where the entity stands."""
        return State(self.status)


class Party(models.Model):
    """A person, company or foundation in its roles (interface, "Party")."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_party_id)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="parties")
    party_type = models.CharField(max_length=20)
    roles = models.JSONField(default=list)
    properties = EncryptedJSONField(default=dict, bound_to=("id",))
    csp_data = EncryptedJSONField(default=dict, bound_to=("id",))
    search_text = models.TextField()
    role_text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = (models.Index(fields=("entity", "created_at")),)

    def __str__(self) -> str:
        return self.id

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves the party together with what it is found by."""
        words = f"{canonical.label_of(self.properties)} {self.properties.get('email') or ''}".casefold().split()
        beginnings = {word[:length] for word in words for length in range(1, min(len(word), _LONGEST_WORD) + 1)}
        self.search_text = "".join(sorted(word_marks(one)[0] for one in beginnings))
        # Lists in JSON can't be searched in every database.
        self.role_text = "".join(role_mark(role) for role in self.roles)
        super().save(*args, **kwargs)


@rotation_task
def digest_words_anew() -> None:
    """What finds each party, under the newest key."""
    for party in rows_in_order(Party, SERVICE):
        # One that can't be read is counted by `rotate_keys`.
        with suppress(UnreadableError), transaction.atomic(using=SERVICE):
            # As it is by now; its words are made when it is saved.
            for locked in Party.objects.select_for_update().filter(pk=party.pk):
                locked.save(update_fields=["search_text"])


class ShareClass(models.Model):
    """A class of shares (interface, "Share class")."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_share_class_id)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="share_classes")
    name = models.CharField(max_length=500)
    properties = EncryptedJSONField(default=dict, bound_to=("id",))
    csp_data = EncryptedJSONField(default=dict, bound_to=("id",))
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("entity", "name"), name="one_class_per_name"),)

    def __str__(self) -> str:
        return self.id


class Shareholding(models.Model):
    """How many shares of a class a party holds (interface, "Shareholding")."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_shareholding_id)
    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="shareholdings")
    share_class = models.ForeignKey(ShareClass, on_delete=models.CASCADE, related_name="shareholdings")
    shares_held = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("party", "share_class"), name="one_shareholding_per_party_and_class"),
        )

    def __str__(self) -> str:
        return self.id


class Document(models.Model):
    """An uploaded file in a slot (interface, "Document upload"). `path` is relative to the documents' folder."""

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
    created_at = models.DateTimeField(auto_now_add=True)

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

    def __str__(self) -> str:
        return self.id


class Event(models.Model):
    """What happened, posted to whoever subscribes (supplement, "Events"). The number orders them."""

    number = models.BigAutoField(primary_key=True)
    id = models.CharField(unique=True, max_length=40, default=identifiers.new_event_id)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="events")
    type = models.CharField(max_length=50)
    data = EncryptedJSONField(bound_to=("id",))
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class RequestCount(models.Model):
    """How often a key called in its minute (`rate_limit`), on PostgreSQL, whose log does not hold this table."""

    api_key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, primary_key=True, related_name="+")
    began_at = models.DateTimeField()
    used = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.used} calls"


class KeptAnswer(models.Model):
    """The first answer to an Idempotency-Key (supplement, "Transport and credentials"); no status, still running."""

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="kept_answers")
    idempotency_key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    # The entity that it is about; None where it is about none, or in rows older than this column.
    about = models.CharField(max_length=40, null=True, db_index=True)  # noqa: DJ001 - a column that costs nothing to add
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


class Subscription(models.Model):
    """One address that events are posted to. Its secret is made from its id when it is needed, and stored nowhere."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_webhook_id)
    account = models.ForeignKey("service.Account", on_delete=models.PROTECT, related_name="subscriptions")
    url = models.CharField(max_length=2_000)
    events = models.JSONField(default=list)
    description = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.id


class EventDelivery(OutboxRow):
    """One event for one subscription."""

    # A try has an address to look up, and `posting.POST_SECONDS` for everything else.
    LEASE, LEASE_MARGIN = timedelta(minutes=3), timedelta(minutes=1)

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey("service.Event", on_delete=models.CASCADE, related_name="deliveries")
    # Events about one entity are posted in order.
    about = models.CharField(max_length=40)
    # Whose try it is; empty where none is being made.
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
        """In one word."""
        if self.delivered_at:
            return "delivered"
        return "dead" if self.dead_at else "waiting"


class DeliveryAttempt(models.Model):
    """One try, written before its socket opens. No body is kept, and of the answer only its status."""

    delivery = models.ForeignKey(EventDelivery, on_delete=models.CASCADE, related_name="attempts")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # A stable word, from `posting`; empty while nobody knows.
    outcome = models.CharField(max_length=40, blank=True)
    status = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.outcome or 'in progress'}, {self.started_at}"
