"""The processes of a running portal: the web servers and, beside them, workers, started, watched and ended together;
and how a process of many threads keeps its memory small.

Children are forked from this process, which has loaded everything by then: nothing is read twice, and what nobody
changes stays in memory once. Each leads a process group of its own, so that Ctrl-C reaches this process alone and the
children are ended in order: the web server, which finishes what it is answering, then the workers, which finish their
call. Where this process is killed they end as well, and the web server at once, so that its port is free.
"""

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from types import FrameType

from formation_portal.core.monitoring import tracing

Say = Callable[[str], None]

# Longer than the web server's own patience with answers under way.
_PATIENCE_SECONDS = 15.0
_POLL_SECONDS = 0.1
# A worker that dies at once, again and again, is started this often at most.
_PAUSE_SECONDS = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# linux/prctl.h
_SET_PARENT_DEATH_SIGNAL = 1
# malloc.h of glibc
_M_ARENA_MAX = -8
_ARENAS = 2
_FORK = multiprocessing.get_context("fork")


class Child:
    """One process with the name that people read, and the work that it does until it is told to end.

    `orphaned` is the signal that it gets when this process dies without a word, `patience` the seconds that it has
    when it is asked to end.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], None],
        *,
        orphaned: signal.Signals = signal.SIGTERM,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self.name = name
        self._work = work
        self._orphaned = orphaned
        self._patience = patience
        self._process: ForkProcess | None = None
        self._started_at = 0.0

    def start(self) -> None:
        """Fork it. Nothing that belongs to one process only, such as a database connection, may be open."""
        self._started_at = time.monotonic()
        self._process = _FORK.Process(target=_run_child, args=(self._work, self._orphaned, os.getpid()), name=self.name)
        self._process.start()

    @property
    def exit_code(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.exitcode if self._process else None

    @property
    def may_start_again(self) -> bool:
        """Whether its last start is long enough ago."""
        return time.monotonic() - self._started_at >= _PAUSE_SECONDS

    def terminate(self) -> None:
        """Tell it to end, without waiting for it."""
        if self._process is not None and self.exit_code is None:
            self._process.terminate()

    def stop(self) -> None:
        """Ask it to end; insist where it doesn't."""
        self.terminate()
        if self._process is None:
            return
        self._process.join(self._patience)
        if self.exit_code is None:
            self._process.kill()
            self._process.join()


def _run_child(work: Callable[[], None], orphaned: signal.Signals, parent: int) -> None:
    os.setpgid(0, 0)
    # Where the system can do it (Linux), end also when the parent is killed without a word, or crashes.
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, orphaned)
    if os.getppid() != parent:
        # It was over before the system could be told.
        os._exit(1)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    work()
    tracing.flush()


@dataclass
class Supervision:
    """Runs all until a signal ends them.

    Who dies is started again: what a worker had in hand is settled by evidence. Where a web server dies before any has
    answered, something is wrong with all of them, and that is the end.
    """

    web: Sequence[Child]
    workers: Sequence[Child]
    is_ready: Callable[[], bool]
    on_ready: Callable[[], None]
    # This process lets go of what it holds for its children: as long as it has the socket, others wait at it in vain.
    on_stop: Callable[[], None]
    say: Say
    _has_announced: bool = False
    # No lock that a signal's handler could wait for: it may have interrupted whoever holds it.
    _is_stopping: bool = False
    _complained: set[Child] = field(default_factory=set)

    def run(self) -> int:
        """The exit code: 0 after Ctrl-C or SIGTERM, 1 where no web server could be started."""
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        children = (*self.web, *self.workers)
        for child in children:
            child.start()
        try:
            while not self._is_stopping:
                if not self._has_announced and (
                    dead := next((one for one in self.web if one.exit_code is not None), None)
                ):
                    self.say(f"The {dead.name} stopped unexpectedly (exit code {dead.exit_code}). Stopping the rest.")
                    return 1
                for child in children:
                    self._check_child(child)
                if not self._has_announced and self.is_ready():
                    self._has_announced = True
                    self.on_ready()
                time.sleep(_POLL_SECONDS)
            return 0
        finally:
            self.on_stop()
            for child in self.web:
                child.terminate()
            for child in children:
                child.stop()

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._is_stopping = True

    def _check_child(self, child: Child) -> None:
        if child.exit_code is None:
            self._complained.discard(child)
            return
        if child not in self._complained:
            self.say(f"The {child.name} stopped unexpectedly (exit code {child.exit_code}). Restarting it.")
            self._complained.add(child)
        if child.may_start_again:
            child.start()


def limit_malloc_arenas() -> None:
    """Have all threads share two of malloc's arenas, before the threads begin.

    glibc gives each thread an arena of its own, and what is freed there serves no other thread. Python's threads take
    turns anyway, so that this would buy nothing. `MALLOC_ARENA_MAX` in the environment goes before; other libraries
    than glibc have no such thing.
    """
    if "MALLOC_ARENA_MAX" in os.environ:
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(_M_ARENA_MAX, _ARENAS)


def freeze_loaded_objects() -> None:
    """Take what is loaded by now out of the garbage collector's rounds: modules, models, addresses.

    A full round begins when what is new has come to a quarter of what is old. With all modules counted in, tens of
    megabytes of ended requests would wait for it, and it would stop every thread for a while.
    """
    gc.collect()
    gc.freeze()
    # What is old was counted before it was set aside: a round over nothing counts again.
    gc.collect()
    # A start collects seldom (manage.py). Whoever serves does so often again, and keeps little that has ended.
    gc.set_threshold(700, 10, 10)
