"""Whatever a task of the sandbox does, it gets so much time, memory, disk and answer, each by itself."""

import json
import resource
import signal
import tempfile
from typing import Any

import pytest

from formation_portal.documents import sandbox
from formation_portal.documents.sandbox_process import MEMORY_BYTES

LIMIT = 1_000


def made(task: str, **arguments: Any) -> bytes:
    """What a task of this module answers."""
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
        file.flush()
        return sandbox.run_task(f"{__name__}:{task}", file, answer_limit=LIMIT, **arguments)


def has_limits(content: bytes) -> bytes:
    """What the kernel allows: seconds of processor time, bytes of memory, and seconds until an alarm."""
    soft = [resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_CORE)]
    return json.dumps([*soft, signal.getitimer(signal.ITIMER_REAL)[0] > 0]).encode()


def takes_memory(content: bytes, *, bytes_taken: int) -> bytes:
    """Has that much memory, and says so."""
    return str(len(bytearray(bytes_taken))).encode()


def writes(content: bytes) -> bytes:
    """Puts a file on the disk, and says so."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
    return b"written"


def answers(content: bytes, *, length: int) -> bytes:
    """Says that much."""
    return b"x" * length


@pytest.mark.parametrize("seconds", [2, 5])
def test_a_task_has_its_seconds_and_no_more(seconds: int) -> None:
    assert json.loads(made("has_limits", seconds=seconds)) == [seconds, MEMORY_BYTES, 0, True]


def test_a_task_that_takes_more_memory_than_there_is_answers_nothing() -> None:
    assert made("takes_memory", bytes_taken=1_000_000) == b"1000000"
    assert made("takes_memory", bytes_taken=MEMORY_BYTES) == b""


def test_a_task_writes_nothing_to_the_disk() -> None:
    assert made("writes") == b""


def test_an_answer_is_read_up_to_its_limit() -> None:
    assert made("answers", length=LIMIT) == b"x" * LIMIT
    assert made("answers", length=LIMIT + 1) == b""
