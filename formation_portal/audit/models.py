"""The tables of the audit log, and the hash of an entry."""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from operator import attrgetter

from django.db import models

SUBJECT_LIMIT = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The hash before the first entry.
FIRST_PREVIOUS_HASH = "0" * 64


class AuditAction(models.TextChoices):
    LOOK = "look", "Viewed a file"
    RECORD = "record", "Downloaded the record"
    CHANGE = "change", "Changed the application"
    DECISION = "decision", "Decided"
    REVIEW = "review", "Reviewed"
    RIGHTS = "rights", "Changed rights"
    REVEAL = "reveal", "Viewed numbers"
    CLAIM = "claim", "Claimed or released a case"
    REFUSAL = "refusal", "Rejected a file"
    EXPORT = "export", "Downloaded a person’s data"
    ERASURE = "erasure", "Erased personal data"
    SECOND_FACTOR = "factor", "Changed or used two-step sign-in"
    ACCEPTANCE = "acceptance", "Accepted entries without a keyed digest"


class AccessKind(StrEnum):
    FILE = "file"
    PAGE = "page"
    SMALL = "small picture"
    # The file of a screening check, whose number is the subject.
    SCREENING = "screening file"


class Actor(models.TextChoices):
    AGENT = "agent", "Agent"
    CUSTOMER = "customer", "Customer"
    GUEST = "guest", "Guest"
    PORTAL = "portal", "Portal"


class Entry(models.Model):
    """A recorded action. Only `chain.append` adds rows; later only `keyed_digest` may change.

    No column refers to another table. Columns are hashed in their order. Numbers are 0 and texts empty if they do not
    apply.
    """

    # 1, 2, 3 and so on, without a gap, set by the chain. With this type SQLite stores the rows in their order.
    number = models.BigAutoField(primary_key=True)
    # Microseconds since the beginning of 1970, UTC, which every database returns exactly.
    moment = models.BigIntegerField()
    actor = models.CharField(max_length=10, choices=Actor.choices)
    account = models.BigIntegerField()
    action = models.CharField(max_length=10, choices=AuditAction.choices)
    application = models.BigIntegerField()
    reference = models.CharField(max_length=32)
    # A document's or a delivery's number, a party's token, a section's key.
    subject = models.CharField(max_length=SUBJECT_LIMIT)
    # JSON, kept as the text that was hashed.
    detail = models.TextField()
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    # The keyed digest of the hash (keyed_digests.py). Empty if a version before keyed digests wrote the entry.
    keyed_digest = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        ordering = ("-number",)
        indexes = (
            models.Index(fields=("reference", "-number")),
            models.Index(fields=("account", "-number")),
            models.Index(fields=("actor", "-number")),
            models.Index(fields=("action", "-number")),
            models.Index(fields=("moment",)),
        )

    def __str__(self) -> str:
        return f"{self.number}: {self.action} by {self.actor} {self.account}"

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.moment)

    @property
    def is_sound(self) -> bool:
        *content, hashed = attrgetter(*COLUMNS)(self)
        return bool(entry_hash(content) == hashed)


def moment_of(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


# The hashed columns, then the hash itself. The keyed digest is made from the hash.
COLUMNS = tuple(field.attname for field in Entry._meta.concrete_fields if field.attname != "keyed_digest")
TABLE = Entry._meta.db_table


def entry_hash(values: Iterable[object]) -> str:
    """Return the hash of an entry's columns without the hash itself.

    Each column is one line of the hashed text, so no two entries have equal texts. More lines mean tampering.
    """
    return hash_of("\n".join(map(str, values)))


def hash_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


# The small picture in a list is too small to read.
_READABLE = frozenset({AccessKind.FILE, AccessKind.PAGE})


def accesses_by_agents(reference: str) -> models.QuerySet[Entry]:
    """Return the entries about agents who viewed an application's documents, the oldest first."""
    return Entry.objects.filter(reference=reference, action=AuditAction.LOOK, actor=Actor.AGENT).order_by("number")


def is_document_access(subject: str, detail: str) -> bool:
    """Tell whether the entry is about a document's file or a readable page."""
    try:
        content = json.loads(detail or "{}")
    except ValueError:
        # The entry was tampered with.
        return False
    return subject.isdigit() and isinstance(content, dict) and str(content.get("way", "")) in _READABLE


class AnchorRow(models.Model):
    """The number and the hash of an entry when it was written. Rows are only added."""

    number = models.BigIntegerField(db_index=True)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "audit_anchor"
        ordering = ("pk",)

    def __str__(self) -> str:
        return str(self.number)


class ChainMark(models.Model):
    """The entry at which keyed digests begin, or the chain ends (`marks.py`)."""

    name = models.CharField(max_length=10, primary_key=True)
    number = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        db_table = "audit_mark"

    def __str__(self) -> str:
        return f"{self.name}: {self.number}"
