"""Kills, outages and a rolling restart under load: what failed, and whether all that people were told is there."""

import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .load.locust_run import Load, people
from .machines import cluster, disturbances
from .results import Result

KILL_MINUTES = 10.0
_A_MINUTE = 60.0
_AWAY_SECONDS = 15.0
_BETWEEN_SECONDS = 20.0
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
        for take_away in disturbances.OUTAGES.values():
            take_away(running, seconds=_AWAY_SECONDS)
            time.sleep(_BETWEEN_SECONDS)
        return len(disturbances.OUTAGES)

    yield from _measured("outages", folder, asked, disturb, may_fail=True)


def restart(folder: Path, asked: Namespace) -> Iterator[Result]:
    """Both web nodes and both nodes of workers, one after the other."""

    def disturb(running: cluster.Cluster) -> int:
        running.rolling_restart()
        time.sleep(_BETWEEN_SECONDS)
        return len(running.web) + len(running.workers)

    yield from _measured("restart", folder, asked, disturb)


def _measured(
    name: str,
    folder: Path,
    asked: Namespace,
    disturb: Callable[[cluster.Cluster], int],
    *,
    may_fail: bool = False,
) -> Iterator[Result]:
    with cluster.running(folder=folder, durable=True) as running:
        running.run(
            "tests.campaigns.scale.preparing", "--customers", str(asked.customers), "--agents", str(asked.agents)
        )
        crowd = people(folder, running.address, products=PRODUCTS, customers=asked.customers, agents=asked.agents)
        with crowd as load:
            times = disturb(running)
        found = json.loads(running.run("tests.campaigns.scale.comparing", str(load.promises.path)))
        ended = running.faults()
    yield Result(f"{name}_disturbances", times)
    yield from _told(name, load, found, most=None if may_fail else 0)
    yield Result(f"{name}_processes_that_gave_up", len(ended), most=0, said=ended)


def _told(name: str, load: Load, found: dict[str, Any], *, most: float | None) -> Iterator[Result]:
    failures = [f"{time.strftime('%H:%M:%S', time.gmtime(at))} {what}: {answer}" for at, what, answer in load.failures]
    posts = [one for one in failures if " POST " in one]
    yield Result(f"{name}_requests", load.requests)
    yield Result(f"{name}_saves", load.saves)
    yield Result(f"{name}_repeated_by_script", load.repeated)
    yield Result(f"{name}_failed_saves", len(posts), most=most, said=posts)
    yield Result(f"{name}_failed_pages", len(failures) - len(posts), most=most, said=failures)
    yield Result(f"{name}_unfinished", len(load.troubles), most=0, said=load.troubles)
    yield Result(f"{name}_applications", found["applications"], least=1)
    yield Result(f"{name}_decisions", found["decisions"])
    for number in ("lost", "doubled", "files_lost", "stuck"):
        yield Result(f"{name}_{number}", found[number], most=0, said=found["sentences"])
