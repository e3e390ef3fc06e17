"""A file becomes a grid, by what it holds and not by what it is called."""

from formation_portal.contract.language import figure, say

from . import delimited, workbook
from .grid import BYTES_AT_MOST, Grid, IsHeading, SheetRefused

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = b"PK"


def read_sheet(content: bytes, is_heading: IsHeading) -> Grid:
    """What the file says. Raises SheetRefused for what is no sheet, or too much of one."""
    if len(content) > BYTES_AT_MOST:
        limit = figure(BYTES_AT_MOST // 1_000_000)
        raise SheetRefused(say("Upload a file of at most {limit} MB", limit=limit))
    if content.startswith(_OLD_OFFICE):
        if _ENCRYPTED in content:
            raise SheetRefused(say("Save the sheet without a password, then upload it: this one is protected"))
        raise SheetRefused(say("Save the sheet as XLSX or CSV, then upload it: this is an older kind of file"))
    if content.startswith(_ZIP):
        return workbook.read(content, is_heading)
    return delimited.read(content, is_heading)
