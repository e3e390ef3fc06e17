"""Asks the sandbox what an uploaded file is."""

import json
import os
from typing import IO

from . import sandbox
from .findings import PDF, FindingCode, Findings
from .sandbox_process import CPU_SECONDS

# In pixels. Drawing a close one takes no longer, since the file is decoded whole; it is three times as many bytes.
SMALL, LARGE, CLOSE = 320, 1400, 2400

_TASK = "formation_portal.documents.inspection_task:inspect_content"
_ANSWER_LIMIT = 3_000_000
# The smallest file of each type that has anything to show is larger.
_MIN_BYTES = 60


def inspect_file(
    file: IO[bytes], mime_type: str, *, side: int = SMALL, page: int = 1, seconds: int = CPU_SECONDS
) -> tuple[Findings, bytes]:
    """Have a file of the disk looked at: what was found, and a JPEG of the page, at most `side` pixels wide and high.

    The picture is empty where there is nothing to show. Never raises for the file: what takes too long, or too much
    memory, or breaks the library, is found to be too heavy.
    """
    if os.fstat(file.fileno()).st_size < _MIN_BYTES:
        return Findings(codes=(FindingCode.UNREADABLE,)), b""
    page = page if mime_type == PDF else 1
    try:
        answer = sandbox.run_task(
            _TASK, file, answer_limit=_ANSWER_LIMIT, seconds=seconds, mime_type=mime_type, side=side, page=page
        )
    except sandbox.SandboxBusy:
        # Nobody has looked; a picture of it is drawn when somebody asks for one.
        return Findings(), b""
    return _parse_answer(answer)


def _parse_answer(answer: bytes) -> tuple[Findings, bytes]:
    """What has come from a process that a hostile file may have taken over is read with care, and never believed."""
    line, _, picture = answer.partition(b"\n")
    try:
        return Findings.from_json(json.loads(line)), picture
    except ValueError:
        return Findings(codes=(FindingCode.TOO_HEAVY,)), b""
