"""What is refused is drawn for nobody, even where a part of it could be."""

import pytest

from formation_portal.documents import inspection_task
from formation_portal.documents.findings import JPEG, PNG, FindingCode

from . import sample_files
from .corpus import pictures

REFUSED = {
    "PNG without an end": (sample_files.png(300, 200)[:-12], PNG, FindingCode.UNREADABLE),
    "JPEG without an end": (sample_files.jpeg(300, 200)[:-2], JPEG, FindingCode.UNREADABLE),
    "PNG with a page behind it": (sample_files.png(300, 200) + pictures.PAGE, PNG, FindingCode.HIDDEN_FILE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_picture_is_not_drawn(name: str) -> None:
    content, mime_type, code = REFUSED[name]
    findings, drawn = inspection_task._inspect(content, mime_type, 100)
    assert code in findings.codes
    assert drawn == b""
