"""`python -m tests.campaigns.durability`: every figure, a line each.

With `sqlite` or `postgres` only that part, with `--small` as much as the tests do, with `--seed` the same dice again.
Without PostgreSQL's server programs that part says "not run".
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator

from tests.scratch_postgres import server_programs

from .scratch import Result, portal

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
    _say("seed", chosen.seed)
    measure = _sqlite if chosen.part == "sqlite" else _postgres
    for name, value in measure(small=chosen.small, seed=chosen.seed):
        _say(name, value)


def _say(name: str, value: object) -> None:
    sys.stdout.write(f"{name} {value}\n")
    sys.stdout.flush()


def _sqlite(*, small: bool, seed: int) -> Iterator[Result]:
    with portal():
        from .crowd import crowd
        from .kills import kills
        from .pragmas import read_back
        from .syncs import syncs

        yield from read_back()
        yield from syncs()
        yield from crowd(writes=1_000 if small else 10_000, seed=seed)
        yield from kills(times=20 if small else 200, seed=seed)


def _postgres(*, small: bool, seed: int) -> Iterator[Result]:
    if server_programs() is None:
        yield "postgres", "not run: PostgreSQL is not installed"
        return
    from .postmaster import killed_postmasters

    yield from killed_postmasters(times=2 if small else 20, seed=seed)


main()
