"""Sessions that are over are deleted by the hourly round, and with them what was typed and never sent once more."""

from django.contrib.sessions.models import Session
from django.utils import timezone

from formation_portal.letters.rounds import on_each_round


@on_each_round
def delete_ended_sessions() -> None:
    """Delete what no browser can open any more."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
