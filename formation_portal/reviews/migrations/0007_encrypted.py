"""Encrypts what agents and customers write to one another."""

import uuid

from django.db import migrations, models

from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField, encrypt_models


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0006_what_documents_say"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="check",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="evidence",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="note",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="query",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="reviewdecision",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="screeningcheck",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="check",
            name="digest",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=64),
        ),
        migrations.AlterField(
            model_name="check",
            name="label",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="evidence",
            name="label",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="evidence",
            name="text",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="note",
            name="label",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="note",
            name="text",
            field=EncryptedTextField(bound_to=("application_id", "row")),
        ),
        migrations.AlterField(
            model_name="query",
            name="label",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="query",
            name="proposal",
            field=EncryptedJSONField(bound_to=("application_id", "row"), null=True),
        ),
        migrations.AlterField(
            model_name="query",
            name="reply",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row")),
        ),
        migrations.AlterField(
            model_name="query",
            name="text",
            field=EncryptedTextField(bound_to=("application_id", "row")),
        ),
        migrations.AlterField(
            model_name="reviewdecision",
            name="refusal",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row")),
        ),
        migrations.AlterField(
            model_name="reviewdecision",
            name="register_number",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=80),
        ),
        migrations.AlterField(
            model_name="reviewdecision",
            name="text",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row")),
        ),
        migrations.AlterField(
            model_name="screeningcheck",
            name="label",
            field=EncryptedTextField(bound_to=("application_id", "row"), max_length=300),
        ),
        migrations.AlterField(
            model_name="screeningcheck",
            name="name",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row"), max_length=255),
        ),
        migrations.AlterField(
            model_name="screeningcheck",
            name="text",
            field=EncryptedTextField(blank=True, bound_to=("application_id", "row")),
        ),
        encrypt_models("reviews", "check", "evidence", "note", "query", "reviewdecision", "screeningcheck"),
        migrations.AlterField(
            model_name="check",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="evidence",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="note",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="query",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="reviewdecision",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="screeningcheck",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
    ]
