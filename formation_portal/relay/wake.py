"""Wake the relay's workers (`core/nodes/wake.py`), and let a page wait a moment for their calls."""

import time

from django.conf import settings
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.core.nodes.wake import Channel

from .models import Delivery, DeliveryState
from .order import next_delivery
from .service_profile import current_profile

RELAY = Channel("relay")

_POLL_SECONDS = 0.01


def wait_for(application: Application) -> None:
    """Wait until no call of the application is running or due, at most RELAY_WAIT_MS. Call it after the commit."""
    if settings.RELAY_WAIT_MS <= 0 or (RELAY.is_on_postgresql and not RELAY.is_listened_to()):
        return
    until = time.monotonic() + settings.RELAY_WAIT_MS / 1000
    while time.monotonic() < until and _is_in_motion(application):
        time.sleep(_POLL_SECONDS)


def _is_in_motion(application: Application) -> bool:
    now = timezone.now()
    rows = list(Delivery.objects.filter(application=application))
    if any(row.state == DeliveryState.SENDING for row in rows):
        return True
    profile = current_profile()
    if profile.is_paused(now):
        return False
    return next_delivery(rows, now=now, profile=profile, may_send=profile.may_send(application)) is not None
