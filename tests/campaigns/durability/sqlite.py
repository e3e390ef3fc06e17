"""SQLite: what its live connections are set to, many writers on one file, kill -9 at random moments."""

import json
import multiprocessing
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from django.db import connections, transaction

from . import Result
from .writers import Saved, Writer, half_done, lost, save_for_ever

_FORK = multiprocessing.get_context("fork")
_PRAGMAS = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
_PROCESSES = 4
_SAVES = 30
_PATIENCE_SECONDS = 60
# From before the first connection is open to the middle of some ten saves.
_LONGEST_SECONDS = 0.3


def pragmas() -> Iterator[Result]:
    """Journal, synchronous (2: FULL), foreign keys, busy time-out in ms, and how a transaction begins; a line each."""
    for alias in connections:
        for name in _PRAGMAS:
            with connections[alias].cursor() as cursor:
                yield f"sqlite_{alias}_{name}", cursor.execute(f"PRAGMA {name}").fetchone()[0]
        yield f"sqlite_{alias}_transactions", "immediate" if _locks_at_once(alias) else "deferred"


def _locks_at_once(alias: str) -> bool:
    other = sqlite3.connect(connections[alias].settings_dict["NAME"], timeout=0, isolation_level=None)
    try:
        with transaction.atomic(using=alias):
            other.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    finally:
        other.close()
    return False


def syncs() -> Iterator[Result]:
    """How often a writer has made SQLite wait for the disk, against what it has acknowledged by then.

    kill -9 alone would not show it, since the kernel keeps what was written.
    """
    if shutil.which("strace") is None:
        yield "sqlite_syncs", "not run: strace is not installed"
        return
    pipe, child_end = os.pipe()
    go = _FORK.Event()
    writer = _start(_commit_when_told, go, child_end)
    os.close(child_end)
    with tempfile.NamedTemporaryFile("r") as log:
        command = ["strace", "-f", "-e", "trace=fdatasync", "-o", log.name, "-p", str(writer.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            assert tracer.stderr is not None
            # strace says that it has attached.
            tracer.stderr.readline()
            go.set()
            acknowledged, until = b"", time.monotonic() + _PATIENCE_SECONDS
            while acknowledged.count(b"\n") < _SAVES and time.monotonic() < until:
                acknowledged += os.read(pipe, 65_536)
            os.close(pipe)
            writer.kill()
            writer.join()
            tracer.wait(_PATIENCE_SECONDS)
        calls = Path(log.name).read_text().count("fdatasync(")
    yield "sqlite_acknowledged_under_strace", acknowledged.count(b"\n")
    yield "sqlite_syncs", calls


def _commit_when_told(go: Any, pipe: int) -> None:
    go.wait()
    save_for_ever(0, pipe)


def crowd(*, writes: int, seed: int) -> Iterator[Result]:
    """Lines for so many writes from four processes: how many failed, how long they took, and what SQLite finds."""
    began = time.monotonic()
    here, there = _FORK.Pipe(duplex=False)
    share = -(-writes // _PROCESSES)
    children = [_start(_write, seed + number, share, there) for number in range(_PROCESSES)]
    there.close()
    reports = [here.recv() for _ in children]
    for child in children:
        child.join()
    seconds = time.monotonic() - began
    spent = sorted(one for report in reports for one in report["spent"])
    yield "sqlite_writes", sum(report["writes"] for report in reports)
    yield "sqlite_writes_locked", sum(report["locked"] for report in reports)
    yield "sqlite_calls_not_done", sum(report["not_done"] for report in reports)
    yield "sqlite_writes_seconds", round(seconds, 1)
    yield "sqlite_write_p99_ms", round(spent[int(len(spent) * 0.99)] * 1000)
    yield "sqlite_write_slowest_ms", round(spent[-1] * 1000)
    yield from _integrity("writes")


def _write(seed: int, share: int, answer: Any) -> None:
    writer = Writer(seed)
    writer.work(share)
    answer.send({name: getattr(writer, name) for name in ("writes", "locked", "not_done", "spent")})
    connections.close_all()


def kills(*, times: int, seed: int) -> Iterator[Result]:
    """Lines for so many kills: what was acknowledged, lost and half done, and what SQLite says after it."""
    dice = random.Random(seed)
    acknowledged, missing, unsound = 0, 0, 0
    for number in range(times):
        saves = _until_killed(seed + number, dice.uniform(0, _LONGEST_SECONDS))
        acknowledged += len(saves)
        missing += len(lost(saves))
        unsound += sum(value != "ok" for _, value in _integrity("kill"))
    yield "sqlite_kills", times
    yield "sqlite_kills_acknowledged", acknowledged
    yield "sqlite_kills_lost", missing
    yield "sqlite_kills_half_done", len(half_done())
    yield "sqlite_kills_unsound", unsound


def _until_killed(seed: int, seconds: float) -> list[Saved]:
    """Return what the process has acknowledged before it was killed."""
    here, there = os.pipe()
    child = _start(save_for_ever, seed, there)
    os.close(there)
    time.sleep(seconds)
    child.kill()
    child.join()
    with os.fdopen(here) as pipe:
        # A line that was cut off was not said.
        return [json.loads(line) for line in pipe if line.endswith("\n")]


def _integrity(after: str) -> Iterator[Result]:
    for alias in connections:
        with connections[alias].cursor() as cursor:
            yield f"sqlite_{alias}_integrity_after_{after}", cursor.execute("PRAGMA integrity_check").fetchone()[0]


def _start(work: Callable[..., None], *arguments: Any) -> ForkProcess:
    connections.close_all()
    child = _FORK.Process(target=work, args=arguments)
    child.start()
    return child
