"""Fills the totals with what had happened before they were kept, from the history."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

from formation_portal.statistics.backfill import backfill


def count_what_had_happened(apps: StateApps, _editor: Any) -> None:
    """Once; from then on each deed counts itself."""
    backfill(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0009_history_in_every_language"),
        ("figures", "0001_totals"),
        ("reviews", "0001_record_of_reviews"),
    ]

    operations = [migrations.RunPython(count_what_had_happened, migrations.RunPython.noop)]
