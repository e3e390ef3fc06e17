"""What the service at hand can do, as the settings say and as it has answered; remembered by its address."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State

from . import timing
from .capabilities import EMBEDDED as EMBEDDED_CAPABILITIES
from .capabilities import Capabilities
from .kinds import Kind
from .models import ServiceProfile

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Profile:
    """`can_edit`: it has the calls that change and remove. `can`: what makes sending twice harmless there. `lacks`: the
    kinds of deeds that it has no call for."""

    can_edit: bool
    can: Capabilities
    paused_until: datetime | None = None
    lacks: frozenset[Kind] = frozenset()

    def lets_go(self, application: Application) -> bool:
        """Whether anything of the application may be sent by now.

        What a service cannot correct waits until the customer submits (design, "Relay"), and so does what was changed
        after a return: corrections go in one piece.
        """
        if application.stands is State.RETURNED_FOR_CHANGES:
            return False
        return self.can_edit or not application.is_open

    def is_paused(self, now: datetime) -> bool:
        """Whether nothing is sent at all for the moment."""
        return self.paused_until is not None and now < self.paused_until

    def patience(self, repeats: int) -> timedelta:
        """How long a call in doubt rests. With a key that counts it is harmless to ask at once; else it rests until
        nothing more can come of it."""
        return timing.backoff(repeats + 1) if self.can.honours_keys else self.settle

    @property
    def settle(self) -> timedelta:
        """How long to wait after a call in doubt before anything can be told from looking."""
        return timing.settle(self.can.slowest)


def profile() -> Profile:
    """The profile of the configured service; one query."""
    return profile_of(ServiceProfile.objects.filter(base_url=address()).first())


def profile_of(found: ServiceProfile | None) -> Profile:
    """What a stored profile says together with the settings; what neither knows counts as not honoured."""
    return Profile(
        can_edit=_can_edit(found),
        can=_capabilities(found),
        paused_until=_paused_until(found) if found else None,
        lacks=frozenset(Kind(one) for one in found.lacks) if found else frozenset(),
    )


def _can_edit(found: ServiceProfile | None) -> bool:
    """As the operator says; else as an answer has shown; else only the embedded one can."""
    if found is not None and found.can_edit is False:
        return False
    if settings.FORMATION_SERVICE_EDITS is not None:
        return bool(settings.FORMATION_SERVICE_EDITS)
    return not settings.FORMATION_SERVICE_URL or bool(found and found.can_edit)


def _capabilities(found: ServiceProfile | None) -> Capabilities:
    if found is not None and found.capabilities is not None:
        return Capabilities.from_json(found.capabilities)
    return Capabilities() if settings.FORMATION_SERVICE_URL else EMBEDDED_CAPABILITIES


def _paused_until(found: ServiceProfile) -> datetime | None:
    moments = [moment for moment in (found.paused_until, found.open_until) if moment is not None]
    return max(moments, default=None)


def locked_profile() -> ServiceProfile:
    """The stored profile of the configured service, locked until the transaction ends; made where there is none."""
    stored = ServiceProfile.objects.select_for_update()
    if (found := stored.filter(base_url=address()).first()) is not None:
        return found
    ServiceProfile.objects.get_or_create(base_url=address())
    return stored.get(base_url=address())


def remember(**shown: Any) -> None:
    """Keep what an answer has shown: members of ServiceProfile; capabilities as `Capabilities`."""
    if isinstance(found := shown.get("capabilities"), Capabilities):
        shown["capabilities"] = found.as_json()
    ServiceProfile.objects.update_or_create(base_url=address(), defaults=shown)


def address() -> str:
    """What the configured service is remembered by."""
    return str(settings.FORMATION_SERVICE_URL or EMBEDDED)[:300]
