"""Comments in a workbook's parts: short ones are no matter, and a long one is refused whatever it holds."""

import pytest

from formation_portal.applications.imports.grid import SheetRefusal, SheetRefused
from formation_portal.applications.imports.readers import check_archive

from .sample_sheets import ADA, HEADS, as_xlsx, with_part

SHEET = "xl/worksheets/sheet1.xml"


def commented(comment: bytes) -> bytes:
    return with_part(as_xlsx(HEADS, ADA), SHEET, lambda body: body.replace(b"<sheetData>", comment + b"<sheetData>"))


@pytest.mark.parametrize("words", [b" made by hand ", b"x>" * 4_996])
def test_a_short_comment_is_no_matter(words: bytes) -> None:
    assert check_archive(commented(b"<!--" + words + b"-->")) == (False, False)


@pytest.mark.parametrize("end", [b"-->", b""], ids=["ended", "without an end"])
def test_a_long_comment_is_refused_with_ends_of_tags_in_it(end: bytes) -> None:
    with pytest.raises(SheetRefused) as refused:
        check_archive(commented(b"<!--" + b"x>" * 5_000 + end))
    assert refused.value.why is SheetRefusal.TOO_MUCH_BESIDE
