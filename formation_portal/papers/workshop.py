"""The workshop: a process that has the libraries ready, and forks for each file one that opens it and ends.

It is started by `asking`, and ends when the socket that it was given closes. A request is a fixed number of bytes of
JSON with two descriptors: the file, and the end of a pipe for what is found: a line of JSON, then a JPEG or nothing.
"""

import json
import os
import signal
import socket
import sys
from typing import Any

from .findings import PDF, Code, Findings
from .limits import REQUEST, confine
from .pages import look_at_pdf
from .pictures import as_jpeg, look_at_picture


def serve(door: socket.socket) -> None:
    """Answer requests until the door closes."""
    # Whoever has ended is forgotten without being waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl-C is for the process that has asked; this one ends when that does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, descriptors, _, _ = socket.recv_fds(door, REQUEST, 2)
        if not message:
            return
        if os.fork() == 0:
            door.close()
            _work(json.loads(message), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _work(request: dict[str, Any], file: int, answer: int) -> None:
    """Look at one file, and end. What the kernel ends before has written nothing."""
    try:
        confine(request.pop("seconds"))
        with os.fdopen(file, "rb") as opened, os.fdopen(answer, "wb") as out:
            findings, picture = looked_at(opened.read(), **request)
            out.write(json.dumps(findings.kept()).encode() + b"\n" + picture)
    finally:
        os._exit(0)


def looked_at(content: bytes, *, mime_type: str, side: int, page: int) -> tuple[Findings, bytes]:
    """What is found, and a picture of the page as a JPEG; no picture where there is nothing to show."""
    try:
        if mime_type == PDF:
            findings, image = look_at_pdf(content, side, page)
        else:
            findings, image = look_at_picture(content, side)
        return findings, as_jpeg(image) if image else b""
    except MemoryError:
        return Findings(codes=(Code.TOO_HEAVY,)), b""
    except Exception:
        # Libraries raise what they like at a broken file.
        return Findings(codes=(Code.UNREADABLE,)), b""


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
