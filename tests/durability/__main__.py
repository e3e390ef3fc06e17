"""`python -m tests.durability`: every figure, a line each; ends with 1 where something acknowledged was lost.

With `sqlite` or `postgres` only that part, with `--small` as much as the tests do, with `--seed` the same dice again.
"""

import argparse
import random
import sys
from collections.abc import Iterator

from .scratch import Figure, portal


def main() -> None:
    """Print the lines as they come."""
    parser = argparse.ArgumentParser(prog="python -m tests.durability")
    parser.add_argument("part", nargs="?", choices=["sqlite", "postgres"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    sys.stdout.write(f"seed {chosen.seed}\n")
    for name, value in _sqlite(small=chosen.small, seed=chosen.seed):
        sys.stdout.write(f"{name} {value}\n")
        sys.stdout.flush()


def _sqlite(*, small: bool, seed: int) -> Iterator[Figure]:
    with portal():
        from .crowd import crowd
        from .kills import kills
        from .pragmas import read_back

        yield from read_back()
        yield from crowd(writes=1_000 if small else 10_000, seed=seed)
        yield from kills(times=20 if small else 200, seed=seed)


main()
