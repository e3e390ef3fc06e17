"""Start the processes of a running portal, restart those that die, and end them. Linux kills orphaned children."""

import contextlib
import ctypes
import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess

from django.core.management.base import OutputWrapper

from formation_portal.core.monitoring import tracing

_POLL_SECONDS = 0.1
# A child that keeps dying is restarted at this interval at most.
_PAUSE_SECONDS = 5.0
# linux/prctl.h
_SET_PARENT_DEATH_SIGNAL = 1


class Child:
    """A process that works until SIGTERM. It is killed if it does not end within `patience` seconds of the signal."""

    process: BaseProcess
    started_at: float

    def __init__(self, name: str, work: Callable[[], None], *, patience: float = 15.0) -> None:
        self.name = name
        self._work = work
        self._patience = patience

    def start(self) -> None:
        """Fork the process. Nothing that belongs to one process only, such as a database connection, may be open."""
        self.started_at = time.monotonic()
        self.process = multiprocessing.get_context("fork").Process(target=self._run, name=self.name)
        self.process.start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(self._patience)
        self.process.kill()
        self.process.join()

    def _run(self) -> None:
        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._work()
        tracing.flush()


class Supervision:
    """Run children until SIGINT or SIGTERM."""

    def __init__(self, children: Sequence[Child], stdout: OutputWrapper) -> None:
        self._children = children
        self._stdout = stdout
        self._is_stopping = False

    def start(self) -> None:
        for child in self._children:
            child.start()
        signal.signal(signal.SIGINT, self._request_stop)
        signal.signal(signal.SIGTERM, self._request_stop)

    def watch(self) -> None:
        while not self._is_stopping:
            for child in self._children:
                code = child.process.exitcode
                if code is not None and time.monotonic() - child.started_at > _PAUSE_SECONDS:
                    self._stdout.write(f"The {child.name} stopped unexpectedly (exit code {code}). Restarting it.")
                    child.start()
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        for child in self._children:
            child.process.terminate()
        for child in self._children:
            child.stop()

    def _request_stop(self, *_: object) -> None:
        self._is_stopping = True


def freeze_loaded_objects() -> None:
    """Exempt what is loaded by now from the garbage collector, and collect as often as Python does by default."""
    gc.collect()
    gc.freeze()
    # A round over nothing resets the count of old objects, which delays the next full round.
    gc.collect()
    gc.set_threshold(700, 10, 10)
