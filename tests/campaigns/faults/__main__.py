"""`make faults`: the relay against a service in trouble, in two modes; figures a line each, exit 1 where it fails.

Each mode runs in a process and a folder of its own, which is gone afterwards unless `--keep` names one.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base_campaign import BaseCampaign
    from .environment import Ports
    from .services import ServiceUnderTest

# Who is killed loses nothing that the system has; only a power cut needs a disk to prove.
_MEMORY = Path("/dev/shm")
# Sentences about what is wrong, at most.
_MOST = 20
MODES = ("with keys", "without keys")


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    if arguments.within:
        return _mode(arguments)
    # Ended in order, nothing of it stays behind: neither folders nor clusters.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    _say(f"seed {seed}")
    codes = [_run(mode, seed, arguments) for mode in ([arguments.mode] if arguments.mode else MODES)]
    return max(codes)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.faults", description=main.__doc__)
    parser.add_argument("--seed", type=int, help="the same seed, the same plan; drawn where it is not given")
    parser.add_argument("--each", type=int, default=8, help="how often each documented POST meets each kind")
    parser.add_argument("--kills", type=int, help="instead of faults: kill -9 of web, worker and service so often each")
    parser.add_argument("--sabotage", help="instead: break the relay in this way, to see which line tells")
    parser.add_argument("--mode", choices=MODES, help="this one only")
    parser.add_argument("--table", action="store_true", help="show faults by endpoint and kind as well")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, in a scratch cluster")
    parser.add_argument("--keep", type=Path, help="leave databases and logs in this folder")
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--database-url", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(mode: str, seed: int, arguments: argparse.Namespace) -> int:
    """One mode, in a process of its own: its settings can be loaded only once."""
    with _folder(arguments, mode) as folder, _database(arguments) as url:
        command = [sys.executable, "-m", "tests.campaigns.faults", *sys.argv[1:], "--mode", mode, "--seed", str(seed)]
        return subprocess.run([*command, "--within", str(folder), "--database-url", url], check=False).returncode


@contextlib.contextmanager
def _folder(arguments: argparse.Namespace, mode: str) -> Iterator[Path]:
    if arguments.keep:
        folder = arguments.keep / mode.replace(" ", "-")
        folder.mkdir(parents=True)
        yield folder
    else:
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="faults-", dir=memory) as made:
            yield Path(made)


@contextlib.contextmanager
def _database(arguments: argparse.Namespace) -> Iterator[str]:
    """The URL of a server of its own, or nothing for SQLite."""
    if not arguments.postgres:
        yield ""
        return
    import psycopg

    from tests.scratch_postgres import scratch_cluster

    with scratch_cluster(durable=True) as url:
        with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
            for name in ("portal", "formation"):
                connection.execute(f"CREATE DATABASE {name}")
        yield url


def _mode(arguments: argparse.Namespace) -> int:
    from .environment import set_up

    ports = set_up(arguments.within, database_url=arguments.database_url)
    from .fault_counts import table
    from .services import SERVICES

    (make,) = [make(arguments.within) for make in SERVICES if make.name == arguments.mode]
    result = _stage(arguments, make, ports).run()
    for line in (
        arguments.mode,
        *result.lines(kills=bool(arguments.kills)),
        *(table(result.faults) if arguments.table else ()),
    ):
        _say(line)
    broken = result.broken(may_hold=not make.capabilities.honours_keys)
    for sentence in (*broken[:_MOST], *([f"and {len(broken) - _MOST} more"] if len(broken) > _MOST else [])):
        sys.stderr.write(f"{sentence}\n")
    return 1 if broken else 0


def _stage(arguments: argparse.Namespace, make: "ServiceUnderTest", ports: "Ports") -> "BaseCampaign":
    if arguments.sabotage:
        from .sabotage import SABOTAGES, Sabotaged
        from .services import WithoutKeys

        assert isinstance(make, WithoutKeys)
        return Sabotaged(make, ports, seed=arguments.seed, sabotage=SABOTAGES[arguments.sabotage])
    if arguments.kills:
        from .kills import Kills

        return Kills(make, ports, seed=arguments.seed, times=arguments.kills)
    from .campaign import Campaign

    return Campaign(make, ports, seed=arguments.seed, each=arguments.each)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
