"""Faults on purpose: which call meets which fault, by a seed.

The plan knows nothing of the embedded service, so that another one can be tested by it as well.
"""

import fcntl
import json
import threading
from collections import Counter
from pathlib import Path
from random import Random
from typing import TextIO

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
            random = Random(f"{self._seed}/{endpoint}")  # reproducible, not secret
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
