"""Drops the difference of the clocks, which `manage.py doctor` measures when it is asked."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("relay", "0013_entity_readings"),
    ]

    operations = [
        migrations.RemoveField(model_name="serviceprofile", name="clock_ahead"),
    ]
