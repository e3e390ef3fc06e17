"""Faults on purpose, for tests only: which call meets which fault, by a seed, and what each fault does to a call.

The plan knows nothing of this service, so that another one can be tested by it as well. `SERVICE_FAULTS` in the
settings is None, or `{"seed", "ledger", "each"}`, and then `TESTING` must be true. The environment can set neither.
"""

import fcntl
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TextIO

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from formation_portal.service.problems import ApiError

ENDPOINTS = ("entities", "csp-data", "parties", "share-classes", "shareholdings", "documents")

ERROR_BEFORE = "error_before"  # 500, and nothing is done
ERROR_AFTER = "error_after"  # 500, after the work is committed
TOO_MANY = "too_many"  # 429 with Retry-After, and nothing is done
BROKEN_JSON = "broken_json"  # done, and answered with half a JSON document
KILLED = "killed"  # the process kills itself, by turns before and after the work is committed
KINDS = (ERROR_BEFORE, ERROR_AFTER, TOO_MANY, BROKEN_JSON, KILLED)


class FaultPlan:
    """For each endpoint a shuffled sequence of calls: each kind `each` times, and as many calls without a fault.

    Every fault is written into `ledger` before it takes effect, as one line `{"endpoint", "kind", "key"}`. A process
    that starts anew, or another one beside it, goes on where the ledger ends.
    """

    def __init__(self, *, seed: int, ledger: Path, each: int, kinds: tuple[str, ...] = KINDS) -> None:
        self._seed, self._ledger, self._each, self._kinds = seed, ledger, each, kinds
        self._sequences: dict[str, list[str | None]] = {}
        self._places: Counter[str] = Counter()
        self._lock = threading.Lock()

    def draw(self, endpoint: str, key: str) -> str | None:
        """The fault for the endpoint's next call, or None. `key` is the call's Idempotency-Key, "" if it has none.

        What has had a fault goes well from then on: a repeat with the same key draws none.
        """
        with self._lock, self._opened() as ledger:
            given = [json.loads(line) for line in ledger]
            if key and any(fault["key"] == key for fault in given):
                return None
            kind = self._next(endpoint, sum(fault["endpoint"] == endpoint for fault in given))
            if kind is not None:
                ledger.write(json.dumps({"endpoint": endpoint, "kind": kind, "key": key}) + "\n")
                ledger.flush()
            return kind

    def kills_before(self, endpoint: str) -> bool:
        """Whether the newest kill at the endpoint strikes before the work is committed; they do by turns."""
        with self._lock, self._opened() as ledger:
            given = [json.loads(line) for line in ledger]
        kills = sum(fault["endpoint"] == endpoint and fault["kind"] == KILLED for fault in given)
        # Neighbours begin with different turns, so that a plan with one kill an endpoint has both.
        first = ENDPOINTS.index(endpoint) if endpoint in ENDPOINTS else 0
        return bool((first + kills) % 2)

    def _next(self, endpoint: str, given: int) -> str | None:
        """The endpoint's next call, of which the ledger holds `given` faults."""
        if endpoint not in self._sequences:
            faults: list[str | None] = [*self._kinds * self._each]
            self._sequences[endpoint] = faults + [None] * len(faults)
            random = Random(f"{self._seed}/{endpoint}")  # noqa: S311  # reproducible, not secret
            random.shuffle(self._sequences[endpoint])
        calls = self._sequences[endpoint]
        places = [place for place, kind in enumerate(calls) if kind is not None]
        place = max(self._places[endpoint], places[given - 1] + 1 if given else 0)
        self._places[endpoint] = place + 1
        return calls[place] if place < len(calls) else None

    def _opened(self) -> TextIO:
        """The ledger, for this process alone until it is closed."""
        self._ledger.parent.mkdir(parents=True, exist_ok=True)
        ledger = self._ledger.open("a+", encoding="utf-8")
        fcntl.flock(ledger, fcntl.LOCK_EX)
        ledger.seek(0)
        return ledger


REFUSED = "SERVICE_FAULTS loses calls on purpose: it is for tests, and needs TESTING"

Work = Callable[[], HttpResponse]
Perform = Callable[[HttpRequest, Any, Work], HttpResponseBase]


def with_faults(perform: Perform) -> Perform:
    """`perform`, which does the work and keeps its answer, with the plan's faults around it."""

    def around(request: HttpRequest, key: Any, work: Work) -> HttpResponseBase:
        plan = active_plan()
        steps = request.path.strip("/").split("/")[2:]
        is_documented = request.method == "POST" and (
            steps == ["entities"] or (len(steps) == 3 and steps[0] == "entities")
        )
        endpoint = steps[-1] if is_documented else ""
        if plan is None or endpoint not in ENDPOINTS:
            return perform(request, key, work)
        kind = plan.draw(endpoint, request.headers.get("Idempotency-Key", ""))
        if kind is None:
            return perform(request, key, work)
        if kind == KILLED:
            _kill_during(lambda doing: perform(request, key, doing), work, is_before=plan.kills_before(endpoint))
        elif kind == TOO_MANY:
            raise ApiError("rate_limited", "Not so many at once.", headers={"Retry-After": "1"})
        elif kind != ERROR_BEFORE:
            answer = perform(request, key, work)
            if kind == BROKEN_JSON:
                assert isinstance(answer, HttpResponse)
                half = answer.content[: len(answer.content) // 2]
                return HttpResponse(half, status=201, content_type="application/json")
        raise ApiError("internal_error", "Something went wrong on our side.")

    return around


def active_plan() -> FaultPlan | None:
    """The plan of the settings, None where none is set; raises ImproperlyConfigured outside of tests."""
    refuse_outside_tests()
    said: Mapping[str, Any] | None = settings.SERVICE_FAULTS
    return _cached_plan(said["seed"], Path(said["ledger"]), said["each"]) if said else None


def refuse_outside_tests() -> None:
    """Raises ImproperlyConfigured where a plan is set and the settings are not those of a test."""
    if settings.SERVICE_FAULTS is not None and not settings.TESTING:
        raise ImproperlyConfigured(REFUSED)


def check_faults(**_: Any) -> list[CheckMessage]:
    """The same, as a check of the settings."""
    is_wrong = settings.SERVICE_FAULTS is not None and not settings.TESTING
    return [Error(REFUSED, id="service.E001")] if is_wrong else []


@cache
def _cached_plan(seed: int, ledger: Path, each: int) -> FaultPlan:
    return FaultPlan(seed=seed, ledger=ledger, each=each)


def _kill_during(perform: Callable[[Work], HttpResponseBase], work: Work, *, is_before: bool) -> None:
    """Ends this process as a power cut would: in the middle of the transaction, or as soon as it is committed."""

    def doing() -> HttpResponse:
        try:
            return work()
        finally:
            _kill()

    try:
        perform(doing if is_before else work)
    finally:
        # Where the work was done earlier and only its answer is kept, there is no middle to die in.
        _kill()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
