"""Looks at one uploaded file: a task of the sandbox, never called anywhere else."""

import json

from .findings import PDF, Code, Findings
from .pages import look_at_pdf
from .pictures import as_jpeg, look_at_picture


def look(content: bytes, *, mime_type: str, side: int, page: int) -> bytes:
    """A line of JSON with what is found, and a picture of the page as a JPEG where there is something to show."""
    findings, picture = _looked_at(content, mime_type, side, page)
    return json.dumps(findings.kept()).encode() + b"\n" + picture


def _looked_at(content: bytes, mime_type: str, side: int, page: int) -> tuple[Findings, bytes]:
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
