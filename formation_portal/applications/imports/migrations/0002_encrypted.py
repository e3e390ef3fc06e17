"""Encrypts uploaded sheets."""

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField, encrypt_models


class Migration(migrations.Migration):
    dependencies = [
        ("spreadsheet", "0001_party_imports"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AlterField(
            model_name="partyimport",
            name="name",
            field=EncryptedTextField(bound_to=("application_id", "token"), max_length=255),
        ),
        migrations.AlterField(
            model_name="partyimport",
            name="sheet",
            field=EncryptedJSONField(bound_to=("application_id", "token"), default=dict),
        ),
        encrypt_models("spreadsheet", "partyimport"),
    ]
