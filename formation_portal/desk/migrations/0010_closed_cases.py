from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.db.models import F


def say_what_is_closed(apps: Any, _: Any) -> None:
    """A case that is not open has been closed: by the moment of its last submission, as the others are in order."""
    apps.get_model("desk", "Case").objects.filter(open_since=None).update(closed_since=F("submitted_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0009_history_in_every_language"),
        ("desk", "0009_refused_proposals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="case",
            name="closed_since",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["closed_since", "application"], name="case_closed"),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["product", "waiting_since", "application"], name="case_waiting_by_product"),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["place", "waiting_since", "application"], name="case_waiting_by_place"),
        ),
        migrations.RunPython(say_what_is_closed, migrations.RunPython.noop),
    ]
