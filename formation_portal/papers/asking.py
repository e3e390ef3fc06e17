"""Asks a workshop what a file is. Each process of ours has a workshop of its own, started when it is first needed."""

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .findings import PDF, Code, Findings
from .limits import REQUEST, SECONDS

# In pixels. Drawing a close one takes no longer, since the file is decoded whole; it is three times as many bytes.
SMALL, LARGE, CLOSE = 320, 1400, 2400

# At once; others wait for their turn, so that nobody's files take the machine from everybody's pages.
_AT_ONCE = 2
_ANSWER_LIMIT = 3_000_000
# The kernel ends whoever works longer than the limit; this is for what the kernel is late with.
_WAIT_SECONDS = SECONDS + 2
# The smallest file of each type that has anything to show is larger.
_FEWEST_BYTES = 60
_PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Look:
    """What was found, and a JPEG of the page; empty where there is nothing to show."""

    findings: Findings
    picture: bytes = b""


def look_at(file: IO[bytes], mime_type: str, *, side: int = SMALL, page: int = 1, seconds: int = SECONDS) -> Look:
    """Have a file of the disk looked at, its page drawn at most `side` pixels wide and high. Never raises for the file.

    What takes too long, or too much memory, or breaks the library, is found to be too heavy.
    """
    if os.fstat(file.fileno()).st_size < _FEWEST_BYTES:
        return Look(Findings(codes=(Code.UNREADABLE,)))
    request = {"mime_type": mime_type, "side": side, "page": page if mime_type == PDF else 1, "seconds": seconds}
    if not _turn.acquire(timeout=_WAIT_SECONDS):
        # Nobody has looked; a picture of it is drawn when somebody asks for one.
        return Look(Findings())
    try:
        return _read(_workshops.ask(file.fileno(), request))
    finally:
        _turn.release()


def _read(answer: bytes) -> Look:
    """What has come from a process that a hostile file may have taken over is read with care, and never believed."""
    line, _, picture = answer.partition(b"\n")
    try:
        return Look(Findings.read(json.loads(line)), picture)
    except ValueError:
        return Look(Findings(codes=(Code.TOO_HEAVY,)))


class _Workshops:
    """The workshop of this process. A process that was forked off one with a workshop starts another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._door: socket.socket | None = None

    def ask(self, file: int, request: dict[str, Any]) -> bytes:
        """All that the workshop answers in time; nothing where it could not."""
        listening, answering = os.pipe()
        try:
            with os.fdopen(answering, "wb"):
                self._send(json.dumps(request).encode().ljust(REQUEST), file, answering)
            return _all_of(listening)
        except OSError:
            return b""
        finally:
            os.close(listening)

    def _send(self, message: bytes, file: int, answering: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        with self._lock:
            try:
                socket.send_fds(self._open(), [message], [file, answering])
            except OSError:
                # It has ended, for whatever reason; a new one is as good.
                self.close()
                socket.send_fds(self._open(), [message], [file, answering])

    def _open(self) -> socket.socket:
        if self._door is None or self._owner != os.getpid():
            self._door, other = socket.socketpair()
            with other:
                self._process = _started(other.fileno())
            self._owner = os.getpid()
        return self._door

    def close(self) -> None:
        """End the workshop: it does so by itself when its door closes."""
        door, process, is_own = self._door, self._process, self._owner == os.getpid()
        self._door = self._process = None
        if door is not None:
            door.close()
        if process is not None and is_own:
            process.wait()


def _started(door: int) -> "subprocess.Popen[bytes]":
    """It inherits no setting and no secret, only where programs are."""
    return subprocess.Popen(  # noqa: S603 - the words are our own
        [sys.executable, "-m", "formation_portal.papers.workshop", str(door)],
        cwd=_PROJECT,
        env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"},
        pass_fds=[door],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _all_of(pipe: int) -> bytes:
    until, answer, poll = time.monotonic() + _WAIT_SECONDS, b"", select.poll()
    poll.register(pipe, select.POLLIN)
    while len(answer) <= _ANSWER_LIMIT and poll.poll(max(0, until - time.monotonic()) * 1000):
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return answer
        answer += piece
    return b""


_turn = threading.BoundedSemaphore(_AT_ONCE)
_workshops = _Workshops()
atexit.register(_workshops.close)
