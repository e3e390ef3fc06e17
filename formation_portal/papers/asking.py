"""Asks the sandbox what an uploaded file is."""

import json
import os
from dataclasses import dataclass
from typing import IO

from . import sandbox
from .findings import PDF, Code, Findings
from .limits import SECONDS

# In pixels. Drawing a close one takes no longer, since the file is decoded whole; it is three times as many bytes.
SMALL, LARGE, CLOSE = 320, 1400, 2400

_TASK = "formation_portal.papers.looking:look"
_ANSWER_LIMIT = 3_000_000
# The smallest file of each type that has anything to show is larger.
_FEWEST_BYTES = 60


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
    page = page if mime_type == PDF else 1
    try:
        answer = sandbox.perform(
            _TASK, file, answer_limit=_ANSWER_LIMIT, seconds=seconds, mime_type=mime_type, side=side, page=page
        )
    except sandbox.Busy:
        # Nobody has looked; a picture of it is drawn when somebody asks for one.
        return Look(Findings())
    return _read(answer)


def _read(answer: bytes) -> Look:
    """What has come from a process that a hostile file may have taken over is read with care, and never believed."""
    line, _, picture = answer.partition(b"\n")
    try:
        return Look(Findings.read(json.loads(line)), picture)
    except ValueError:
        return Look(Findings(codes=(Code.TOO_HEAVY,)))
