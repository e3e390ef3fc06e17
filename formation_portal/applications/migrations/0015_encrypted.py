"""Encrypts answers, names in the history, declarations, and the names and pictures of files."""

import uuid

from django.db import migrations, models

from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedJSONField,
    EncryptedTextField,
    encrypt_models,
)


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0014_malware_scan_of_documents"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="holding",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="stake",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="change",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="application",
            name="declaration",
            field=EncryptedTextField(blank=True, bound_to=("reference",)),
        ),
        migrations.AlterField(
            model_name="change",
            name="changes",
            field=EncryptedJSONField(bound_to=("application_id", "row"), default=list),
        ),
        migrations.AlterField(
            model_name="change",
            name="named",
            field=EncryptedJSONField(blank=True, bound_to=("application_id", "row"), default=dict),
        ),
        migrations.AlterField(
            model_name="change",
            name="what",
            field=EncryptedTextField(bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="document",
            name="name",
            field=EncryptedTextField(bound_to=("application_id", "sha256"), max_length=255),
        ),
        migrations.AlterField(
            model_name="holding",
            name="typed",
            field=EncryptedJSONField(bound_to=("application_id", "row"), default=str),
        ),
        migrations.AlterField(
            model_name="party",
            name="raw",
            field=EncryptedJSONField(bound_to=("application_id", "token"), default=dict),
        ),
        migrations.AlterField(
            model_name="preview",
            name="picture",
            field=EncryptedBinaryField(bound_to=("document_id",)),
        ),
        migrations.AlterField(
            model_name="sectionanswers",
            name="raw",
            field=EncryptedJSONField(bound_to=("application_id", "section_key"), default=dict),
        ),
        migrations.AlterField(
            model_name="shareclass",
            name="raw",
            field=EncryptedJSONField(bound_to=("application_id", "token"), default=dict),
        ),
        migrations.AlterField(
            model_name="stake",
            name="typed",
            field=EncryptedJSONField(bound_to=("application_id", "row"), default=str),
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
        migrations.AlterField(
            model_name="holding",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="stake",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="change",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
    ]
