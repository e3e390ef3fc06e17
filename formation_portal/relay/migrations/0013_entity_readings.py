"""Keeps when the service's record of an entity is read next, and what it showed."""

import django.db.models.deletion
import formation_portal.core.encrypted_fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0016_retention"),
        ("relay", "0012_refused_events"),
    ]

    operations = [
        migrations.CreateModel(
            name="EntityReading",
            fields=[
                (
                    "application",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="entity_reading",
                        serialize=False,
                        to="applications.application",
                    ),
                ),
                ("read_at", models.DateTimeField(null=True)),
                ("next_at", models.DateTimeField(db_index=True, null=True)),
                (
                    "status",
                    formation_portal.core.encrypted_fields.EncryptedTextField(
                        blank=True, bound_to=("application_id",), max_length=80
                    ),
                ),
                (
                    "payment_url",
                    formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=("application_id",)),
                ),
            ],
        ),
    ]
