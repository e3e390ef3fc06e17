"""Shows in the queue which cases have a status of the service that waits for an agent."""

import formation_portal.core.encrypted_fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("desk", "0015_encrypted"),
    ]

    operations = [
        migrations.AddField(
            model_name="case",
            name="service_status",
            field=formation_portal.core.encrypted_fields.EncryptedTextField(
                blank=True, bound_to=("application_id",), default="", max_length=80
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="service_status_since",
            field=models.DateTimeField(null=True),
        ),
    ]
