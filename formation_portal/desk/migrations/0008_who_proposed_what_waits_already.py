"""Says of each case whose decision waits for a second agent already who proposed it."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery


def say_who(apps: StateApps, _editor: Any) -> None:
    """One update: at most one decision of a case waits."""
    decisions = next(model for model in apps.get_models() if model._meta.db_table == "reviews_ruling")
    waiting = decisions.objects.filter(application=OuterRef("pk"), outcome="waiting")
    cases = apps.get_model("desk", "Case").objects.exclude(confirm_since=None)
    cases.update(proposed_by=Subquery(waiting.values("proposed_by")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0002_what_was_accepted"),
        ("desk", "0007_who_proposed_what_waits"),
    ]

    operations = [migrations.RunPython(say_who, migrations.RunPython.noop)]
