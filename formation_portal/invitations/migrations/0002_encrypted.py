"""Encrypts the addresses of invitations."""

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedTextField, encrypt_models


class Migration(migrations.Migration):
    dependencies = [
        ("invitations", "0001_invitations"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AlterField(
            model_name="invitation",
            name="email",
            field=EncryptedTextField(bound_to=("application_id", "reference")),
        ),
        encrypt_models("invitations", "invitation"),
    ]
