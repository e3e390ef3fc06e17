"""Has a task done by a process that may use little time, little memory and no disk, whatever its input makes it do.

What strangers have made is never opened, unfolded or typeset in a process that answers requests. Each process of ours
has one sandbox (`sandbox_process`), started when it is first needed.
"""

import atexit
import json
import logging
import os
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

from formation_portal.core.monitoring.metrics import count_unlisted_call

from .sandbox_process import CPU_SECONDS, MEMORY_BYTES, NAME_BYTES, WALL_CLOCK_FACTOR
from .system_calls import refuse_unlisted_call

logger = logging.getLogger(__name__)

# At once; others wait for their turn, so that nobody's files take the machine from everybody's pages.
_SLOTS = 2
# One of them at a time may take more than MEMORY_BYTES, and no more than this.
LARGE_MEMORY_BYTES = 600_000_000
# The sandbox's own process with its libraries (20 MB), what two tasks change of it, and two files of 10 MB.
_PROCESS_BYTES = 60_000_000
# All that the sandbox of one process may take.
MEMORY_AT_MOST = _PROCESS_BYTES + LARGE_MEMORY_BYTES + (_SLOTS - 1) * MEMORY_BYTES
# So many may wait, and no longer than these seconds: the other threads of the process go on serving pages. Whoever
# finds no place is told that the machine is busy.
_PLACES, _WAIT_SECONDS = 3, 8
# The kernel ends whoever works longer than the limit; this is for what the kernel is late with.
_GRACE_SECONDS = 2
_PIECE_BYTES = 1 << 20
# Unlisted system calls of a task that are counted; the kernel refuses more of them by itself.
_MAX_COUNTED = 100
_PROJECT = Path(__file__).resolve().parents[2]


class SandboxBusy(Exception):
    """Others have had their turn for so long that nobody has looked at the task."""


def run_task(
    task: str,
    content: IO[bytes] | bytes,
    *,
    answer_limit: int,
    seconds: int = CPU_SECONDS,
    memory: int = MEMORY_BYTES,
    reads: Iterable[str] = (),
    is_trial: bool = False,
    **arguments: Any,
) -> bytes:
    """What the task `module:function` makes of the content, with these arguments (JSON).

    The content is copied into memory of its own: whatever has been stored may be encrypted where it is stored. `reads`
    are paths that the task may read, beside libraries and fonts. Unlisted system calls are counted, unless the task is
    a trial of what is refused. Gives nothing where the task did not finish: it took more than `seconds` of processor
    time or than `memory` bytes, raised an error, or answered with more than `answer_limit` bytes. Raises SandboxBusy.
    """
    if not _places.acquire(blocking=False):
        raise SandboxBusy
    try:
        with _slot(is_large=memory > MEMORY_BYTES):
            request = {"seconds": seconds, "memory": memory, "reads": [*reads], "arguments": arguments}
            with _unnamed_file(content) as file, _unnamed_file(json.dumps(request).encode()) as arguments_file:
                answer, calls = _sandbox.ask(task, (file.fileno(), arguments_file.fileno()), seconds, answer_limit)
            if calls and not is_trial:
                _report(task, calls)
            return answer
    finally:
        _places.release()


def _report(task: str, calls: Counter[int]) -> None:
    """Log and count unlisted system calls: a library needs a call that is not on the list, or a file attacks it."""
    numbers = ", ".join(map(str, sorted(calls)))
    logger.warning("The sandbox refused system calls that are not on its list, in %s: %s.", task, numbers)
    for number, count in calls.items():
        count_unlisted_call(number, count)


@contextmanager
def _slot(*, is_large: bool) -> Iterator[None]:
    """Hold a slot for one task. Raises SandboxBusy if none is free in time."""
    until = time.monotonic() + _WAIT_SECONDS
    needed = [_large_slot, _slots] if is_large else [_slots]
    with ExitStack() as held:
        for slots in needed:
            if not slots.acquire(timeout=max(0, until - time.monotonic())):
                raise SandboxBusy
            held.callback(slots.release)
        yield


@contextmanager
def _unnamed_file(content: IO[bytes] | bytes) -> Iterator[IO[bytes]]:
    """A file in memory that has no name and leaves nothing on the disk; on the disk where the system has no such."""
    with os.fdopen(os.memfd_create("task"), "w+b") if hasattr(os, "memfd_create") else TemporaryFile() as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            content.seek(0)
            shutil.copyfileobj(content, file, _PIECE_BYTES)
        file.flush()
        yield file


