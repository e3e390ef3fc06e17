"""The sandbox's process: it has the libraries ready, and forks for each task one that does it, confined, and ends.

It is started by `sandbox`, and ends when the socket that it was given closes. A request is the name of a task, as
`module:function` of ours, with three descriptors: the file that the task is about, the task's arguments as a file of
JSON, and the end of a pipe for the answer. The task takes the file's content and the arguments, and gives bytes.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from typing import cast

from .limits import NAME, confine

Task = Callable[..., bytes]


def serve(door: socket.socket) -> None:
    """Answer requests until the door closes."""
    # Whoever has ended is forgotten without being waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl-C is for the process that has asked; this one ends when that does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        name, descriptors, _, _ = socket.recv_fds(door, NAME, 3)
        if not name:
            return
        # Loaded once, before the fork: what is confined needn't look for its libraries.
        task = _task(name.decode().strip())
        if os.fork() == 0:
            door.close()
            _perform(task, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _task(name: str) -> Task:
    module, _, function = name.partition(":")
    return cast(Task, getattr(import_module(module), function))


def _perform(task: Task, file: int, arguments: int, answer: int) -> None:
    """Do one task, and end. Whatever goes wrong, and whatever the kernel ends before, has written nothing."""
    try:
        with os.fdopen(file, "rb") as opened, os.fdopen(arguments, "rb") as told, os.fdopen(answer, "wb") as out:
            request = json.load(told)
            confine(request.pop("seconds"))
            out.write(task(opened.read(), **request))
    finally:
        os._exit(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
