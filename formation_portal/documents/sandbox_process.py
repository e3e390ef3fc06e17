"""The sandbox's process, which keeps the libraries loaded and forks a confined process for each task.

A request is a task's name, `module:function`, with four descriptors: the content, the task's arguments as a file of
JSON, the end of a pipe for the answer, and a socket for the descriptor that reports unlisted system calls.
"""

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import cast

from . import confinement

# The length to which a task's name is padded.
NAME_BYTES = 256

# The default limit of a task's processor time.
CPU_SECONDS = 5
# A task may take this many seconds for each second of processor time, since the machine may be busy.
WALL_CLOCK_FACTOR = 5
# The default limit of a task's memory, beyond the memory of the forked process.
MEMORY_BYTES = 200_000_000
# Libraries reserve more address space than they use.
_ADDRESS_FACTOR = 2
# Lowers the priority of tasks, so that processes that serve pages come first.
_NICE = 10

Task = Callable[..., bytes]


def limit_resources(seconds: int, memory_bytes: int) -> None:
    """Limit time and memory, and forbid writing files and core dumps. No code can catch the alarm."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_FACTOR * seconds)
    sizes = [int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()]
    limits = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_DATA: sizes[5] + memory_bytes,
        resource.RLIMIT_AS: sizes[0] + _ADDRESS_FACTOR * memory_bytes,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))


def serve(connection: socket.socket) -> None:
    # Ctrl-C is for the process that sends requests; this process ends after it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICE)
    confinement.leave_network()
    # The deadlines of running tasks, so that even a task that has blocked its alarm is ended.
    deadlines: dict[int, float] = {}
    while True:
        while not select.select([connection], [], [], 1 if deadlines else None)[0]:
            _end_late(deadlines)
        name, descriptors, _, _ = socket.recv_fds(connection, NAME_BYTES, 4)
        _end_late(deadlines)
        if not name:
            return
        # The module is loaded before the fork, since a confined process cannot look for its libraries.
        module, _, function = name.decode().strip().partition(":")
        task = cast(Task, getattr(import_module(module), function))
        content, arguments, answer, door = descriptors
        request = json.loads(os.pread(arguments, os.fstat(arguments).st_size, 0))
        child = os.fork()
        if child == 0:
            connection.close()
            _run_task(task, request, content, answer, socket.socket(fileno=door))
        deadlines[child] = time.monotonic() + WALL_CLOCK_FACTOR * request["seconds"]
        for descriptor in descriptors:
            os.close(descriptor)


def _end_late(deadlines: dict[int, float]) -> None:
    """Forget the processes that have ended, and end those that are late."""
    for child, deadline in [*deadlines.items()]:
        if time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        if os.waitpid(child, os.WNOHANG)[0]:
            del deadlines[child]


def _run_task(task: Task, request: Mapping[str, object], content: int, answer: int, door: socket.socket) -> None:
    """Confine this process, run a task and exit. A task that fails writes no answer."""
    try:
        with os.fdopen(content, "rb") as content_file, os.fdopen(answer, "wb") as answer_file:
            limit_resources(cast(int, request["seconds"]), cast(int, request["memory_bytes"]))
            _confine(cast(list[str], request["reads"]), door)
            answer_file.write(task(content_file.read(), **cast(Mapping[str, object], request["arguments"])))
    finally:
        os._exit(0)


def _confine(readable: list[str], door: socket.socket) -> None:
    """Confine this process, and give away the descriptor that reports unlisted calls, which a task must not have."""
    with door:
        listener = confinement.confine(readable, door.fileno())
        if listener is not None:
            socket.send_fds(door, [b"\0"], [listener])
            os.close(listener)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
