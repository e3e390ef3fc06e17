"""The sandbox, which runs tasks in a process with little time, little memory and no disk.

Each process of the portal has its own sandbox (`sandbox_process`), started when first needed.
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
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from formation_portal.core.monitoring.metrics import count_unlisted_call

from .sandbox_process import CPU_SECONDS, MEMORY_BYTES, NAME_BYTES, WALL_CLOCK_FACTOR
from .system_calls import refuse_unlisted_call

logger = logging.getLogger(__name__)

# The number of tasks that run at once; others wait, so that pages stay fast.
_SLOTS = 2
# Only one task at a time may take more than MEMORY_BYTES, up to this limit.
LARGE_MEMORY_BYTES = 600_000_000
# The sandbox's process with its libraries (20 MB), the memory pages that two tasks change, and two files of 10 MB.
_PROCESS_BYTES = 60_000_000
# The most memory that the sandbox of one process takes.
MEMORY_AT_MOST = _PROCESS_BYTES + LARGE_MEMORY_BYTES + (_SLOTS - 1) * MEMORY_BYTES
# How many requests may wait, and for how many seconds: few, since the process's threads also serve pages.
_PLACES = 3
_WAIT_SECONDS = 8
# How many seconds late the kernel may end a task.
_GRACE_SECONDS = 2
_PIECE_BYTES = 1 << 20
# How many unlisted system calls of a task are counted; the kernel refuses further ones without a report.
_MAX_COUNTED = 100
_PROJECT = Path(__file__).resolve().parents[2]


class SandboxBusy(Exception):
    """Raised if a task was not started, since other tasks took too long."""


def run_task(
    task: str,
    content: IO[bytes] | bytes,
    *,
    answer_limit: int,
    seconds: int = CPU_SECONDS,
    memory_bytes: int = MEMORY_BYTES,
    reads: Iterable[str] = (),
    is_trial: bool = False,
    **arguments: Any,
) -> bytes:
    """Run the task `module:function` on the content with JSON arguments, and return its answer.

    The content is copied into memory, since a stored file may be encrypted. The task may read the paths in `reads`,
    beside libraries and fonts. Unlisted system calls are counted, unless the task `is_trial`. Returns b"" if the task
    did not finish within its limits. Raises SandboxBusy.
    """
    if not _places.acquire(blocking=False):
        raise SandboxBusy
    try:
        with _slot(is_large=memory_bytes > MEMORY_BYTES):
            request = {"seconds": seconds, "memory_bytes": memory_bytes, "reads": [*reads], "arguments": arguments}
            with _unnamed_file(content) as file, _unnamed_file(json.dumps(request).encode()) as arguments_file:
                answer, calls = _sandbox.ask(task, (file.fileno(), arguments_file.fileno()), seconds, answer_limit)
            if calls and not is_trial:
                _report(task, calls)
            return answer
    finally:
        _places.release()


def _report(task: str, calls: Counter[int]) -> None:
    """Log and count unlisted system calls: either a library needs another call, or a file attacks it."""
    numbers = ", ".join(map(str, sorted(calls)))
    logger.warning("The sandbox refused system calls that are not on its list, in %s: %s.", task, numbers)
    for number, count in calls.items():
        count_unlisted_call(number, count)


@contextmanager
def _slot(*, is_large: bool) -> Iterator[None]:
    """Hold a slot for one task. Raises SandboxBusy if none is free in time."""
    deadline = time.monotonic() + _WAIT_SECONDS
    semaphores = [_large_slot, _slots] if is_large else [_slots]
    with ExitStack() as stack:
        for semaphore in semaphores:
            if not semaphore.acquire(timeout=max(0, deadline - time.monotonic())):
                raise SandboxBusy
            stack.callback(semaphore.release)
        yield


@contextmanager
def _unnamed_file(content: IO[bytes] | bytes) -> Iterator[IO[bytes]]:
    """Write the content to an unnamed file, in memory if the system supports that."""
    with os.fdopen(os.memfd_create("task"), "w+b") if hasattr(os, "memfd_create") else TemporaryFile() as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            content.seek(0)
            shutil.copyfileobj(content, file, _PIECE_BYTES)
        file.flush()
        yield file


class _Sandbox:
    """The sandbox of this process. A forked process starts another sandbox."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._door: socket.socket | None = None

    def ask(self, task: str, files: tuple[int, int], seconds: int, limit: int) -> tuple[bytes, Counter[int]]:
        """Return the task's answer (b"" if late or too long), and how often it made each unlisted system call."""
        answer, answering = os.pipe()
        door, their_door = socket.socketpair()
        try:
            with os.fdopen(answering, "wb"), their_door:
                self._send(task.encode().ljust(NAME_BYTES), [*files, answering, their_door.fileno()])
            with closing(_Exchange(answer, door)) as exchange:
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
                # The sandbox's process has ended, so a new one gets the request.
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
        if self._door is not None:
            self._door.close()
        if self.process is not None and self._owner == os.getpid():
            self.process.wait()
        self._door = None
        self.process = None


def _start_process(connection: int) -> "subprocess.Popen[bytes]":
    """Start the sandbox's process; of our environment it gets only PATH. One thread and few arenas keep it small."""
    return subprocess.Popen(  # noqa: S603 - the arguments are our own
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
    """The reader of a task's answer; it also refuses and counts the task's unlisted system calls."""

    def __init__(self, answer: int, door: socket.socket) -> None:
        self.calls: Counter[int] = Counter()
        self._answer = answer
        self._door = door
        self._listener: int | None = None
        self._poll = select.poll()
        self._poll.register(answer, select.POLLIN)
        self._poll.register(door, select.POLLIN)

    def read(self, seconds: float, limit: int) -> bytes:
        """Return the answer, or b"" if it is not complete in time or longer than the limit."""
        deadline = time.monotonic() + seconds
        answer = bytearray()
        while len(answer) <= limit:
            ready = dict(self._poll.poll(max(0, deadline - time.monotonic()) * 1000))
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
        """Receive the descriptor that reports unlisted calls, if the kernel gave one."""
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
            self.close()
        if self.calls.total() >= _MAX_COUNTED:
            self.close()

    def close(self) -> None:
        if self._listener is not None:
            self._poll.unregister(self._listener)
            os.close(self._listener)
            self._listener = None


_large_slot = threading.BoundedSemaphore(1)
_slots = threading.BoundedSemaphore(_SLOTS)
_places = threading.BoundedSemaphore(_SLOTS + _PLACES)
_sandbox = _Sandbox()
atexit.register(_sandbox.close)
