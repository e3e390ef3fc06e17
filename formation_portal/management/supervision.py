"""The processes of a running portal: the web server and one relay worker, started, watched and ended together.

Each child leads a process group of its own, so that Ctrl-C reaches this process alone, and the children are ended in
order: first the web server, which finishes what it is answering, then the worker, which finishes its call.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType

from formation_portal.environment import PROJECT

Say = Callable[[str], None]

# Longer than the web server's own patience with answers under way.
_PATIENCE_SECONDS = 15.0
_LOOK_SECONDS = 0.2
# A worker that dies at once, again and again, is started this often at most.
_PAUSE_SECONDS = 5.0


class Child:
    """One process with the name that people read."""

    def __init__(self, name: str, arguments: Sequence[str]) -> None:
        self.name = name
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0

    def start(self) -> None:
        """Start it with this interpreter."""
        self._started_at = time.monotonic()
        command = [sys.executable, *self._arguments]
        self._process = subprocess.Popen(command, cwd=PROJECT, process_group=0)  # noqa: S603  # our own

    @property
    def exit_code(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.poll() if self._process else None

    @property
    def may_start_again(self) -> bool:
        """Whether its last start is long enough ago."""
        return time.monotonic() - self._started_at >= _PAUSE_SECONDS

    def end(self) -> None:
        """Ask it to end; insist where it doesn't."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


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

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return event
