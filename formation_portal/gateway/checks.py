"""The checks of the settings at start: a wrong address or key is one clear line, before anybody is served."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from .address import fault_of, is_exposed


def check_service(**_: Any) -> list[CheckMessage]:
    """FORMATION_SERVICE_URL and FORMATION_SERVICE_KEY, as far as they can be judged without a call."""
    url, key = settings.FORMATION_SERVICE_URL, settings.FORMATION_SERVICE_KEY
    if not url:
        unused = "FORMATION_SERVICE_KEY is set without FORMATION_SERVICE_URL; the embedded service has its own key"
        return [Warning(unused, id="gateway.W001")] if key else []
    found: list[CheckMessage] = []
    if fault := fault_of(url):
        hint = "Set only the base address, like https://formation.example"
        found.append(Error(f"FORMATION_SERVICE_URL {fault}", hint=hint, id="gateway.E001"))
    elif is_exposed(url):
        exposed = "FORMATION_SERVICE_URL is not https: the key and answers are sent unencrypted"
        found.append(Warning(exposed, id="gateway.W002"))
    if not key:
        found.append(Error("FORMATION_SERVICE_KEY is empty: the service needs a key", id="gateway.E002"))
    elif not (key.isascii() and key.isprintable()):
        found.append(Error("FORMATION_SERVICE_KEY contains characters that a key cannot have", id="gateway.E003"))
    return found
