"""The environment of one campaign, set before anything of Django is loaded: databases, ports and times of its own."""

import os
import random
import socket
from dataclasses import dataclass
from pathlib import Path

from tests.scratch_postgres import KEYS

# Below the ports that the system gives to whoever connects, so that one that is shut for a moment stays ours.
_PORTS = range(20_000, int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0]))

# Seconds, scaled like the relay's own; a call ends long before a lease, which is three seconds.
_TIMES = {"CONNECT_TIMEOUT": "0.25", "READ_TIMEOUT": "0.4", "CALL_TIMEOUT": "0.5", "UPLOAD_TIMEOUT": "0.5"}


@dataclass(frozen=True, slots=True)
class Ports:
    """Where each listens, on this machine alone."""

    proxy: int
    service: int
    web: int


def set_up(folder: Path, *, database_url: str = "") -> Ports:
    """Load Django with settings of the campaign's own; everything it writes is in the folder."""
    ports = Ports(free_port(), free_port(), free_port())
    os.environ |= _TIMES | {
        **(KEYS if database_url else {}),
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.faults.settings",
        "FORMATION_SERVICE_URL": f"http://127.0.0.1:{ports.proxy}",
        "DATABASE_URL": f"{database_url}/portal" if database_url else "",
        "SERVICE_DATABASE_URL": f"{database_url}/formation" if database_url else "",
        "RELAY_WAIT_MS": "0",
        "RELAY_CALLS_PER_SECOND": "1000",
        "LOG_LEVEL": "INFO",
        "DEMO": "false",
    }
    # The site looks for collected files there.
    (folder / "static").mkdir(exist_ok=True)
    import django

    django.setup()
    return ports


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("No free port was found")
