"""The table of the audit log, which only ever grows, and how an entry becomes bytes and a hash."""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.db import models

SUBJECT_LIMIT = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The hash before the first entry.
FIRST_PREVIOUS_HASH = "0" * 64


class AuditAction(models.TextChoices):
    """What was done."""

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
    """What was handed out of a document, as the entry of a look says."""

    FILE = "file"
    PAGE = "page"
    SMALL = "small picture"
    # Of a screening check, whose number is the subject.
    SCREENING = "screening file"


class Actor(models.TextChoices):
    """What kind of somebody did it."""

    AGENT = "agent", "Agent"
    CUSTOMER = "customer", "Customer"
    GUEST = "guest", "Guest"
    PORTAL = "portal", "Portal"


class Entry(models.Model):
    """One deed. Rows are written by `chain.append` alone, and neither changed nor removed.

    No column refers to another table: whatever is removed there, the entry stays as it was. The columns stand in the
    order in which they are hashed (models.py). Numbers are 0 and texts empty where there is nothing to say.
    """

    # 1, 2, 3 and so on, without a gap: given by the chain. This type has SQLite keep the rows in their order.
    number = models.BigAutoField(primary_key=True)
    # Microseconds since the beginning of 1970, UTC: every database gives back the same.
    moment = models.BigIntegerField()
    actor = models.CharField(max_length=10, choices=Actor.choices)
    account = models.BigIntegerField()
    deed = models.CharField(max_length=10, choices=AuditAction.choices)
    application = models.BigIntegerField()
    reference = models.CharField(max_length=32)
    # A document's or a delivery's number, a party's token, a section's key.
    subject = models.CharField(max_length=SUBJECT_LIMIT)
    # JSON, kept as the text that was hashed.
    detail = models.TextField()
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    # Keyed, of the hash (keyed_digests.py). Empty where a version before keyed digests wrote the entry.
    keyed_digest = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        ordering = ("-number",)
        indexes = (
            models.Index(fields=("reference", "-number")),
            models.Index(fields=("account", "-number")),
            models.Index(fields=("actor", "-number")),
            models.Index(fields=("deed", "-number")),
            models.Index(fields=("moment",)),
        )

    def __str__(self) -> str:
        return f"{self.number}: {self.deed} by {self.actor} {self.account}"

    @property
    def at(self) -> datetime:
        """When it was."""
        return _EPOCH + timedelta(microseconds=self.moment)

    @property
    def is_sound(self) -> bool:
        """Whether its hash is that of its content."""
        *content, hashed = (getattr(self, name) for name in COLUMNS)
        return bool(entry_hash(content) == hashed)


def moment_of(at: datetime) -> int:
    """A point in time as entries keep it."""
    return (at - _EPOCH) // timedelta(microseconds=1)


# As they are hashed; the hash itself comes last, and the keyed digest is made of it.
COLUMNS = tuple(field.attname for field in Entry._meta.concrete_fields if field.attname != "keyed_digest")
TABLE = Entry._meta.db_table


def entry_hash(values: Iterable[object]) -> str:
    """The SHA-256 of an entry's columns but its own hash, in their order, as hexadecimal digits.

    Each column is a line. No two entries are the same bytes, since `as_line` takes line ends out of texts: whatever has
    one too many was tampered with.
    """
    return hash_of("\n".join(map(str, values)))


def hash_of(content: str) -> str:
    """The hash of an entry's lines."""
    return hashlib.sha256(content.encode()).hexdigest()


def as_line(text: str, limit: int) -> str:
    """A text that fits into one line of so many characters at most."""
    return text.replace("\n", " ")[:limit]


# The small picture in a list is too small to read.
_READABLE = frozenset({AccessKind.FILE, AccessKind.PAGE})


def accesses_by_agents(reference: str) -> models.QuerySet[Entry]:
    """Every time an agent was shown something of a document of the application, the first one first."""
    return Entry.objects.filter(reference=reference, deed=AuditAction.LOOK, actor=Actor.AGENT).order_by("number")


def is_document_access(subject: str, detail: str) -> bool:
    """Whether such an entry tells that a page, or the file, of a document was handed out; its number is the subject."""
    try:
        said = json.loads(detail or "{}")
    except ValueError:
        # Somebody has made the entry unreadable.
        return False
    return subject.isdigit() and isinstance(said, dict) and str(said.get("way", "")) in _READABLE


class AnchorRow(models.Model):
    """A number and its hash, as they were when the entry was written (`anchor.py`): rows are only added."""

    number = models.BigIntegerField(db_index=True)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "audit_anchor"
        ordering = ("pk",)

    def __str__(self) -> str:
        return str(self.number)


class ChainMark(models.Model):
    """An entry at which keyed digests begin, or the chain ends (`marks.py`), with a keyed digest of its own."""

    name = models.CharField(max_length=10, primary_key=True)
    number = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        db_table = "audit_mark"

    def __str__(self) -> str:
        return f"{self.name}: {self.number}"
