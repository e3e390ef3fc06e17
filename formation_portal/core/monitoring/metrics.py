"""Count requests, and calls to the formation service, for `/metrics`. Each process counts in its own file
(prometheus-client's multiprocess mode). The number of labels is bounded, and no label names a person."""

import contextlib
import os
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

# prometheus-client reads this environment variable when it is imported. The settings set it.
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
# The largest number of a system call that becomes a label: a hostile file could invent any number.
_MAX_CALL = 600


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    if settings.METRICS_TOKEN:
        _requests.labels(route, method, str(status)).inc()
        _request_seconds.labels(route, method).observe(seconds)


def count_call(method: str, outcome: str, seconds: float) -> None:
    """Count a call to the formation service. The outcome is "ok" or the type of an error."""
    if settings.METRICS_TOKEN:
        _call_seconds.labels(method, outcome).observe(seconds)


def count_unlisted_call(number: int, count: int) -> None:
    if settings.METRICS_TOKEN:
        _unlisted_calls.labels(str(number) if 0 <= number < _MAX_CALL else "none").inc(count)


def all_processes() -> CollectorRegistry:
    registry = CollectorRegistry()
    if FOLDER in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(_registry)
    return registry


def forget_ended_processes() -> None:
    """Delete the files of ended processes. Call this only at the start: counts must not fall while processes run."""
    if FOLDER not in os.environ:
        return
    for file in Path(os.environ[FOLDER]).glob("*.db"):
        pid = file.stem.rpartition("_")[2]
        # A PermissionError means that the process runs and belongs to another user.
        with contextlib.suppress(PermissionError):
            try:
                os.kill(int(pid), 0)
            except (ProcessLookupError, ValueError):
                file.unlink(missing_ok=True)
