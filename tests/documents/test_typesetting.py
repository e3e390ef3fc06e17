"""Typesetting a record, called by itself: in the sandbox, by the portal, it is asked for in portal/submission."""

import json
from pathlib import Path
from typing import Any

import pytest
import typst

from formation_portal.documents import typesetting
from formation_portal.documents.typesetting import typeset

SOURCE = """
#set document(title: "A record")
#set page(width: 200pt, height: 200pt)
#let record = json(bytes(sys.inputs.record))
#let logo = json(bytes(sys.inputs.logo))
#if logo.len() > 0 { image(bytes(logo), width: 20pt, alt: "Logo") }
#record.title
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "record.typ"
    path.write_text(SOURCE)
    return str(path)


def made(source: str, title: str, **more: Any) -> bytes:
    how: dict[str, Any] = {"fonts": "", "logo": "", "made_at": 1_700_000_000, "is_accessible": True} | more
    return typeset(json.dumps({"title": title}).encode(), source=source, **how)


def test_the_same_record_is_the_same_file(source: str) -> None:
    pdf = made(source, "Larkfield")
    assert pdf.startswith(b"%PDF-")
    assert pdf == made(source, "Larkfield") != made(source, "Larkspur")
    assert pdf != made(source, "Larkfield", made_at=1_800_000_000)


def test_characters_that_no_font_has_are_named(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of Typst's own fonts: the machine may have others.
    monkeypatch.setattr(typesetting, "fonts_in", lambda _: typst.Fonts(include_system_fonts=False))
    assert json.loads(made(source, "A\U00010380B\U000118a0")) == "\U00010380\U000118a0"
