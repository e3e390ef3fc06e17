"""Kills, outages and a rolling restart under load: what failed, and whether all that people were told is there."""

import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.campaigns.crowd import Crowd
from tests.waiting import wait_until

from . import cluster, disturbances
from .people import crowd_at
from .promises import Promises
from .results import Result

KILL_MINUTES = 10.0
_A_MINUTE = 60.0
_AWAY_SECONDS = 15.0
_BETWEEN_SECONDS = 20.0
_FIRST_SECONDS = 300
PRODUCTS = ("bvi-limited-company", "ch-foundation", "delaware-llc", "irish-limited", "gmbh-zug", "singapore-pte-ltd")


def kills(folder: Path, asked: Namespace) -> Iterator[Result]:
    """A web node and a node of workers each minute."""
    times = round(asked.minutes or KILL_MINUTES)

    def disturb(running: cluster.Cluster) -> int:
        return disturbances.kill_nodes(running, times=times, every=_A_MINUTE, seed=asked.seed)

    yield from _measured("kills", folder, asked, disturb)


def outages(folder: Path, asked: Namespace) -> Iterator[Result]:
    """Storage, cache and database, one after the other. What is away can't be used: pages may say so meanwhile, but
    nothing is lost, and all goes on by itself."""

    def disturb(running: cluster.Cluster) -> int:
        for take_away in disturbances.OUTAGES:
            take_away(running, seconds=_AWAY_SECONDS)
            time.sleep(_BETWEEN_SECONDS)
        return len(disturbances.OUTAGES)

    yield from _measured("outages", folder, asked, disturb, may_fail=True)


def restart(folder: Path, asked: Namespace) -> Iterator[Result]:

    def disturb(running: cluster.Cluster) -> int:
        running.rolling_restart()
        time.sleep(_BETWEEN_SECONDS)
        return len(running.web) + len(running.workers)

    yield from _measured("restart", folder, asked, disturb)


@contextmanager
def at_work(running: cluster.Cluster, *, customers: int, agents: int, **more: Any) -> Iterator[Crowd]:
    """People work on a cluster; the block begins when somebody has submitted, and ends when all have finished."""
    running.run("tests.campaigns.scale.preparing", str(customers), str(agents))
    promises = Promises(running.folder / "promises")
    with crowd_at(running.address, promises, customers=customers, agents=agents, **more) as crowd:
        wait_until(lambda: promises.path.exists() or crowd.troubles, _FIRST_SECONDS, "somebody has submitted")
        yield crowd


def compared(running: cluster.Cluster) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(running.run("tests.campaigns.scale.comparing", str(running.folder / "promises")))
    return found


def kept(part: str, found: dict[str, Any]) -> Iterator[Result]:
    for number in ("lost", "doubled", "files_lost", "stuck"):
        yield Result(f"{part}_{number}", found[number], most=0, said=found["sentences"])


def _measured(
    name: str,
    folder: Path,
    asked: Namespace,
    disturb: Callable[[cluster.Cluster], int],
    *,
    may_fail: bool = False,
) -> Iterator[Result]:
    with cluster.running(folder=folder, durable=True) as running:
        with at_work(running, products=PRODUCTS, customers=asked.customers, agents=asked.agents) as crowd:
            times = disturb(running)
        found = compared(running)
        ended = running.faults()
    failures: list[str] = crowd.total("failures")
    posts = [failure for failure in failures if " POST " in failure]
    most = None if may_fail else 0
    yield Result(f"{name}_disturbances", times)
    yield Result(f"{name}_requests", crowd.total("requests"))
    yield Result(f"{name}_saves", crowd.total("saves"))
    yield Result(f"{name}_repeated_by_script", crowd.total("repeated"))
    yield Result(f"{name}_failed_saves", len(posts), most=most, said=posts)
    yield Result(f"{name}_failed_pages", len(failures) - len(posts), most=most, said=failures)
    yield Result(f"{name}_unfinished", len(crowd.troubles), most=0, said=crowd.troubles)
    yield Result(f"{name}_applications", found["applications"], least=1)
    yield Result(f"{name}_decisions", found["decisions"])
    yield from kept(name, found)
    yield Result(f"{name}_processes_that_gave_up", len(ended), most=0, said=ended)
