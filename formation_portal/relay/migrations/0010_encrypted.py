"""Encrypts what is sent to the formation service, and what it answers."""

import uuid

from django.db import migrations, models

from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedJSONField,
    EncryptedTextField,
    encrypt_models,
)
from formation_portal.core.migration_operations import ChangeFields

_DELIVERY = ("application_id", "kind", "subject")


class Migration(migrations.Migration):
    dependencies = [
        ("relay", "0009_deliveries_in_trouble"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            decision={
                "row": models.UUIDField(editable=False, null=True),
                "note": EncryptedTextField(blank=True, bound_to=("delivery_id", "row")),
                "told": EncryptedJSONField(bound_to=("delivery_id", "row"), null=True),
            },
            delivery={
                "acknowledged": EncryptedJSONField(bound_to=_DELIVERY, null=True),
                "document_note": EncryptedTextField(blank=True, bound_to=_DELIVERY, db_column="verdict_note"),
                "problems": EncryptedJSONField(bound_to=_DELIVERY, default=list),
                "sent": EncryptedJSONField(bound_to=_DELIVERY, null=True),
                "wanted": EncryptedJSONField(bound_to=_DELIVERY, null=True),
            },
            receivedevent={"body": EncryptedBinaryField(bound_to=("event_id",))},
        ),
        encrypt_models("relay", "decision", "delivery", "receivedevent"),
        ChangeFields(decision={"row": models.UUIDField(default=uuid.uuid4, editable=False, unique=True)}),
    ]
