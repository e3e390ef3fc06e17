"""The tables of an application. `draft` reads them, `services` writes them."""

import hashlib
import uuid
from mimetypes import guess_extension
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext

from formation_portal.audit.attestation import attested
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import get_language
from formation_portal.core.encrypted_fields import EncryptedBinaryField, EncryptedJSONField, EncryptedTextField

from .access import ApplicationQuerySet, Author, Right
from .fields import ScanState, new_reference, new_token
from .translation import product_text, translated_product_text

SUBJECT_LIMIT = 200
_MAX_TEXT_LENGTH = 300


class SchemaVersion(models.Model):
    """A form schema as the service sent it, stored once. `translations` has it in other languages."""

    digest = models.CharField(max_length=64, primary_key=True)
    document = models.JSONField()
    translations = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "applications_snapshot"

    def __str__(self) -> str:
        return f"{self.document.get('form_name', 'Schema')} {self.document.get('version', '')}".strip()


class Application(models.Model):
    """A customer's application for a product, with the schema that it was started with.

    `visible_to` and `get_for` set the reader's right; agents have every right. A deleted draft leaves an empty row
    behind, since the formation service may still have to be told of the deletion.
    """

    given_right: str = Right.OWN

    reference = models.CharField(max_length=17, unique=True, default=new_reference, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="applications")
    product_id = models.CharField(max_length=100)
    product = models.JSONField()
    schema_version = models.ForeignKey(SchemaVersion, models.PROTECT, related_name="+", db_column="snapshot_id")
    state = models.CharField(
        max_length=24, choices=[(state.value, state.words) for state in State], default=State.DRAFT
    )
    # Rises with every change, so that outdated copies are recognised.
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    # The first of several submissions: ages are judged on its day (INTERFACE.md, "Bounds").
    first_submitted_at = models.DateTimeField(null=True, blank=True)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    declaration = EncryptedTextField(blank=True, bound_to=("reference",))
    submissions = models.PositiveSmallIntegerField(default=0)
    payment_due_since = models.DateTimeField(null=True, blank=True)  # the service has waited for payment since
    deleted_at = models.DateTimeField(null=True, blank=True)
    # When the customer was told that the unused draft will be deleted; a change cancels this (privacy/retention.py).
    deletion_announced_at = models.DateTimeField(null=True, blank=True)
    # The reason not to erase the application, such as a dispute in court; None if there is no reason.
    hold_reason = EncryptedTextField(null=True, blank=True, bound_to=("reference",))

    objects = ApplicationQuerySet.as_manager()

    class Meta:
        ordering = ("-updated_at", "-pk")
        indexes = (
            models.Index(fields=("owner", "-updated_at")),
            models.Index(fields=("state", "submitted_at")),
        )

    def __str__(self) -> str:
        return self.reference

    @property
    def status(self) -> State:
        return State(self.state)

    @property
    def is_open(self) -> bool:
        """Tell whether the customer may still change the application."""
        return self.status.is_open and self.deleted_at is None

    @property
    def right(self) -> Right:
        return Right(self.given_right)

    @property
    def can_be_changed(self) -> bool:
        return self.is_open and self.right.can_edit

    @property
    def is_own(self) -> bool:
        return self.right is Right.OWN

    @property
    def product_name(self) -> str:
        return self._product_text("product", "name")

    @property
    def jurisdiction_name(self) -> str:
        return self._product_text("jurisdiction", "name")

    @property
    def timeline(self) -> str:
        return self._product_text("estimated_timeline").strip()

    def _product_text(self, *path: str) -> str:
        translation = translated_product_text(self.product_id, self.product, *path)
        return translation or product_text(self.product, *path)

    def language_of(self, text: str) -> str:
        """Return the reader's language if the text is the product's or jurisdiction's name in it, else ""."""
        for path in (("product", "name"), ("jurisdiction", "name")):
            if text and text == translated_product_text(self.product_id, self.product, *path):
                return get_language()
        return ""


