"""What the other make has accepted, on the disk before its answer leaves: what it has answered, it never forgets."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .messages import Received


class Journal:
    """One line a request, in the order in which they were accepted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._drop_what_a_kill_cut_off()

    def append(self, request: Received) -> None:
        """The request; it is on the disk when this returns."""
        line = json.dumps(_written(request)).encode() + b"\n"
        with self._path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def __iter__(self) -> Iterator[Received]:
        for line in self._path.read_bytes().splitlines():
            yield _read(json.loads(line))

    def _drop_what_a_kill_cut_off(self) -> None:
        # A line without its end was never answered for.
        whole, _, cut = self._path.read_bytes().rpartition(b"\n")
        if cut:
            os.truncate(self._path, len(whole) + 1 if whole else 0)


def _written(request: Received) -> dict[str, Any]:
    files = {
        name: [filename, kind, base64.b64encode(content).decode()]
        for name, (filename, kind, content) in request.files.items()
    }
    headers = {name: value for name, value in request.headers.items() if name != "Authorization"}
    named = {"method": request.method, "path": request.path, "query": request.query, "headers": headers}
    return named | {"body": request.body, "form": request.form, "files": files}


def _read(line: dict[str, Any]) -> Received:
    files = {
        name: (filename, kind, base64.b64decode(content)) for name, (filename, kind, content) in line["files"].items()
    }
    return Received(**(line | {"files": files}))
