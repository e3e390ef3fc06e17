"""Keeps the statuses that the formation service decides by itself."""

import django.db.models.deletion
import formation_portal.core.encrypted_fields
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0016_retention"),
        ("reviews", "0008_decisions_take_effect_later"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ServiceStatus",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("row", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "status",
                    formation_portal.core.encrypted_fields.EncryptedTextField(
                        bound_to=("application_id", "row"), max_length=80
                    ),
                ),
                (
                    "note",
                    formation_portal.core.encrypted_fields.EncryptedTextField(
                        blank=True, bound_to=("application_id", "row")
                    ),
                ),
                (
                    "company_number",
                    formation_portal.core.encrypted_fields.EncryptedTextField(
                        blank=True, bound_to=("application_id", "row"), max_length=80
                    ),
                ),
                ("incorporated_on", models.DateField(null=True)),
                ("received_at", models.DateTimeField()),
                ("written_by", models.PositiveBigIntegerField(default=0)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("open", "Waiting for an agent"),
                            ("applied", "Applied"),
                            ("passed_on", "Passed on to the customer"),
                            ("dismissed", "Dismissed"),
                            ("replaced", "Replaced by a later status"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "reason",
                    formation_portal.core.encrypted_fields.EncryptedTextField(
                        blank=True, bound_to=("application_id", "row")
                    ),
                ),
                (
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="service_statuses",
                        to="applications.application",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("outcome", "open")), fields=("application",), name="one_open_service_status"
                    )
                ],
            },
        ),
    ]