class SectionAnswers(models.Model):
    """The typed answers of one entity section. The row of the share section has the version of the holdings."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="section_answers")
    section_key = models.CharField(max_length=80)
    raw = EncryptedJSONField(default=dict, bound_to=("application_id", "section_key"))
    version = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("application", "section_key"), name="one_row_a_section"),)

    def __str__(self) -> str:
        return f"{self.application_id}: {self.section_key}"


class _Holder(models.Model):
    """The columns of both parties and share classes: answers as typed, a version, a token for URLs."""

    token = models.CharField(max_length=32, default=new_token, editable=False)
    raw = EncryptedJSONField(default=dict, bound_to=("application_id", "token"))
    version = models.PositiveIntegerField(default=1)
    position = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.token


class Party(_Holder):
    """A person, company or foundation, entered once, with all its roles.

    A removed party counts nowhere, and can be restored with its holdings and documents until the submission.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="parties")
    kind = models.CharField(max_length=20)
    roles = models.JSONField(default=list)
    removed_at = models.DateTimeField(null=True, blank=True)
    # Tokens of apparent duplicates that a person has marked as different parties.
    apart_from = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ("position", "pk")
        constraints = (models.UniqueConstraint(fields=("application", "token"), name="party_token"),)
        indexes = (models.Index(fields=("application", "position"), name="parties_in_order"),)


class ShareClass(_Holder):
    application = models.ForeignKey(Application, models.CASCADE, related_name="share_classes")

    class Meta:
        ordering = ("position", "pk")
        constraints = (models.UniqueConstraint(fields=("application", "token"), name="share_class_token"),)


class Holding(models.Model):
    """A party's shares of a class, as typed and as a number if that can be parsed."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="holdings")
    party = models.ForeignKey(Party, models.CASCADE, related_name="holdings")
    share_class = models.ForeignKey(ShareClass, models.CASCADE, related_name="holdings")
    # Identifies the row for encryption, before it has a primary key; its party may change.
    row = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    typed = EncryptedJSONField(default=str, bound_to=("application_id", "row"))
    shares = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("party", "share_class"), name="one_holding_a_class"),)

    def __str__(self) -> str:
        return f"{self.party_id} holds {self.share_class_id}"


class Stake(models.Model):
    """An owner's part of a company, as typed. Never sent: the formation service has no field for owners."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="stakes")
    company = models.ForeignKey(Party, models.CASCADE, related_name="owners")
    owner = models.ForeignKey(Party, models.CASCADE, related_name="stakes")
    row = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    typed = EncryptedJSONField(default=str, bound_to=("application_id", "row"))

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("company", "owner"), name="one_stake_an_owner"),)

    def __str__(self) -> str:
        return f"{self.owner_id} owns a part of {self.company_id}"


def document_subject(party_token: str | None, slot: str) -> str:
    """Return the key of a document slot within its application, shortened to fit the column."""
    subject = f"{party_token or ''}/{slot}"
    if len(subject) <= SUBJECT_LIMIT:
        return subject
    digest = hashlib.sha256(subject.encode()).hexdigest()[:32]
    return f"{subject[: SUBJECT_LIMIT - 33]} {digest}"


def document_path(document: "Document", _filename: str) -> str:
    """Return a random storage path in the application's folder, without the uploaded name."""
    return str(PurePath(document.application.reference) / uuid.uuid4().hex)


class DocumentQuerySet(models.QuerySet["Document"]):
    def in_use(self) -> "DocumentQuerySet":
        """Leave out replaced documents and those of removed parties."""
        return self.filter(Q(party=None) | Q(party__removed_at=None), replaced_at=None)


