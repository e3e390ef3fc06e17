"""The record as a PDF: the same words as on the page, tagged, for any name in any script, and whole."""

import resource
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation
from PIL import ImageFont

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.parsing import LINES_LIMIT
from formation_portal.documents.typesetting import fonts_in
from formation_portal.ui import downloads
from formation_portal.ui.downloads import PdfNotMade, make_pdf
from formation_portal.ui.printed_record import PrintedEntry, PrintedRecord, PrintedRow, printed_record
from tests import factories
from tests.pdfs import ReadPdf, read_pdf, squeezed
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# What would be code, mark-up or a command, were it ever read as such.
HOSTILE = (
    '#import "@preview/x:1.0.0"',
    "#panic(1)",
    "$ x^2 $ *bold* _thin_ `code`",
    "= Not a heading",
    "\\u{41} \\ // no comment /* none */",
    "<label> @reference [content] #[x]",
    '"); quit',
    "it's -- 'quoted' --- ... ~ said",
)


def pdf_of(client: Client, draft: Draft) -> ReadPdf:
    return read_pdf(client.get(f"{root(draft)}record.pdf").content)


def record(*rows: PrintedRow, title: str = "Answers", **more: Any) -> PrintedRecord:
    texts = {"title": "Record", "reference": "FP-1", "name": "Larkfield", "caption": "", "lead": ""}
    languages = {"language": "en", "schema_language": ""}
    return PrintedRecord(
        **languages | texts | more,
        words={"page": "Page {number} of {total}", "nothing": "Not provided"},
        letterhead=("Portal", ""),
        entries=(PrintedEntry(title, rows=rows, columns=("Question", "Answer")),),
    )


def test_it_is_tagged_and_says_what_it_is_and_in_which_language(submitted: Draft, as_owner: Client) -> None:
    found = pdf_of(as_owner, submitted)
    reference = submitted.application.reference
    assert found.is_tagged
    assert found.claims_ua
    assert found.language.startswith("en")
    assert found.title == f"Record of Larkfield Holdings, {reference}"
    assert {"H1", "H2", "Table", "TR", "TH", "TD"} <= found.tags
    for number, page in enumerate(found.pages, 1):
        assert reference in page
        assert f"Page {number} of {len(found.pages)}" in squeezed(page)


def test_a_draft_says_that_it_is_one_and_what_is_needed(draft: Draft, owner: Any, as_owner: Client) -> None:
    factories.save_section(draft, "the-company", factories.COMPANY | {"xy.goods": "Cold fish"}, by=owner)
    found = pdf_of(as_owner, draft).text
    assert "Draft. Not submitted yet." in found
    for need in draft.needs:
        assert squeezed(need.text) in found
    assert "No longer needed, not sent" in found
    assert "Cold fish" in found
    assert "Purpose Not provided" in found
    assert "Declaration" not in found


def test_what_somebody_typed_is_never_read_as_a_command_and_no_control_character_does_harm() -> None:
    rows = [PrintedRow(typed, typed, typed, is_name=True) for typed in HOSTILE]
    found = read_pdf(make_pdf(record(*rows, title=HOSTILE[1], name=HOSTILE[1])))
    for typed in HOSTILE:
        assert found.text.count(squeezed(typed)) >= 3
    assert found.claims_ua
    controls = PrintedRow("A", "one\r\ntwo\x07three\x00\u2028four"), PrintedRow("B", "\u202eabc")
    found = read_pdf(make_pdf(record(*controls)))
    for word in ("one", "two", "three", "four", "cba"):
        assert word in found.text, "the last one is turned round, as whoever typed it has said"


def test_names_in_other_scripts_stand_as_they_were_typed() -> None:
    names = ("Ольга Иванова", "Γιώργος Παπαδόπουλος", "Nguyễn Thị Ánh", "Łukasz Żółć", "שרה כהן")
    found = read_pdf(make_pdf(record(*[PrintedRow("Name", name, is_name=True) for name in names])))
    assert found.claims_ua
    assert set("".join(names)) <= set("".join(found.pages)) | {" "}
    assert "U+" not in found.text


