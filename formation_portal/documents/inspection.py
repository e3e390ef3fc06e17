"""The inspection of uploaded files, and the drawing of their pages, in the sandbox."""

import json
from typing import IO

from . import sandbox
from .findings import FindingCode, Findings
from .sandbox_process import CPU_SECONDS

# Sizes in pixels. CLOSE takes no longer to draw, since any file is decoded whole, but three times as many bytes.
SMALL, LARGE, CLOSE = 320, 1400, 2400

_TASKS = "formation_portal.documents.inspection_task"
_ANSWER_LIMIT = 3_000_000
# Any file with visible content, of any type, is larger than this.
_MIN_BYTES = 60
# qpdf reads random numbers before it decrypts a PDF.
_READS = ("/dev/urandom",)
_JPEG_START = b"\xff\xd8"


def inspect_file(content: IO[bytes], mime_type: str, *, seconds: int = CPU_SECONDS) -> tuple[Findings, bytes]:
    """Return the findings in a file, and a small JPEG of its first page, or b"" if the file is refused.

    A file that takes too much time or memory, or crashes a library, has the finding TOO_HEAVY. Raises SandboxBusy.
    """
    content.seek(0)
    if len(content.read(_MIN_BYTES)) < _MIN_BYTES:
        return Findings(codes=(FindingCode.UNREADABLE,)), b""
    answer = sandbox.run_task(
        f"{_TASKS}:inspect_content",
        content,
        answer_limit=_ANSWER_LIMIT,
        seconds=seconds,
        reads=_READS,
        mime_type=mime_type,
        side=SMALL,
    )
    return _parse_answer(answer)


def draw_page(content: IO[bytes], mime_type: str, *, side: int = SMALL, page: int = 1) -> bytes:
    """Draw a page of an accepted file as a JPEG; return b"" if that fails. Raises SandboxBusy."""
    picture = sandbox.run_task(
        f"{_TASKS}:draw_content", content, answer_limit=_ANSWER_LIMIT, mime_type=mime_type, side=side, page=page
    )
    return _only_jpeg(picture)


def _parse_answer(answer: bytes) -> tuple[Findings, bytes]:
    """Parse the answer without trusting any part, since a hostile file may have taken over the process."""
    line, _, picture = answer.partition(b"\n")
    try:
        findings = Findings.from_json(json.loads(line))
    except ValueError:
        return Findings(codes=(FindingCode.TOO_HEAVY,)), b""
    return findings, _only_jpeg(picture) if findings.can_be_shown else b""


def _only_jpeg(picture: bytes) -> bytes:
    return picture if picture.startswith(_JPEG_START) else b""
