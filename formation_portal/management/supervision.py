"""The processes of a running portal: the web server and one relay worker, started, watched and ended together.

Children are forked from this process, which has loaded everything by then: nothing is read twice, and what nobody
changes stays in memory once. Each leads a process group of its own, so that Ctrl-C reaches this process alone and the
children are ended in order: the web server, which finishes what it is answering, then the worker, which finishes its
call.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkProcess
from types import FrameType

Say = Callable[[str], None]

# Longer than the web server's own patience with answers under way.
_PATIENCE_SECONDS = 15.0
_LOOK_SECONDS = 0.1
# A worker that dies at once, again and again, is started this often at most.
_PAUSE_SECONDS = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# linux/prctl.h
_SET_PARENT_DEATH_SIGNAL = 1
_FORK = multiprocessing.get_context("fork")


class Child:
    """One process with the name that people read, and the work that it does until it is told to end."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.name = name
        self._work = work
        self._process: ForkProcess | None = None
        self._started_at = 0.0

    def start(self) -> None:
        """Fork it. Nothing that belongs to one process only, such as a database connection, may be open."""
        self._started_at = time.monotonic()
        self._process = _FORK.Process(target=_lead, args=(self._work,), name=self.name)
        self._process.start()

    @property
    def exit_code(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.exitcode if self._process else None

    @property
    def may_start_again(self) -> bool:
        """Whether its last start is long enough ago."""
        return time.monotonic() - self._started_at >= _PAUSE_SECONDS

    def end(self) -> None:
        """Ask it to end; insist where it doesn't."""
        if self._process is None or self.exit_code is not None:
            return
        self._process.terminate()
        self._process.join(_PATIENCE_SECONDS)
        if self.exit_code is None:
            self._process.kill()
            self._process.join()


def _lead(work: Callable[[], None]) -> None:
    os.setpgid(0, 0)
    _end_with_parent()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    work()


def _end_with_parent() -> None:
    """Where the system can do it (Linux), end also when this process is killed without a word, or crashes."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


@dataclass
class Supervision:
    """Runs both until a signal ends them.

    A worker that dies is started again: what it had in hand is settled by evidence. Without the web server there is
    nothing to keep up.
    """

    web: Child
    worker: Child
    is_ready: Callable[[], bool]
    on_ready: Callable[[], None]
    say: Say
    _has_announced: bool = False
    _has_complained: bool = False

    def run(self) -> int:
        """The exit code: 0 after Ctrl-C or SIGTERM, 1 where the web server died."""
        stopping = _stopping()
        self.web.start()
        self.worker.start()
        try:
            while not stopping.wait(_LOOK_SECONDS):
                if self.web.exit_code is not None:
                    self.say(f"The {self.web.name} ended by itself (exit code {self.web.exit_code}). Ending the rest.")
                    return 1
                self._look_at_worker()
                self._look_at_web()
            return 0
        finally:
            self.web.end()
            self.worker.end()

    def _look_at_worker(self) -> None:
        if self.worker.exit_code is None:
            self._has_complained = False
            return
        if not self._has_complained:
            self.say(f"The {self.worker.name} ended by itself (exit code {self.worker.exit_code}). Starting it again.")
            self._has_complained = True
        if self.worker.may_start_again:
            self.worker.start()

    def _look_at_web(self) -> None:
        if not self._has_announced and self.is_ready():
            self._has_announced = True
            self.on_ready()


def _stopping() -> threading.Event:
    """Set by Ctrl-C and by SIGTERM."""
    event = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        event.set()

    for number in _SIGNALS:
        signal.signal(number, stop)
    return event
