"""Counts for `/metrics` (management/metrics.py): requests, calls to the formation service and the sandbox's refusals.

Several processes answer at one address, and a scrape reaches one of them. So each writes its numbers into a file of its
own (prometheus-client's multiprocess mode, METRICS_DIR), and whichever is asked adds them up. With a label for the
process a scrape would show one of them at random, and hide the others until the next.

Labels are names of routes, methods, statuses and kinds of errors: a bounded number, and nobody's name.
"""

import contextlib
import os
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

# What prometheus-client looks for in the environment when it is imported; the settings put it there.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"

_registry = CollectorRegistry()
_requests = Counter("formation_requests", "Requests.", ["route", "method", "status"], registry=_registry)
_request_seconds = Histogram(
    "formation_request_seconds",
    "Seconds until a request was answered.",
    ["route", "method"],
    buckets=(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=_registry,
)
_call_seconds = Histogram(
    "formation_service_call_seconds",
    "Seconds that calls to the formation service took.",
    ["method", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60),
    registry=_registry,
)
_unlisted_calls = Counter(
    "formation_sandbox_unlisted_calls",
    "System calls of the sandbox that are not on its list, and were refused.",
    ["call"],
    registry=_registry,
)
# Linux has fewer calls; a hostile file could make up any number.
_MAX_CALL = 600


# Finding a label's numbers takes longer than adding to them.
@lru_cache(maxsize=4096)
def _of_requests(route: str, method: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(route, method, str(status)), _request_seconds.labels(route, method)


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count an answered request."""
    if settings.METRICS_TOKEN:
        requests, spent = _of_requests(route, method, status)
        requests.inc()
        spent.observe(seconds)


def count_call(method: str, outcome: str, seconds: float) -> None:
    """Count a call to the formation service: "ok", or the kind of its error (gateway/errors.py)."""
    if settings.METRICS_TOKEN:
        _call_seconds.labels(method, outcome).observe(seconds)


def count_unlisted_call(number: int, count: int) -> None:
    """Count system calls of the sandbox that are not on its list (documents/system_calls.py)."""
    if settings.METRICS_TOKEN:
        _unlisted_calls.labels(str(number) if 0 <= number < _MAX_CALL else "none").inc(count)


def all_processes() -> CollectorRegistry:
    """A registry with what all processes of this machine have counted, to which more can be added."""
    registry = CollectorRegistry()
    if FOLDER in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(_registry)
    return registry


def forget_ended_processes() -> None:
    """Remove the files of processes that have ended. Before the start: while others run, their counts would fall."""
    for file in Path(os.environ.get(FOLDER, "")).glob("*.db") if FOLDER in os.environ else ():
        pid = file.stem.rpartition("_")[2]
        with contextlib.suppress(PermissionError):  # it lives, and is somebody else's
            try:
                os.kill(int(pid), 0)
            except (ProcessLookupError, ValueError):
                file.unlink(missing_ok=True)
