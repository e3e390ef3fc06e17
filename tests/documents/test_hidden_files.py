"""A second file in an upload is found where such bytes stand by no accident, and nowhere else."""

import pytest

from formation_portal.documents.findings import JPEG, PDF, PNG
from formation_portal.documents.hidden_files import hides_another_file
from tests.documents import sample_files
from tests.documents.corpus import pictures

HIDING = {
    "script of a server": (pictures.with_segment(0xFE, b"<?php system($_GET['c']); ?>"), JPEG),
    "Rar behind a JPEG": (sample_files.jpeg(90, 90) + b"Rar!\x1a\x07\x01", JPEG),
    "7z behind a JPEG": (sample_files.jpeg(90, 90) + b"7z\xbc\xaf\x27\x1c", JPEG),
    "page before a PDF": (pictures.PAGE + sample_files.pdf(), PDF),
    "page behind a PDF": (sample_files.pdf() + pictures.PAGE, PDF),
    # As a script its first note is the beginning of a comment, which ends in that note.
    "script from the first byte on": (b"\xff\xd8\xff\xe0/*" + b"*/=alert(1)/*".ljust(0x2F28, b"x") + b"\xff\xd9", JPEG),
}
HONEST = {
    "PDF": (sample_files.pdf(), PDF),
    "note in words": (pictures.with_segment(0xFE, b"a < b, and <htmlish> or *bold*/ words"), JPEG),
    # The same bytes among the pixels, where they stand by accident.
    "like a page among pixels": (pictures.with_chunk(b"IDAT", pictures.PAGE), PNG),
    "comment that begins and never ends": (b"\xff\xd8\xff\xe0/*" + b"x" * 0x2F28 + b"\xff\xd9", JPEG),
}


@pytest.mark.parametrize("name", HIDING)
def test_another_file_is_found(name: str) -> None:
    assert hides_another_file(*HIDING[name])


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_file_hides_none(name: str) -> None:
    assert not hides_another_file(*HONEST[name])
