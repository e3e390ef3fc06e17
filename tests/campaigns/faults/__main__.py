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
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.environment import Ports, load_django, scratch_folder
from tests.scratch_postgres import KEYS, running_cluster

# Who is killed loses nothing that the system has; only a power cut needs a disk to prove.
_MEMORY = Path("/dev/shm")
# Sentences about what is wrong, at most.
_MOST = 20
MODES = ("with keys", "without keys")
# Seconds, scaled like the relay's own; a call ends long before a lease, which is three seconds.
_TIMES = {"CONNECT_TIMEOUT": "0.25", "READ_TIMEOUT": "0.4", "CALL_TIMEOUT": "0.5", "UPLOAD_TIMEOUT": "0.5"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.faults", description=__doc__)
    parser.add_argument("--seed", type=int, help="the same seed, the same plan; drawn where it is not given")
    parser.add_argument("--each", type=int, default=8, help="how often each documented POST meets each kind")
    parser.add_argument("--kills", type=int, help="instead of faults: kill -9 of web, worker and service so often each")
    parser.add_argument("--mode", choices=MODES, help="this one only")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, in a scratch cluster")
    parser.add_argument("--keep", type=Path, help="leave databases and logs in this folder")
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--database-url", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.within:
        return _mode(arguments)
    # Ended in order, nothing of it stays behind: neither folders nor clusters.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(10**6)
    _say(f"seed {arguments.seed}")
    return max(_run(mode, arguments) for mode in ([arguments.mode] if arguments.mode else MODES))


def _run(mode: str, arguments: argparse.Namespace) -> int:
    """One mode, in a process of its own: its settings can be loaded only once."""
    keep = arguments.keep / mode.replace(" ", "-") if arguments.keep else None
    beside = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with scratch_folder("faults", keep=keep, beside=beside) as folder, _database(arguments) as url:
        command = [sys.executable, "-m", "tests.campaigns.faults", *sys.argv[1:], "--mode", mode]
        command += ["--seed", str(arguments.seed), "--within", str(folder), "--database-url", url]
        return subprocess.run(command, check=False).returncode


@contextlib.contextmanager
def _database(arguments: argparse.Namespace) -> Iterator[str]:
    if not arguments.postgres:
        yield ""
        return
    with running_cluster(durable=True) as cluster:
        cluster.make_databases()
        yield cluster.url


def _mode(arguments: argparse.Namespace) -> int:
    ports, url = Ports(), arguments.database_url
    load_django(
        arguments.within,
        "tests.campaigns.faults.settings",
        **_TIMES,
        **(KEYS if url else {}),
        FORMATION_SERVICE_URL=f"http://127.0.0.1:{ports.proxy}",
        DATABASE_URL=f"{url}/portal" if url else "",
        SERVICE_DATABASE_URL=f"{url}/service" if url else "",
        RELAY_WAIT_MS="0",
        RELAY_CALLS_PER_SECOND="1000",
        LOG_LEVEL="INFO",
        DEMO="false",
    )
    from .campaigns import Campaign, FaultCampaign, KillCampaign
    from .services import SERVICES

    (make,) = [make(arguments.within) for make in SERVICES if make.name == arguments.mode]
    campaign: Campaign
    if arguments.kills:
        campaign = KillCampaign(make, ports, seed=arguments.seed, times=arguments.kills)
    else:
        campaign = FaultCampaign(make, ports, seed=arguments.seed, each=arguments.each)
    result = campaign.run()
    for line in [arguments.mode, *result.lines(kills=bool(arguments.kills))]:
        _say(line)
    broken = result.broken(may_hold=not make.capabilities.honours_keys)
    for sentence in (*broken[:_MOST], *([f"and {len(broken) - _MOST} more"] if len(broken) > _MOST else [])):
        sys.stderr.write(f"{sentence}\n")
    return 1 if broken else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
