"""Reads a sheet of any kind: a task of the sandbox, never called anywhere else."""

import json
from collections.abc import Collection

from . import delimited, workbook
from .grid import Grid, Refusal, SheetRefused, plain

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = b"PK"


def read(content: bytes, *, headings: Collection[str]) -> bytes:
    """The grid as JSON; or why there is none, with the numbers in its words. `headings` are those that are known."""
    try:
        said = _grid(content, frozenset(headings)).as_json()
    except SheetRefused as refused:
        said = {"refused": refused.why, "values": refused.values}
    except MemoryError:
        said = {"refused": Refusal.TOO_HEAVY, "values": {}}
    return json.dumps(said).encode()


def _grid(content: bytes, known: frozenset[str]) -> Grid:
    def is_heading(text: str) -> bool:
        return plain(text) in known

    if content.startswith(_OLD_OFFICE):
        raise SheetRefused(Refusal.PASSWORD if _ENCRYPTED in content else Refusal.OLD_KIND)
    if content.startswith(_ZIP):
        return workbook.read(content, is_heading)
    return delimited.read(content, is_heading)
