"""The sandbox's process: it has the libraries ready, and forks for each task one that does it, confined, and ends.

It is started by `sandbox`, and ends when the socket that it was given closes. A request is the name of a task, as
`module:function` of ours, with four descriptors: the content that the task is about, the task's arguments as a file of
JSON, the end of a pipe for the answer, and a socket. The task takes the content and the arguments, and gives bytes. The
kernel sees to the limits, whatever a library does. Through the socket goes, before the task begins, the descriptor that
tells of system calls which are not on the list (`system_calls.py`), or nothing where the kernel tells nobody.
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

# The name of a task, in bytes.
NAME_BYTES = 256

# Of processor time, unless a task says otherwise.
CPU_SECONDS = 5
# Of a busy machine a task waits for so many seconds for each of its own.
WALL_CLOCK_FACTOR = 5
# What a task may take beyond what the process has when it begins, unless it says otherwise.
MEMORY_BYTES = 200_000_000
# Of addresses, which a library may set aside and never use.
_ADDRESS_FACTOR = 2
# Whoever serves pages comes first.
_NICE = 10

Task = Callable[..., bytes]


def limit_resources(seconds: int, memory: int) -> None:
    """From now on: some seconds, some memory, no writing to disk, no core file, no alarm that code could catch."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_FACTOR * seconds)
    pages = [int(number) * resource.getpagesize() for number in Path("/proc/self/statm").read_text().split()]
    size, data = pages[0], pages[5]
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, data + memory),
        (resource.RLIMIT_AS, size + _ADDRESS_FACTOR * memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def serve(connection: socket.socket) -> None:
    """Answer requests until the door closes."""
    # Ctrl-C is for the process that has asked; this one ends when that does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICE)
    confinement.leave_network()
    # What is under way, and when it must be over: a task that has blocked its alarm is ended all the same.
    until: dict[int, float] = {}
    while True:
        while not select.select([connection], [], [], 1 if until else None)[0]:
            _end_late(until)
        name, descriptors, _, _ = socket.recv_fds(connection, NAME_BYTES, 4)
        _end_late(until)
        if not name:
            return
        # Loaded once, before the fork: what is confined needn't look for its libraries.
        module, _, function = name.decode().strip().partition(":")
        task = cast(Task, getattr(import_module(module), function))
        content, arguments, answer, door = descriptors
        request = json.loads(os.pread(arguments, os.fstat(arguments).st_size, 0))
        child = os.fork()
        if child == 0:
            connection.close()
            _run_task(task, request, content, answer, socket.socket(fileno=door))
        until[child] = time.monotonic() + WALL_CLOCK_FACTOR * request["seconds"]
        for descriptor in descriptors:
            os.close(descriptor)


def _end_late(until: dict[int, float]) -> None:
    """Forget who has ended, and end whoever should have."""
    for child, moment in [*until.items()]:
        if time.monotonic() > moment:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        if os.waitpid(child, os.WNOHANG)[0]:
            del until[child]


def _run_task(task: Task, request: Mapping[str, object], content: int, answer: int, door: socket.socket) -> None:
    """Do one task, and end. Whatever goes wrong, and whatever the kernel ends before, has written nothing."""
    try:
        with os.fdopen(content, "rb") as opened, os.fdopen(answer, "wb") as out:
            limit_resources(cast(int, request["seconds"]), cast(int, request["memory"]))
            _confine(cast(list[str], request["reads"]), door)
            out.write(task(opened.read(), **cast(Mapping[str, object], request["arguments"])))
    finally:
        os._exit(0)


def _confine(readable: list[str], door: socket.socket) -> None:
    """Confine this process, and hand over the descriptor that tells of unlisted calls: a task must not have it."""
    with door:
        listener = confinement.confine(readable, door.fileno())
        if listener is not None:
            socket.send_fds(door, [b"\0"], [listener])
            os.close(listener)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
