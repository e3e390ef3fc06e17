"""Encrypts uploaded sheets."""

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField, encrypt_models
from formation_portal.core.migration_operations import ChangeFields


class Migration(migrations.Migration):
    dependencies = [
        ("spreadsheet", "0001_party_imports"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            partyimport={
                "name": EncryptedTextField(bound_to=("application_id", "token"), max_length=255),
                "sheet": EncryptedJSONField(bound_to=("application_id", "token"), default=dict),
            },
        ),
        encrypt_models("spreadsheet", "partyimport"),
    ]
