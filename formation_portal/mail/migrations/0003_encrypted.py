"""Encrypts letters."""

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedTextField, encrypt_models
from formation_portal.core.migration_operations import ChangeFields


class Migration(migrations.Migration):
    dependencies = [
        ("letters", "0002_holders"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            letter={
                "html": EncryptedTextField(blank=True, bound_to=("number",)),
                "subject": EncryptedTextField(blank=True, bound_to=("number",), max_length=250),
                "text": EncryptedTextField(blank=True, bound_to=("number",)),
                "to": EncryptedTextField(blank=True, bound_to=("number",)),
            },
        ),
        encrypt_models("letters", "letter"),
    ]
