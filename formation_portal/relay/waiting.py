"""A page's short wait for the worker, so that a refusal can show at its field at once. Opens no socket."""

import time

from django.conf import settings
from django.utils import timezone

from formation_portal.applications.models import Application

from . import wake
from .models import Delivery, DeliveryState
from .order import next_row
from .profile import profile

_LOOK_EVERY = 0.01


def wait_for(application: Application, *, timeout_ms: int | None = None) -> None:
    """Wait until nothing of the application is being sent or can be, at most RELAY_WAIT_MS. Call it after the commit.

    Where no worker runs there is nothing to wait for.
    """
    limit = settings.RELAY_WAIT_MS if timeout_ms is None else timeout_ms
    if limit <= 0 or not wake.workers():
        return
    until = time.monotonic() + limit / 1000
    while _is_moving(application) and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)


def _is_moving(application: Application) -> bool:
    now = timezone.now()
    rows = list(Delivery.objects.filter(application=application))
    if any(row.state == DeliveryState.SENDING for row in rows):
        return True
    known = profile()
    if known.is_paused(now):
        return False
    return next_row(rows, now=now, profile=known, lets_go=known.lets_go(application)) is not None
