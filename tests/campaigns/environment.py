"""A portal in a folder of its own: its ports and its environment, set before anything of Django is loaded."""

import os
import random
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

# Below the ports that the system gives to whoever connects, so that one that is shut for a moment stays ours.
_PORTS = range(20_000, int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0]))


def free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("No free port was found")


@dataclass(frozen=True, slots=True)
class Ports:
    proxy: int = field(default_factory=free_port)
    service: int = field(default_factory=free_port)
    web: int = field(default_factory=free_port)


@contextmanager
def scratch_folder(prefix: str, *, keep: Path | None = None, beside: Path | None = None) -> Iterator[Path]:
    """A folder that is gone afterwards, made in `beside`; or `keep`, which is new and stays."""
    if keep:
        keep.mkdir(parents=True)
        yield keep.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix=f"{prefix}-", dir=beside) as folder:
            yield Path(folder)


def operators_command(module: str, *arguments: str) -> list[str]:
    """The command that runs `main` of a module of ours once Django is loaded, by the settings of its environment."""
    return [sys.executable, "-m", "tests.campaigns.operator", module, *arguments]


def load_django(folder: Path, settings: str, **more: str) -> None:
    """Load Django with settings of a campaign's own; everything it writes is in the folder."""
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": settings, **more}
    # The site looks for collected files there.
    (folder / "static").mkdir(exist_ok=True)
    import django

    django.setup()
