"""Start the portal's processes, restart dead ones, and end them. Linux kills children whose parent has died."""

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
# The shortest interval between restarts of a child that keeps dying.
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
        """Fork the process. Database connections and the like must be closed, since processes can't share them."""
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
    """Exempt the objects loaded so far from garbage collection, and collect as often as Python does by default."""
    gc.collect()
    gc.freeze()
    # A collection right after the freeze is empty, but resets the count of old objects, which delays the next full one.
    gc.collect()
    gc.set_threshold(700, 10, 10)
