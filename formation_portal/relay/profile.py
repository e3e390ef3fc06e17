"""What the service at hand can do, as the settings say and as it has answered; remembered by its address."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from formation_portal.applications.models import Application

from .models import ServiceProfile

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Profile:
    """`can_edit`: it has the calls that change and remove. `honours_keys`: the same key twice happens once."""

    can_edit: bool
    honours_keys: bool
    paused_until: datetime | None = None

    def lets_go(self, application: Application) -> bool:
        """Whether anything of the application may be sent by now.

        What a service cannot correct waits until the customer submits (design, "Relay").
        """
        return self.can_edit or not application.is_open

    def is_paused(self, now: datetime) -> bool:
        """Whether nothing is sent at all for the moment."""
        return self.paused_until is not None and now < self.paused_until


def profile() -> Profile:
    """The profile of the configured service; one query."""
    found = ServiceProfile.objects.filter(base_url=_address()).first()
    return Profile(
        can_edit=bool(settings.FORMATION_SERVICE_EDITS) and (found is None or found.can_edit is not False),
        # Only of the embedded one it is known.
        honours_keys=not settings.FORMATION_SERVICE_URL,
        paused_until=found.paused_until if found else None,
    )


def remember(*, can_edit: bool | None = None, paused_until: datetime | None = None) -> None:
    """Keep what an answer has shown."""
    shown = {"can_edit": can_edit, "paused_until": paused_until}
    ServiceProfile.objects.update_or_create(
        base_url=_address(), defaults={name: value for name, value in shown.items() if value is not None}
    )


def _address() -> str:
    return (settings.FORMATION_SERVICE_URL or EMBEDDED)[:300]
