"""The outbox's e-mails, and refusals by receivers. An e-mail's receiver and text are removed after LETTER_DAYS."""

import datetime as dt
import uuid

from django.db import models

from formation_portal.core.encrypted_fields import EncryptedTextField
from formation_portal.core.outbox import OutboxRow


class Email(OutboxRow):
    # Rows are encrypted under the model's first name.
    encrypted_as = "letters.letter"
    # A mail server has EMAIL_TIMEOUT for each of its answers, of which a try needs some eight.
    LEASE, LEASE_MARGIN = dt.timedelta(minutes=4), dt.timedelta(minutes=2)

    # Part of the Message-ID, so that a mailbox can recognise a second copy of the same e-mail.
    number = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    to = EncryptedTextField(blank=True, bound_to=("number",))
    kind = models.CharField(max_length=40)
    language = models.CharField(max_length=12)
    subject = EncryptedTextField(max_length=250, blank=True, bound_to=("number",))
    text = EncryptedTextField(blank=True, bound_to=("number",))
    html = EncryptedTextField(blank=True, bound_to=("number",))
    reference = models.CharField(max_length=40, blank=True)
    once = models.CharField(max_length=120, unique=True, null=True, blank=True)  # many have none
    created_at = models.DateTimeField(auto_now_add=True)
    next_at = models.DateTimeField(null=True, blank=True, db_index=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    # The kind of the last error, never its words: a mail server's words name the receiver.
    error = models.CharField(max_length=60, blank=True)

    class Meta:
        db_table = "letters_letter"
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


class Refusal(models.Model):
    """A receiver's refusal of one kind of e-mail. The row has a digest instead of the address."""

    digest = models.CharField(max_length=64)
    kind = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("digest", "kind"), name="refused_once"),)

    def __str__(self) -> str:
        return f"no {self.kind} to {self.digest[:8]}"
