from datetime import datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.utils.timezone import localdate, make_aware

_AT_ONCE = 1_000
_SATURDAY = 5


def start_the_clocks(apps: Any, _: Any) -> None:
    """What waits for us is overdue after as many working days as the setting says; each product's own target counts
    from the next change on."""
    model = apps.get_model("desk", "Case")
    waiting = model.objects.exclude(waiting_since=None).only("pk", "waiting_since")
    batch: list[Any] = []
    for case in waiting.iterator(chunk_size=_AT_ONCE):
        day, left = localdate(case.waiting_since), settings.OVERDUE_DAYS
        while left > 0:
            day += timedelta(days=1)
            left -= day.weekday() < _SATURDAY
        case.overdue_at = make_aware(datetime.combine(day, time.min))
        batch.append(case)
        if len(batch) == _AT_ONCE:
            model.objects.bulk_update(batch, ["overdue_at"])
            batch = []
    model.objects.bulk_update(batch, ["overdue_at"])


class Migration(migrations.Migration):

    dependencies = [
        ('applications', '0009_history_in_every_language'),
        ('desk', '0010_closed_cases'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='case',
            name='overdue_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='target_days',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='case',
            name='waited_days',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['overdue_at', 'application'], name='case_overdue'),
        ),
        migrations.RunPython(start_the_clocks, migrations.RunPython.noop),
    ]
