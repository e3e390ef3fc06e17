"""Runs locust beside a cluster, in an environment of its own, and reads what it has found."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..machines.nodes import PROJECT, environment, until
from .promises import Promises

# Where locust is: `make scale` puts it beside the project's own environment, which it would slow down.
PYTHON = os.environ.get("SCALE_PYTHON", sys.executable)
# Whoever has begun an application finishes it.
_FINISH_SECONDS = 600


@dataclass
class Load:
    """People at work. After the block: what they have met."""

    folder: Path
    troubles: list[str] = field(default_factory=list)
    failures: list[list[Any]] = field(default_factory=list)
    requests: int = 0
    saves: int = 0
    repeated: int = 0
    done: int = 0

    @property
    def promises(self) -> Promises:
        return Promises(self.folder / "promises")

    def samples(self) -> list[tuple[float, float]]:
        """When each answered request ended (a time in seconds), and how long it took in ms."""
        lines = (line.split() for line in (self.folder / "samples").read_text().splitlines())
        return [(float(at), float(took)) for at, _, took, status in lines if status not in ("0", "None")]


@contextmanager
def people(
    folder: Path,
    address: str,
    *,
    products: Sequence[str],
    customers: int,
    agents: int,
    pauses: tuple[float, float] = (0.5, 2.0),
    pace: float = 0.0,
    asks_every: int = 4,
) -> Iterator[Load]:
    """They work while the block lasts, `pace` seconds before each page, and then finish what they have begun."""
    load = Load(folder)
    asked = {
        "folder": str(folder),
        "products": list(products),
        "customers": customers,
        "agents": agents,
        "pauses": pauses,
        "pace": pace,
        "asks_every": asks_every,
    }
    command = [
        PYTHON,
        "-m",
        "locust",
        "-f",
        "tests/campaigns/scale/load/locustfile.py",
        "--headless",
        "--host",
        address,
    ]
    command += ["-u", str(customers + agents), "-r", "2", "--stop-timeout", str(_FINISH_SECONDS), "--reset-stats"]
    env = environment({"SCALE_LOAD": json.dumps(asked), "PYTHONPATH": str(PROJECT)})
    with (folder / "locust.log").open("ab") as log:
        locust = subprocess.Popen(command, cwd=PROJECT, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        until(lambda: locust.poll() is not None or load.promises.path.exists(), "somebody has submitted", seconds=300)
        assert locust.poll() is None, (folder / "locust.log").read_text()[-3000:]
        yield load
        locust.send_signal(signal.SIGTERM)
        locust.wait(_FINISH_SECONDS + 60)
    finally:
        locust.kill()
        locust.wait()
    for name, value in json.loads((folder / "load.json").read_text()).items():
        setattr(load, name, value)