class _Sandbox:
    """The sandbox of this process. A process that was forked off one with a sandbox starts another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._door: socket.socket | None = None

    def ask(self, task: str, files: tuple[int, int], seconds: int, limit: int) -> tuple[bytes, Counter[int]]:
        """Return all that is answered in time, or nothing where it could not be; and the task's unlisted calls."""
        answer, answering = os.pipe()
        door, their_door = socket.socketpair()
        try:
            with os.fdopen(answering, "wb"), their_door:
                self._send(task.encode().ljust(NAME_BYTES), [*files, answering, their_door.fileno()])
            with _Exchange(answer, door) as exchange:
                return exchange.read(WALL_CLOCK_FACTOR * seconds + _GRACE_SECONDS, limit), exchange.calls
        except OSError:
            return b"", Counter()
        finally:
            os.close(answer)
            door.close()

    def _send(self, message: bytes, descriptors: list[int]) -> None:
        for file in descriptors[:2]:
            os.lseek(file, 0, os.SEEK_SET)
        with self._lock:
            try:
                socket.send_fds(self._open(), [message], descriptors)
            except OSError:
                # It has ended, for whatever reason; a new one is as good.
                self.close()
                socket.send_fds(self._open(), [message], descriptors)

    def _open(self) -> socket.socket:
        if self._door is None or self._owner != os.getpid():
            self._door, other = socket.socketpair()
            with other:
                self.process = _start_process(other.fileno())
            self._owner = os.getpid()
        return self._door

    def close(self) -> None:
        """End it: it does so by itself when its door closes."""
        connection, process, is_own = self._door, self.process, self._owner == os.getpid()
        self._door = self.process = None
        if connection is not None:
            connection.close()
        if process is not None and is_own:
            process.wait()


def _start_process(connection: int) -> "subprocess.Popen[bytes]":
    """It inherits no setting and no secret, only where programs are. One thread and few arenas keep it small."""
    return subprocess.Popen(  # noqa: S603 - the words are our own
        [sys.executable, "-m", "formation_portal.documents.sandbox_process", str(connection)],
        cwd=_PROJECT,
        env={
            "PATH": os.environ.get("PATH", ""),
            "LANG": "C.UTF-8",
            "MALLOC_ARENA_MAX": "2",
            "RAYON_NUM_THREADS": "1",
        },
        pass_fds=[connection],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class _Exchange:
    """Reads the answer of a task, and refuses and counts its unlisted system calls meanwhile."""

    def __init__(self, answer: int, door: socket.socket) -> None:
        self.calls: Counter[int] = Counter()
        self._answer, self._door = answer, door
        self._listener: int | None = None
        self._poll = select.poll()
        self._poll.register(answer, select.POLLIN)
        self._poll.register(door, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_listening()

    def read(self, seconds: float, limit: int) -> bytes:
        """Return the answer, or nothing if it is not complete in time or longer than the limit."""
        until, answer = time.monotonic() + seconds, bytearray()
        while len(answer) <= limit:
            ready = [descriptor for descriptor, _ in self._poll.poll(max(0, until - time.monotonic()) * 1000)]
            if not ready:
                break
            if self._door.fileno() in ready:
                self._start_listening()
            if self._listener in ready:
                self._refuse_call(self._listener)
            if self._answer in ready:
                piece = os.read(self._answer, 1 << 16)
                if not piece:
                    return bytes(answer)
                answer += piece
        return b""

    def _start_listening(self) -> None:
        """Take the descriptor that tells of unlisted calls. The task sends none where the kernel tells nobody."""
        self._poll.unregister(self._door)
        descriptors = socket.recv_fds(self._door, 1, 1)[1]
        if descriptors:
            self._listener = descriptors[0]
            self._poll.register(self._listener, select.POLLIN)

    def _refuse_call(self, listener: int) -> None:
        try:
            self.calls[refuse_unlisted_call(listener)] += 1
        except OSError:
            # The task has ended.
            self._stop_listening()
        if self.calls.total() >= _MAX_COUNTED:
            self._stop_listening()

    def _stop_listening(self) -> None:
        if self._listener is not None:
            self._poll.unregister(self._listener)
            os.close(self._listener)
            self._listener = None


_large_slot = threading.BoundedSemaphore(1)
_slots, _places = threading.BoundedSemaphore(_SLOTS), threading.BoundedSemaphore(_SLOTS + _PLACES)
_sandbox = _Sandbox()
atexit.register(_sandbox.close)
