"""Many processes that write to one database file at the same time."""

import time
from collections.abc import Iterator
from typing import Any

from django.db import connections

from . import writing
from .scratch import FORK, Result, start

_PROCESSES = 4


def crowd(*, writes: int, seed: int) -> Iterator[Result]:
    """Lines for so many writes from four processes: how many failed, how long they took, and what SQLite finds."""
    writing.prepare()
    connections.close_all()
    began = time.monotonic()
    here, there = FORK.Pipe(duplex=False)
    share = -(-writes // _PROCESSES)
    children = [start(_write, seed + number, share, there) for number in range(_PROCESSES)]
    there.close()
    reports = [here.recv() for _ in children]
    for child in children:
        child.join()
    seconds = time.monotonic() - began
    spent = sorted(one for each in reports for one in each["spent"])
    yield "sqlite_writes", sum(each["writes"] for each in reports)
    yield "sqlite_writes_locked", sum(each["locked"] for each in reports)
    yield "sqlite_calls_not_done", sum(each["not_done"] for each in reports)
    yield "sqlite_writes_seconds", round(seconds, 1)
    yield "sqlite_write_p99_ms", round(spent[int(len(spent) * 0.99)] * 1000)
    yield "sqlite_write_slowest_ms", round(spent[-1] * 1000)
    yield from integrity("writes")


def integrity(after: str) -> Iterator[Result]:
    """SQLite's own check of both files, a line each."""
    for alias in connections:
        with connections[alias].cursor() as cursor:
            yield f"sqlite_{alias}_integrity_after_{after}", cursor.execute("PRAGMA integrity_check").fetchone()[0]


def _write(seed: int, share: int, answer: Any) -> None:
    writer = writing.Writer(seed)
    writer.work(share)
    answer.send({name: getattr(writer, name) for name in ("writes", "locked", "not_done", "spent")})
    connections.close_all()
