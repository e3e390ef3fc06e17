"""Encrypts what agents and customers write to one another."""

import uuid

from django.db import migrations, models

from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField, encrypt_models
from formation_portal.core.migration_operations import ChangeFields

_MODELS = ("check", "evidence", "note", "query", "reviewdecision", "screeningcheck")
_ROW = ("application_id", "row")


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0006_what_documents_say"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            check={
                "row": models.UUIDField(editable=False, null=True),
                "digest": EncryptedTextField(blank=True, bound_to=_ROW, max_length=64),
                "label": EncryptedTextField(blank=True, bound_to=_ROW, max_length=300),
            },
            evidence={
                "row": models.UUIDField(editable=False, null=True),
                "label": EncryptedTextField(blank=True, bound_to=_ROW, max_length=300),
                "text": EncryptedTextField(blank=True, bound_to=_ROW, max_length=300),
            },
            note={
                "row": models.UUIDField(editable=False, null=True),
                "label": EncryptedTextField(blank=True, bound_to=_ROW, max_length=300),
                "text": EncryptedTextField(bound_to=_ROW),
            },
            query={
                "row": models.UUIDField(editable=False, null=True),
                "label": EncryptedTextField(blank=True, bound_to=_ROW, max_length=300),
                "proposal": EncryptedJSONField(bound_to=_ROW, null=True),
                "reply": EncryptedTextField(blank=True, bound_to=_ROW),
                "text": EncryptedTextField(bound_to=_ROW),
            },
            reviewdecision={
                "row": models.UUIDField(editable=False, null=True),
                "refusal": EncryptedTextField(blank=True, bound_to=_ROW),
                "register_number": EncryptedTextField(blank=True, bound_to=_ROW, max_length=80),
                "text": EncryptedTextField(blank=True, bound_to=_ROW),
            },
            screeningcheck={
                "row": models.UUIDField(editable=False, null=True),
                "label": EncryptedTextField(bound_to=_ROW, max_length=300),
                "name": EncryptedTextField(blank=True, bound_to=_ROW, max_length=255),
                "text": EncryptedTextField(blank=True, bound_to=_ROW),
            },
        ),
        encrypt_models("reviews", *_MODELS),
        ChangeFields(
            **{name: {"row": models.UUIDField(default=uuid.uuid4, editable=False, unique=True)} for name in _MODELS}
        ),
    ]
