"""Who has a case open: noted when its page is drawn and when it asks for news, and over when it has not asked for long.

Agents see it of each other, so that two don't begin the same work. It binds nobody, and customers never learn of it.
"""

from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.core.background import hourly_task

from .models import Opening

_WRITTEN_EVERY = timedelta(minutes=1)
# Longer than a page takes to ask again, and as long as a page without script counts.
_LASTS = timedelta(minutes=5)


def note_open(application_id: int, *, agent: AbstractBaseUser) -> tuple[Opening, ...]:
    """Note that the agent has the case open, and tell who else has. One query, and one that writes once a minute."""
    now = timezone.now()
    lately = Opening.objects.filter(application=application_id, seen_at__gt=now - _LASTS).select_related("agent")
    found = tuple(lately.order_by("opened_at", "pk"))
    own = next((one for one in found if one.agent_id == agent.pk), None)
    if own is None:
        _begin(Opening(application_id=application_id, agent_id=agent.pk, opened_at=now, seen_at=now))
    elif now - own.seen_at >= _WRITTEN_EVERY:
        Opening.objects.filter(pk=own.pk).update(seen_at=now)
    return tuple(one for one in found if one is not own)


def _begin(opening: Opening) -> None:
    """Two tabs may open it at once, and a row of an earlier time may be there still."""
    Opening.objects.bulk_create(
        [opening],
        update_conflicts=True,
        unique_fields=["application", "agent"],
        update_fields=["opened_at", "seen_at"],
    )


@hourly_task
def delete_ended_openings() -> None:
    """Delete what says nothing any more."""
    Opening.objects.filter(seen_at__lte=timezone.now() - _LASTS).delete()