class Document(models.Model):
    """An uploaded file in a document slot of a party or of the entity. A replaced file is kept and never sent."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="documents")
    party = models.ForeignKey(Party, models.CASCADE, null=True, blank=True, related_name="documents")
    slot = models.TextField()
    # The party's token and the slot's name as one key, short enough for an index.
    subject = models.CharField(max_length=SUBJECT_LIMIT)
    file = models.FileField(upload_to=document_path, max_length=200)
    name = EncryptedTextField(max_length=255, bound_to=("application_id", "sha256"))
    mime_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    # The findings of the sandbox (documents/findings.py); empty if it has not run.
    findings = models.JSONField(default=dict, blank=True)
    scan = models.CharField(max_length=8, choices=ScanState, default=ScanState.NONE, blank=True, db_default="")
    # Null for an upload of a guest, who has no account.
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    replaced_at = models.DateTimeField(null=True, blank=True)
    # When our copy was removed, since the formation service has the file; then `file` is empty.
    copy_removed_at = models.DateTimeField(null=True, blank=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("application", "subject"), condition=Q(replaced_at=None), name="one_document_a_slot"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} in {self.slot}"

    @property
    def is_checking(self) -> bool:
        """Tell whether the file still waits for the malware scanner: until then it is neither opened nor sent."""
        return self.scan == ScanState.WAITING

    @property
    def has_copy(self) -> bool:
        """Tell whether the portal still has the file; otherwise only the formation service has it."""
        return self.copy_removed_at is None

    @property
    def download_name(self) -> str:
        """Build a download's file name from reference, slot and type, not the uploaded name."""
        slot = slugify(self.slot)[:60] or "document"
        return f"{self.application.reference}-{slot}{guess_extension(self.mime_type) or ''}"


class Preview(models.Model):
    """A small JPEG of a document's first page, in a separate table, since every page reads the documents' rows."""

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, related_name="preview")
    picture = EncryptedBinaryField(bound_to=("document_id",))

    def __str__(self) -> str:
        return f"Preview of {self.document_id}"


@attested(
    "application_id", "who_id", "at", "what", "message", "named", "holder", "changes", "moved_to", "revision", "page"
)
class Change(models.Model):
    """An entry of the history: author, time and change. `changes` is a list of {field, label, before, after}.

    `what` is the English text, for agents. `message`, with the values `named` in it, is translated for customers.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="changes")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    # Identifies the row for encryption, before it has a number.
    row = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    what = EncryptedTextField(max_length=_MAX_TEXT_LENGTH, bound_to=("application_id", "row"))
    # Empty in entries older than this column.
    message = models.CharField(max_length=_MAX_TEXT_LENGTH, blank=True)
    named = EncryptedJSONField(default=dict, blank=True, bound_to=("application_id", "row"))
    # The entry's subject: a section's key, or the token of a party or share class; empty for the whole application.
    holder = models.CharField(max_length=80, blank=True)
    changes = EncryptedJSONField(default=list, bound_to=("application_id", "row"))
    # The state that the application moved to; empty if the state did not change.
    moved_to = models.CharField(max_length=24, blank=True)
    # The application's revision after the change, and the id of the page that posted it, if any.
    revision = models.PositiveIntegerField(default=0)
    page = models.CharField(max_length=32, blank=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("application", "-id")),)
        constraints = (models.CheckConstraint(condition=~Q(what=""), name="a_change_says_what"),)

    def __str__(self) -> str:
        return str(self.what)

    @classmethod
    def new(cls, application: Application, by: Author | None, message: str, /, **named: str) -> "Change":
        what = message.format(**named)[:_MAX_TEXT_LENGTH]
        return cls(application=application, who_id=by.pk if by else None, what=what, message=message, named=named)

    @property
    def text(self) -> str:
        """Describe the change, in the reader's language if it has a message."""
        return str(gettext(self.message).format(**self.named)) if self.message else self.what

    @property
    def language(self) -> str:
        """Return the language of `text` if it is not the reader's, else ""."""
        return "en" if not self.message and get_language() != "en" else ""

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(str(change["label"]) for change in self.changes)


ChangeList = list[dict[str, Any]]
