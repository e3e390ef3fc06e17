"""An hour of mixed load: whether pages take as long at its end as at its beginning, and processes as much memory."""

import json
import statistics
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.soak.report import sample

from . import cluster
from .disturbed import PRODUCTS, at_work, compared, kept
from .results import Result
from .throughput import percentile

_MINUTES, _A_MINUTE = 60.0, 60.0
# Minutes 5 to 10 are compared with the last five: by then everything has been read once.
_WARM, _WINDOW = 1 / 12, 1 / 12
_EVERY_SECONDS = 5.0
_MOST_PERCENT = 5.0
# Seconds before each page and between applications: far from what the machine can do, so that the queue before it is
# no part of the measurement.
_PACE, _PAUSES = 0.5, (2.0, 6.0)


def measure(folder: Path, asked: Namespace) -> Iterator[Result]:
    """Growth in percent, from the second twelfth to the last."""
    seconds = (asked.minutes or _MINUTES) * _A_MINUTE
    people = {"products": PRODUCTS, "customers": asked.customers, "agents": asked.agents}
    memory = dict[str, list[tuple[float, int]]]()
    with cluster.running(folder=folder, durable=True) as running:
        with at_work(running, **people, pauses=_PAUSES, pace=_PACE) as crowd:
            began = time.time()
            while time.time() < began + seconds:
                for name, pid in _processes(running):
                    memory.setdefault(name, []).append((time.time(), sample(pid).memory))
                time.sleep(_EVERY_SECONDS)
            ended = time.time()
        found = compared(running)
    (folder / "memory.json").write_text(json.dumps(memory))
    first = (began + seconds * _WARM, began + seconds * (_WARM + _WINDOW))
    last = (ended - seconds * _WINDOW, ended)
    times: list[tuple[float, float]] = crowd.total("times")
    yield Result("mixed_minutes", seconds / _A_MINUTE)
    yield Result("mixed_requests", crowd.total("requests"))
    early, late = ([took for at, took in times if a <= at < b] for a, b in (first, last))
    yield Result("mixed_p95_first", percentile(early, 0.95), "ms")
    yield Result("mixed_p95_last", percentile(late, 0.95), "ms")
    yield Result("mixed_p95_growth", _growth(percentile(early, 0.95), percentile(late, 0.95)), "%", most=_MOST_PERCENT)
    for name, sizes in memory.items():
        was, now = (statistics.median(size for at, size in sizes if a <= at < b) for a, b in (first, last))
        yield Result(f"mixed_memory_{name}", now / 1e6, "MB")
        yield Result(f"mixed_memory_growth_{name}", _growth(was, now), "%", most=_MOST_PERCENT)
    failures: list[str] = crowd.total("failures")
    yield Result("mixed_failures", len(failures), most=0, said=failures)
    yield Result("mixed_unfinished", len(crowd.troubles), most=0, said=crowd.troubles)
    yield from kept("mixed", found)


def _processes(running: cluster.Cluster) -> Iterator[tuple[str, int]]:
    for node in running.web:
        for number, pid in enumerate(node.web_processes, 1):
            yield f"{node.name}_{number}", pid
    for worker in running.workers:
        for command, process in zip(worker.commands, worker.processes, strict=True):
            yield f"{worker.name}_{command}", process.pid


def _growth(was: float, now: float) -> float:
    return 100 * (now - was) / max(was, 1e-9)
