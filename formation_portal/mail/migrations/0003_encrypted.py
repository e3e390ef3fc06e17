"""Encrypts letters."""

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedTextField, encrypt_models


class Migration(migrations.Migration):
    dependencies = [
        ("letters", "0002_holders"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AlterField(
            model_name="letter",
            name="html",
            field=EncryptedTextField(blank=True, bound_to=("number",)),
        ),
        migrations.AlterField(
            model_name="letter",
            name="subject",
            field=EncryptedTextField(blank=True, bound_to=("number",), max_length=250),
        ),
        migrations.AlterField(
            model_name="letter",
            name="text",
            field=EncryptedTextField(blank=True, bound_to=("number",)),
        ),
        migrations.AlterField(
            model_name="letter",
            name="to",
            field=EncryptedTextField(blank=True, bound_to=("number",)),
        ),
        encrypt_models("letters", "letter"),
    ]
