"""kill -9 at random moments of a process that saves."""

import json
import os
import random
import signal
import time
from collections.abc import Iterator

from django.db import connections

from . import writing
from .acknowledged import Saved, half_done, lost, save_for_ever
from .crowd import integrity
from .scratch import Result, start

# From before the first connection is open to the middle of some ten saves.
_LONGEST_SECONDS = 0.3


def kills(*, times: int, seed: int) -> Iterator[Result]:
    """Lines for so many kills: what was acknowledged, lost and half done, and what SQLite says after it."""
    writing.prepare()
    dice = random.Random(seed)
    acknowledged, missing, unsound = 0, 0, 0
    for number in range(times):
        connections.close_all()
        saves = _until_killed(seed + number, dice.uniform(0, _LONGEST_SECONDS))
        acknowledged += len(saves)
        missing += len(lost(saves))
        unsound += sum(value != "ok" for _, value in integrity("kill"))
    yield "sqlite_kills", times
    yield "sqlite_kills_acknowledged", acknowledged
    yield "sqlite_kills_lost", missing
    yield "sqlite_kills_half_done", len(half_done())
    yield "sqlite_kills_unsound", unsound


def _until_killed(seed: int, seconds: float) -> list[Saved]:
    """What the process has acknowledged before it was killed."""
    here, there = os.pipe()
    child = start(save_for_ever, seed, there)
    os.close(there)
    time.sleep(seconds)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    with os.fdopen(here) as pipe:
        # A line that was cut off was not said.
        return [json.loads(line) for line in pipe if line.endswith("\n")]
