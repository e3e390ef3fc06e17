"""The sandbox's process: it has the libraries ready, and forks for each task one that does it, confined, and ends.

It is started by `sandbox`, and ends when the socket that it was given closes. A request is the name of a task, as
`module:function` of ours, with three descriptors: the file that the task is about, the task's arguments as a file of
JSON, and the end of a pipe for the answer. The task takes the file's content and the arguments, and gives bytes. The
kernel sees to the limits, whatever a library does.
"""

import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from typing import cast

# The name of a task, in bytes.
NAME_BYTES = 256

# Of processor time, unless a task says otherwise.
CPU_SECONDS = 6
# Of a busy machine a task waits for so many seconds for each of its own.
WALL_CLOCK_FACTOR = 5
MEMORY_BYTES = 700 * 1024 * 1024


def limit_resources(seconds: int) -> None:
    """From now on: some seconds, some memory, no writing to disk, no core file, no alarm that code could catch."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_FACTOR * seconds)
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


Task = Callable[..., bytes]


def serve(connection: socket.socket) -> None:
    """Answer requests until the door closes."""
    # Whoever has ended is forgotten without being waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl-C is for the process that has asked; this one ends when that does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        name, descriptors, _, _ = socket.recv_fds(connection, NAME_BYTES, 3)
        if not name:
            return
        # Loaded once, before the fork: what is confined needn't look for its libraries.
        module, _, function = name.decode().strip().partition(":")
        task = cast(Task, getattr(import_module(module), function))
        if os.fork() == 0:
            connection.close()
            _run_task(task, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _run_task(task: Task, file: int, arguments: int, answer: int) -> None:
    """Do one task, and end. Whatever goes wrong, and whatever the kernel ends before, has written nothing."""
    try:
        with (
            os.fdopen(file, "rb") as opened,
            os.fdopen(arguments, "rb") as arguments_file,
            os.fdopen(answer, "wb") as out,
        ):
            request = json.load(arguments_file)
            limit_resources(request.pop("seconds"))
            out.write(task(opened.read(), **request))
    finally:
        os._exit(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
