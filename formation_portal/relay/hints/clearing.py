"""Events are kept for some weeks: longer than a service goes on sending the same, and long enough to look at."""

import datetime as dt

from django.utils import timezone

from formation_portal.letters.rounds import on_each_round
from formation_portal.relay.models import ReceivedEvent

KEPT_FOR = dt.timedelta(days=30)


@on_each_round
def delete_old_events() -> None:
    """Delete what arrived longer ago."""
    ReceivedEvent.objects.filter(received_at__lt=timezone.now() - KEPT_FOR).delete()
