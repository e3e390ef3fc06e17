"""How the formation service itself stands, told to agents and operators: paused, silent, its clock, what is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from formation_portal.gateway import clock

from .models import ServiceProfile
from .profile import EMBEDDED, address

_PAUSES = {
    "key": "The formation service rejects our key. An operator has to check it. Sending is paused until {until}.",
    "asked": "The formation service asked us to wait. Sending is paused until {until}.",
}
_PAUSED = "Sending is paused until {until}."


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence, and whether something is wrong."""

    words: str
    is_trouble: bool = True


def service_notices() -> tuple[Notice, ...]:
    """What there is to say about the configured service; one query."""
    found = ServiceProfile.objects.filter(base_url=address()).first() or ServiceProfile(base_url=address())
    return tuple(_notices(found, timezone.now()))


def _notices(found: ServiceProfile, now: datetime) -> Iterator[Notice]:
    if found.paused_until is not None and now < found.paused_until:
        yield Notice(_PAUSES.get(found.pause_reason, _PAUSED).format(until=_time(found.paused_until)))
    if found.open_until is not None:
        when = f"after {_time(found.open_until)}" if now < found.open_until else "now"
        yield Notice(f"The formation service failed to answer {found.failures} times in a row. Next try {when}.")
    if found.clock_ahead is not None and abs(found.clock_ahead) > clock.FAR:
        yield Notice(_clock(found.clock_ahead))
    yield from _probe(found)


def _clock(ahead: float) -> str:
    side = "ahead of" if ahead > 0 else "behind"
    minutes = abs(ahead) / 60
    ours = f"{minutes:.0f} minute{'' if round(minutes) == 1 else 's'} {side} ours"
    return f"The formation service’s clock is {ours}. An operator has to check both clocks."


def _probe(found: ServiceProfile) -> Iterator[Notice]:
    if found.probed_at is not None:
        yield Notice(f"The formation service was last probed on {_time(found.probed_at)}.", is_trouble=False)
    elif found.base_url != EMBEDDED:
        yield Notice(
            "The formation service has never been probed, so the strictest rules apply. Run `manage.py probe_service`."
        )


def _time(at: datetime) -> str:
    local = timezone.localtime(at)
    return f"{local.day}\u00a0{local:%B}, {local:%H:%M:%S}"
