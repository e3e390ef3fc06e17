"""What a call costs: processor time, and against the signed-in page that does nothing, asked for in turns with it: a
machine that is faster now and slower then is so for both. And how the pages of an answer are read."""

import gc
import gzip
import re
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client

Call = Callable[[], Any]


class Meter:
    """Measures calls so many times each; every call must succeed."""

    def __init__(self, client: Client, rounds: int) -> None:
        self.rounds = rounds
        self.nothing = partial(client.get, "/nothing/")

    def cost(self, call: Call, rounds: int) -> float:
        for _ in range(2):
            answer = call()
            assert answer.status_code < 400, answer.status_code
        gc.collect()
        return statistics.median(_spent(call) for _ in range(rounds)) * 1000

    def against_nothing(self, call: Call) -> tuple[float, float]:
        """Return what the call costs in ms, and how many times the page that does nothing."""
        return self.in_turns(call, self.nothing)

    def in_turns(self, call: Call, other: Call, *, between: Call = lambda: None) -> tuple[float, float]:
        """Return what the call costs in ms, and against the other, which takes turns with it.

        With a call `between`, both come after it: after a long page any page is slower, as its memory is no longer at
        hand.
        """
        assert max(call().status_code, other().status_code) < 400
        gc.collect()
        spent = []
        for _ in range(self.rounds):
            between()
            first = _spent(call)
            between()
            spent.append((first, _spent(other)))
        return statistics.median(one for one, _ in spent) * 1000, statistics.median(one / two for one, two in spent)

    def p95(self, calls: list[Call]) -> float:
        """Return the 95th percentile in ms of the clock over all calls, each so often, after one that warms up.

        A call may measure a part of itself, and give its seconds beside its answer.
        """
        spent = []
        for call in calls:
            for number in range(self.rounds + 1):
                start = time.perf_counter()
                answer = call()
                took = getattr(answer, "seconds", time.perf_counter() - start)
                assert answer.status_code < 400, answer.status_code
                spent += [took] if number else []
        return p95(spent)


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] * 1000


def _spent(call: Call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def browser_of(user: Any, *, accepts: str = "gzip") -> Client:
    """A signed-in browser, whose pages are packed as a browser takes them."""
    client = Client(headers={"Accept-Encoding": accepts})
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def text_of(answer: Any) -> str:
    """Return the page of an answer, packed or not."""
    is_packed = answer.headers.get("Content-Encoding") == "gzip"
    return str((gzip.decompress(answer.content) if is_packed else answer.content).decode())


def version_of(html: str) -> str:
    found = re.search(r'name="version"[^>]*value="(\d+)"', html)
    return found[1] if found else ""
