"""What agents and operators read about the formation service itself: paused, silent, its clock, when it was probed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from formation_portal.gateway import clock_skew

from ..models import ServiceProfile
from ..service_profile import EMBEDDED_ADDRESS, service_address

_PAUSES = {
    "key": "The formation service rejects our key. An operator has to check it. Sending is paused until {until}.",
    "asked": "The formation service asked us to wait. Sending is paused until {until}.",
}
_PAUSED = "Sending is paused until {until}."


@dataclass(frozen=True, slots=True)
class ServiceNotice:
    """One sentence, and whether something is wrong."""

    words: str
    is_trouble: bool = True


def service_notices() -> tuple[ServiceNotice, ...]:
    """What there is to say about the configured service; one query."""
    address = service_address()
    profile = ServiceProfile.objects.filter(base_url=address).first() or ServiceProfile(base_url=address)
    return tuple(_notices(profile, timezone.now()))


def _notices(profile: ServiceProfile, now: datetime) -> Iterator[ServiceNotice]:
    if profile.paused_until is not None and now < profile.paused_until:
        yield ServiceNotice(_PAUSES.get(profile.pause_reason, _PAUSED).format(until=_time(profile.paused_until)))
    if profile.open_until is not None:
        when = f"after {_time(profile.open_until)}" if now < profile.open_until else "now"
        yield ServiceNotice(
            f"The formation service failed to answer {profile.failures} times in a row. Next try {when}."
        )
    if profile.clock_ahead is not None and abs(profile.clock_ahead) > clock_skew.MAX_SKEW:
        side = "ahead of" if profile.clock_ahead > 0 else "behind"
        minutes = abs(profile.clock_ahead) / 60
        ours = f"{minutes:.0f} minute{'' if round(minutes) == 1 else 's'} {side} ours"
        yield ServiceNotice(f"The formation service’s clock is {ours}. An operator has to check both clocks.")
    if profile.probed_at is not None:
        yield ServiceNotice(f"The formation service was last probed on {_time(profile.probed_at)}.", is_trouble=False)
    elif profile.base_url != EMBEDDED_ADDRESS:
        yield ServiceNotice(
            "The formation service has never been probed, so the strictest rules apply. Run `manage.py probe_service`."
        )


def _time(at: datetime) -> str:
    local = timezone.localtime(at)
    return f"{local.day}\u00a0{local:%B}, {local:%H:%M:%S}"
