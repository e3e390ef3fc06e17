"""How the formation service itself stands, told to agents and operators: paused, silent, its clock, what is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from formation_portal.gateway import clock

from .models import ServiceProfile
from .profile import EMBEDDED, address

_PAUSES = {
    "key": "The service does not accept our key. An operator has to check it; nothing is sent before {until}.",
    "asked": "The service asked us to wait. Nothing is sent before {until}.",
}
_PAUSED = "Nothing is sent before {until}."


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
        yield Notice(f"The service gave no answer {found.failures} times in a row. It is tried {when}, all else waits.")
    if found.clock_ahead is not None and abs(found.clock_ahead) > clock.FAR:
        yield Notice(_clock(found.clock_ahead))
    yield _probe(found)


def _clock(ahead: float) -> str:
    side = "ahead of" if ahead > 0 else "behind"
    minutes = abs(ahead) / 60
    ours = f"{minutes:.0f} minute{'' if round(minutes) == 1 else 's'} {side} ours"
    return f"The service’s clock is {ours}. An operator has to see which of them is wrong."


def _probe(found: ServiceProfile) -> Notice:
    if found.probed_at is not None:
        return Notice(f"What the service honours was last probed on {_time(found.probed_at)}.", is_trouble=False)
    if found.base_url == EMBEDDED:
        return Notice("The embedded service: what it honours is known.", is_trouble=False)
    return Notice(
        "What the service honours was never probed, so the strictest rules apply. `manage.py probe_service` finds out."
    )


def _time(at: datetime) -> str:
    local = timezone.localtime(at)
    return f"{local.day}\u00a0{local:%B}, {local:%H:%M:%S}"
