"""The service that the settings name: the embedded one, or the one at FORMATION_SERVICE_URL."""

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from . import in_process
from .address import fault_of
from .calls import Limits
from .client import FormationService
from .deadline import NetworkAdapter, Timeouts
from .errors import NotConfigured

# The embedded service keeps the portal's own key here; only its hash is in its database.
KEY_FILE = "portal-service-key"


def service() -> FormationService:
    """The configured service, one per process. Raises NotConfigured where the address or the key can't be used."""
    return _service(settings.FORMATION_SERVICE_URL, settings.FORMATION_SERVICE_KEY)


# More than one only in tests, which change the settings.
@lru_cache(maxsize=4)
def _service(url: str, key: str) -> FormationService:
    if not url:
        path = Path(settings.DATA_DIR) / KEY_FILE
        return FormationService(
            base_url=in_process.BASE_URL,
            read_key=lambda: _read(path),
            adapter=in_process.InProcessAdapter(),
            limits=_limits(),
        )
    if fault := fault_of(url):
        raise NotConfigured(f"FORMATION_SERVICE_URL {fault}")
    if not (key.isascii() and key.isprintable()):
        raise NotConfigured("FORMATION_SERVICE_KEY contains characters that a key cannot have")
    return FormationService(base_url=url, read_key=lambda: key, adapter=NetworkAdapter(), limits=_limits())


def forget() -> None:
    """Make the service anew at the next call."""
    _service.cache_clear()


def _read(path: Path) -> str:
    """Read on every call, since the key may be made after the portal has started. No file: no key, and a 401."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _limits() -> Limits:
    env = settings.ENV
    return Limits(
        timeouts=Timeouts(env.connect_timeout, env.read_timeout, env.call_timeout),
        upload_timeouts=Timeouts(env.connect_timeout, env.upload_timeout, env.upload_timeout),
        catalog_bytes=env.catalog_limit_mib * 2**20,
        answer_bytes=env.answer_limit_mib * 2**20,
    )
