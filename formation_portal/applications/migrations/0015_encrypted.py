"""Encrypts answers, names in the history, declarations, and the names and pictures of files."""

import uuid

from django.db import migrations, models

from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedJSONField,
    EncryptedTextField,
    encrypt_models,
)
from formation_portal.core.migration_operations import ChangeFields


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0014_malware_scan_of_documents"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            application={"declaration": EncryptedTextField(blank=True, bound_to=("reference",))},
            change={
                "row": models.UUIDField(editable=False, null=True),
                "changes": EncryptedJSONField(bound_to=("application_id", "row"), default=list),
                "named": EncryptedJSONField(blank=True, bound_to=("application_id", "row"), default=dict),
                "what": EncryptedTextField(bound_to=("application_id", "row"), max_length=300),
            },
            document={"name": EncryptedTextField(bound_to=("application_id", "sha256"), max_length=255)},
            holding={
                "row": models.UUIDField(editable=False, null=True),
                "typed": EncryptedJSONField(bound_to=("application_id", "row"), default=str),
            },
            party={"raw": EncryptedJSONField(bound_to=("application_id", "token"), default=dict)},
            preview={"picture": EncryptedBinaryField(bound_to=("document_id",))},
            sectionanswers={"raw": EncryptedJSONField(bound_to=("application_id", "section_key"), default=dict)},
            shareclass={"raw": EncryptedJSONField(bound_to=("application_id", "token"), default=dict)},
            stake={
                "row": models.UUIDField(editable=False, null=True),
                "typed": EncryptedJSONField(bound_to=("application_id", "row"), default=str),
            },
        ),
        encrypt_models(
            "applications",
            "application",
            "change",
            "document",
            "holding",
            "party",
            "preview",
            "sectionanswers",
            "shareclass",
            "stake",
        ),
        ChangeFields(
            change={"row": models.UUIDField(default=uuid.uuid4, editable=False, unique=True)},
            holding={"row": models.UUIDField(default=uuid.uuid4, editable=False, unique=True)},
            stake={"row": models.UUIDField(default=uuid.uuid4, editable=False, unique=True)},
        ),
    ]
