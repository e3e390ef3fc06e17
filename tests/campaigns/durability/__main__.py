"""`python -m tests.campaigns.durability`: every figure, a line each.

With `sqlite` or `postgres` only that part, with `--small` as much as the tests do, with `--seed` the same dice again.
Without PostgreSQL's server programs that part says "not run".
"""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.campaigns.durability import Result
from tests.campaigns.environment import load_django, scratch_folder
from tests.scratch_postgres import KEYS, running_cluster, server_programs

_PARTS = ("sqlite", "postgres")


def main() -> None:
    """Print the lines as they come. Each part needs a process of its own, since Django is set up once in each."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.durability")
    parser.add_argument("part", nargs="?", choices=_PARTS)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    if chosen.part is None:
        more = ["--small"] if chosen.small else []
        command = [sys.executable, "-m", "tests.campaigns.durability", *more, "--seed", str(chosen.seed)]
        sys.exit(max(subprocess.run([*command, part], check=False).returncode for part in _PARTS))
    sys.stdout.write(f"seed {chosen.seed}\n")
    measure = _sqlite if chosen.part == "sqlite" else _postgres
    for name, value in measure(small=chosen.small, seed=chosen.seed):
        sys.stdout.write(f"{name} {value}\n")
        sys.stdout.flush()


def _sqlite(*, small: bool, seed: int) -> Iterator[Result]:
    with _portal():
        from .sqlite import crowd, kills, pragmas, syncs

        yield from pragmas()
        yield from syncs()
        yield from crowd(writes=1_000 if small else 10_000, seed=seed)
        yield from kills(times=20 if small else 200, seed=seed)


def _postgres(*, small: bool, seed: int) -> Iterator[Result]:
    if server_programs() is None:
        yield "postgres", "not run: PostgreSQL is not installed"
        return
    with (
        running_cluster(durable=True) as cluster,
        _portal(**cluster.make_databases(), **KEYS, HURRIED="yes") as folder,
    ):
        from .postgres import killed_postmasters

        yield from killed_postmasters(cluster, folder, times=2 if small else 20, seed=seed)


@contextmanager
def _portal(**more: str) -> Iterator[Path]:
    """Set up Django in an empty folder, with everything that `manage.py setup_portal` makes. Once a process."""
    with scratch_folder("durability") as folder:
        # How fast the relay may call is another campaign's matter.
        more |= {"RELAY_WAIT_MS": "0", "RELAY_CALLS_PER_SECOND": "100000", "LOG_LEVEL": "CRITICAL"}
        load_django(folder, "tests.campaigns.durability.settings", **more)
        from django.core.management import call_command
        from django.db import connections
        from django.urls import get_resolver

        from formation_portal.service.catalog.loader import store_catalog
        from tests import factories

        call_command("setup_portal", verbosity=0, stdout=open(os.devnull, "w"))  # noqa: SIM115, PTH123
        # Loaded before any fork, instead of in each child.
        assert get_resolver().url_patterns
        store_catalog([factories.ITEM])
        connections.close_all()
        yield folder
        connections.close_all()


main()