def test_characters_without_a_font_are_told_by_their_codes_and_nothing_fails() -> None:
    """Icon fonts have private-use characters, but none of these."""
    lost = "\U0010fffd\U0010abcd"
    found = read_pdf(
        make_pdf(record(PrintedRow("Family name", f"Li {lost}", is_name=True), PrintedRow("Town", "Bern")))
    )
    assert found.is_tagged
    assert not found.claims_ua
    assert "We can’t print some of the characters" in found.text
    assert found.text.count("U+10FFFD U+10ABCD") == 2, "once in the note on top, once beside the name"
    assert "Family name: U+10FFFD U+10ABCD" in found.text
    assert "Town Bern" in found.text


def test_a_folder_of_more_fonts_is_read(settings: Any, tmp_path: Path) -> None:
    shipped = ImageFont.load_default(size=10)
    assert isinstance(shipped, ImageFont.FreeTypeFont)
    (tmp_path / "shipped.ttf").write_bytes(shipped.path.getvalue())  # type: ignore[union-attr]  # a stream, here
    family, _ = shipped.getname()
    assert family in fonts_in(str(tmp_path)).families()
    assert fonts_in(str(tmp_path / "nowhere")).families()
    settings.PDF_FONTS = str(tmp_path)
    assert "Bern" in read_pdf(make_pdf(record(PrintedRow("Town", "Bern")))).text


def test_of_a_text_without_end_the_beginning_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert downloads._LONGEST >= LINES_LIMIT
    monkeypatch.setattr(downloads, "_LONGEST", 60)
    found = read_pdf(make_pdf(record(PrintedRow("A", "word " * 50), PrintedRow("B", "the next answer")))).text
    assert f"{'word ' * 12}… B the next answer" in found
    assert found.count("word") == 12


def test_every_page_about_the_whole_leads_to_it(submitted: Draft, as_owner: Client, as_agent: Client) -> None:
    reference = submitted.application.reference
    other = services.start(owner=submitted.application.owner, product=factories.product())
    link = f'href="/applications/{reference}/record.pdf"'
    assert link in as_owner.get(f"/applications/{reference}/status/").content.decode()
    listed = as_owner.get("/applications/").content.decode()
    assert listed.count("/record.pdf") == listed.count("/record.json") == 2
    assert "/record.pdf" in as_owner.get(f"/applications/{other.reference}/").content.decode()
    assert f'href="/desk/{reference}/record.pdf"' in as_agent.get(f"/desk/{reference}/").content.decode()


def test_a_name_without_end_costs_neither_the_process_nor_its_reader_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100,000 characters it took 22 GB of the process that answers requests, and they stayed."""
    monkeypatch.setattr(downloads, "_LONGEST", 100_000)
    monkeypatch.setattr(downloads, "PDF_SECONDS", 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(PdfNotMade):
        make_pdf(record(name="x" * 100_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "in kB"


def test_a_record_that_cannot_be_typeset_leads_to_its_other_copies(
    draft: Draft, as_owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "CHARACTERS_AT_MOST", 500)
    answer = as_owner.get(f"{root(draft)}record.pdf")
    assert answer.status_code == 503
    assert "attachment" not in answer.headers.get("Content-Disposition", "")
    assert "We could not create the PDF" in answer.content.decode()
    assert as_owner.get(f"{root(draft)}record.json").status_code == 200
    assert 'href="record.json"' in answer.content.decode()


def test_its_words_are_the_readers(submitted: Draft) -> None:
    with translation.override("de"):
        found = read_pdf(make_pdf(printed_record(submitted, made_at=timezone.now())))
    assert found.language == "de"
    assert "en" in found.languages, "the schema's words are marked with theirs"
    assert "en" not in read_pdf(make_pdf(printed_record(submitted, made_at=timezone.now()))).languages
