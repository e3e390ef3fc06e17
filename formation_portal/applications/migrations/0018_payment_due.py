"""Keeps since when the formation service waits for a payment."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0017_first_submission"),
    ]

    operations = [
        migrations.AddField(
            model_name="application",
            name="payment_due_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
