"""Keep the configured service's capabilities and the state of calls to it. An unknown capability counts as missing."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from pydantic import TypeAdapter

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State

from . import timing
from .models import ResourceKind, ServiceProfile
from .queries import PROFILE


@dataclass(frozen=True, slots=True)
class Capabilities:
    # A call repeated with its Idempotency-Key is processed once.
    honours_keys: bool = False
    # A list or a record of these kinds can be read back. The list of parties is documented, so any service has it.
    lists: frozenset[ResourceKind] = frozenset({ResourceKind.PARTY})
    # Records of these kinds carry the client_reference that they were created with.
    references: frozenset[ResourceKind] = frozenset()
    # A second create of the same resource is refused with 409, and the refusal names the first one.
    refuses_repeats: frozenset[ResourceKind] = frozenset()
    # A second upload to a slot takes the first one's place.
    replaces_documents: bool = False
    # csp-data is merged key by key (True), or replaced as a whole (False).
    merges_csp_data: bool | None = None
    # The time that the slowest answer took, in seconds.
    slowest: float = 0.0


CAPABILITIES = TypeAdapter(Capabilities)

# The embedded service's capabilities, so that a new machine needs no probe. A test compares them with a probe.
EMBEDDED_CAPABILITIES = Capabilities(
    honours_keys=True,
    lists=frozenset(kind for kind in ResourceKind if kind.has_id),
    references=frozenset({ResourceKind.ENTITY}),
    refuses_repeats=frozenset({ResourceKind.ENTITY, ResourceKind.SHARE_CLASS, ResourceKind.SHAREHOLDING}),
    replaces_documents=True,
    merges_csp_data=True,
)


EMBEDDED_ADDRESS = "embedded"


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a service, from which the relay decides what it may send.

    `lacks`: the transitions that the service has no call for, by kind, and the missing edits, by `edit_name`.
    """

    can_edit: bool
    capabilities: Capabilities
    paused_until: datetime | None = None
    lacks: frozenset[str] = frozenset()

    def may_send(self, application: Application) -> bool:
        """Tell whether data of the application may be sent now.

        If the service can't change data, all data waits until the customer submits; so do corrections after a return.
        """
        if application.status is State.RETURNED_FOR_CHANGES:
            return False
        return self.can_edit or not application.is_open

    def has_edit(self, action: str, kind: ResourceKind) -> bool:
        return self.can_edit and edit_name(action, kind) not in self.lacks

    def is_paused(self, now: datetime) -> bool:
        return self.paused_until is not None and now < self.paused_until

    def doubt_time(self, repeats: int) -> timedelta:
        """Return how long a call in doubt rests: shorter if the service honours keys, as a repeat is then harmless."""
        return timing.backoff(repeats + 1) if self.capabilities.honours_keys else self.settle_time

    @property
    def settle_time(self) -> timedelta:
        return timing.settle_time(self.capabilities.slowest)


def edit_name(action: str, kind: ResourceKind) -> str:
    return f"{action} {kind}"


def current_profile() -> Profile:
    """Return the profile of the configured service, by one database query."""
    return profile_from(next(iter(PROFILE.rows(service_address())), None))


def profile_from(stored: ServiceProfile | None) -> Profile:
    """Combine a stored profile with the settings; a capability that is in neither counts as missing."""
    if stored is None:
        stored = ServiceProfile()
    capabilities = Capabilities() if settings.FORMATION_SERVICE_URL else EMBEDDED_CAPABILITIES
    if stored.capabilities is not None:
        capabilities = CAPABILITIES.validate_python(stored.capabilities)
    # The operator's setting wins over the probe and over answers; the embedded service has every call.
    is_known = (settings.FORMATION_SERVICE_EDITS, stored.can_edit, not settings.FORMATION_SERVICE_URL)
    can_edit = next(can_edit for can_edit in is_known if can_edit is not None)
    paused_until = max(filter(None, (stored.paused_until, stored.open_until)), default=None)
    return Profile(can_edit, capabilities, paused_until, frozenset(stored.lacks))


def locked_profile() -> ServiceProfile:
    """Return the stored profile of the configured service, created if missing, locked until the transaction ends."""
    profiles = ServiceProfile.objects.select_for_update()
    stored = profiles.filter(base_url=service_address()).first()
    if stored is None:
        ServiceProfile.objects.get_or_create(base_url=service_address())
        stored = profiles.get(base_url=service_address())
    return stored


def update_profile(**members: Any) -> None:
    """Set members of the stored profile; capabilities are given as `Capabilities`."""
    capabilities = members.get("capabilities")
    if isinstance(capabilities, Capabilities):
        members["capabilities"] = CAPABILITIES.dump_python(capabilities, mode="json")
    ServiceProfile.objects.update_or_create(base_url=service_address(), defaults=members)


def service_address() -> str:
    return str(settings.FORMATION_SERVICE_URL or EMBEDDED_ADDRESS)[:300]


_PAUSES = {
    "key": "The formation service rejects our key. An operator has to check it. Sending is paused until {until}.",
    "asked": "The formation service asked us to wait. Sending is paused until {until}.",
}
_PAUSED = "Sending is paused until {until}."


def service_notices() -> list[tuple[str, bool]]:
    """Return sentences about the configured service, each with True if it is about a problem. One database query."""
    address = service_address()
    now = timezone.now()
    profile = ServiceProfile.objects.filter(base_url=address).first() or ServiceProfile(base_url=address)
    notices = []
    if profile.paused_until is not None and now < profile.paused_until:
        paused = _PAUSES.get(profile.pause_reason, _PAUSED).format(until=_time(profile.paused_until))
        notices.append((paused, True))
    if profile.open_until is not None:
        when = f"after {_time(profile.open_until)}" if now < profile.open_until else "now"
        failed = f"The formation service failed to answer {profile.failures} times in a row."
        notices.append((f"{failed} Next try {when}.", True))
    if profile.probed_at is None and profile.base_url != EMBEDDED_ADDRESS:
        unknown = "The formation service has never been probed, so the strictest rules apply."
        notices.append((f"{unknown} Run `manage.py probe_service`.", True))
    if profile.probed_at is not None:
        notices.append((f"The formation service was last probed on {_time(profile.probed_at)}.", False))
    return notices


def _time(at: datetime) -> str:
    local = timezone.localtime(at)
    return f"{local.day}\u00a0{local:%B}, {local:%H:%M:%S}"
