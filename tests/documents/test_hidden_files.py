"""A second file in an upload is found where such bytes stand by no accident, and nowhere else."""

import struct
import zlib

import pytest

from formation_portal.documents.findings import JPEG, PDF, PNG
from formation_portal.documents.hidden_files import hides_another_file
from tests.documents import sample_files

PAGE = b"<html><body><script>alert(1)</script></body></html>"
PHP = b"<?php system($_GET['c']); ?>"


def jpeg_with_note(note: bytes, *, marker: int = 0xFE) -> bytes:
    """A note after the first two bytes, as cameras and programs write them."""
    return b"\xff\xd8" + bytes((0xFF, marker)) + struct.pack(">H", len(note) + 2) + note + sample_files.jpeg(90, 90)[2:]


def png_with_chunk(name: bytes, body: bytes) -> bytes:
    chunk = struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    good = sample_files.png(90, 90)
    return good[:33] + chunk + good[33:]


HIDING = {
    "script of a server": (jpeg_with_note(PHP), JPEG),
    "Rar behind a JPEG": (sample_files.jpeg(90, 90) + b"Rar!\x1a\x07\x01", JPEG),
    "7z behind a JPEG": (sample_files.jpeg(90, 90) + b"7z\xbc\xaf\x27\x1c", JPEG),
    "page before a PDF": (PAGE + sample_files.pdf(), PDF),
    "page behind a PDF": (sample_files.pdf() + PAGE, PDF),
    # As a script its first note is the beginning of a comment, which ends in that note.
    "script from the first byte on": (b"\xff\xd8\xff\xe0/*" + b"*/=alert(1)/*".ljust(0x2F28, b"x") + b"\xff\xd9", JPEG),
}
HONEST = {
    "PDF": (sample_files.pdf(), PDF),
    "note in words": (jpeg_with_note(b"a < b, and <htmlish> or *bold*/ words"), JPEG),
    # The same bytes among the pixels, where they stand by accident.
    "like a page among pixels": (png_with_chunk(b"IDAT", PAGE), PNG),
    "comment that begins and never ends": (b"\xff\xd8\xff\xe0/*" + b"x" * 0x2F28 + b"\xff\xd9", JPEG),
}


@pytest.mark.parametrize("name", HIDING)
def test_another_file_is_found(name: str) -> None:
    assert hides_another_file(*HIDING[name])


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_file_hides_none(name: str) -> None:
    assert not hides_another_file(*HONEST[name])
