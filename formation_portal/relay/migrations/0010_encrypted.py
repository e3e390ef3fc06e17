"""Encrypts what is sent to the formation service, and what it answers."""

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
        ("relay", "0009_deliveries_in_trouble"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="decision",
            name="note",
            field=EncryptedTextField(blank=True, bound_to=("delivery_id", "row")),
        ),
        migrations.AlterField(
            model_name="decision",
            name="told",
            field=EncryptedJSONField(bound_to=("delivery_id", "row"), null=True),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="acknowledged",
            field=EncryptedJSONField(bound_to=("application_id", "kind", "subject"), null=True),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="document_note",
            field=EncryptedTextField(
                blank=True, bound_to=("application_id", "kind", "subject"), db_column="verdict_note"
            ),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="problems",
            field=EncryptedJSONField(bound_to=("application_id", "kind", "subject"), default=list),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="sent",
            field=EncryptedJSONField(bound_to=("application_id", "kind", "subject"), null=True),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="wanted",
            field=EncryptedJSONField(bound_to=("application_id", "kind", "subject"), null=True),
        ),
        migrations.AlterField(
            model_name="receivedevent",
            name="body",
            field=EncryptedBinaryField(bound_to=("event_id",)),
        ),
        encrypt_models("relay", "decision", "delivery", "receivedevent"),
        migrations.AlterField(
            model_name="decision",
            name="row",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
    ]
