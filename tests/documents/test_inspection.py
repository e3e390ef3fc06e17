"""Whatever somebody uploads is looked at by a process of its own: told in facts, or said to be beyond us."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from formation_portal.documents import inspection, sandbox
from formation_portal.documents.findings import JPEG, PDF, PNG, FindingCode, Findings
from formation_portal.documents.sandbox_process import CPU_SECONDS

from . import sample_files as made


def look(content: bytes, mime_type: str, **how: Any) -> tuple[Findings, bytes]:
    return inspection.inspect_file(BytesIO(content), mime_type, **how)


def draw(content: bytes, mime_type: str, **how: Any) -> bytes:
    return inspection.draw_page(BytesIO(content), mime_type, **how)


def passport(blur: float = 0) -> bytes:
    """A page with a face, a ground that fades, and lines of print as large as a passport's."""
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    image = Image.new("RGB", (1500, 1050))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(30)
    for y in range(1050):
        draw.line((0, y, 1500, y), fill=(200 + y // 40, 210 + y // 50, 225))
    draw.ellipse((100, 200, 500, 700), fill=(190, 150, 130))
    for line in range(8):
        draw.text((600, 180 + line * 80), "SOLHEIM INGRID 12 AUG 1985", fill=(30, 30, 40), font=font)
    return made.saved(image.filter(ImageFilter.GaussianBlur(blur)) if blur else image, "JPEG")


# What the task makes of other modes, orientations and sizes: test_inspection_task.py.
GOOD = {
    "jpeg": (made.jpeg, JPEG, Findings(width=1200, height=900)),
    "png of 16 bits": (lambda: made.saved(made.sixteen_bits(), "PNG"), PNG, Findings(width=1200, height=900)),
    "pdf": (lambda: made.pdf(3), PDF, Findings(pages=3)),
    "300 pages": (lambda: made.pdf(300), PDF, Findings(pages=300, codes=(FindingCode.MANY_PAGES,))),
    "small": (lambda: made.jpeg(640, 480), JPEG, Findings(width=640, height=480, codes=(FindingCode.FEW_PIXELS,))),
    "blank": (made.blank, JPEG, Findings(width=1200, height=900, codes=(FindingCode.BLANK,))),
    "located": (made.located, JPEG, Findings(width=1200, height=900, codes=(FindingCode.LOCATION,))),
    "sharp": (passport, JPEG, Findings(width=1500, height=1050)),
    "blurred": (lambda: passport(blur=6), JPEG, Findings(width=1500, height=1050, codes=(FindingCode.BLURRED,))),
}


@pytest.mark.parametrize(("make", "mime_type", "found"), GOOD.values(), ids=GOOD)
def test_a_file_is_told_in_facts_and_shown(make: Callable[[], bytes], mime_type: str, found: Findings) -> None:
    findings, picture = look(make(), mime_type)
    assert findings == found
    assert findings.can_be_shown
    assert picture.startswith(b"\xff\xd8")


BAD = {
    "empty": (lambda: b"", PDF, FindingCode.UNREADABLE),
    "broken pdf": (lambda: b"%PDF-1.7\n" + b"\0" * 500, PDF, FindingCode.UNREADABLE),
    "torn jpeg": (lambda: made.jpeg()[: len(made.jpeg()) // 2], JPEG, FindingCode.UNREADABLE),
    "torn png": (lambda: made.png()[:-4000], PNG, FindingCode.UNREADABLE),
    "no pages": (made.without_pages, PDF, FindingCode.NO_PAGES),
    "protected": (made.encrypted, PDF, FindingCode.PROTECTED),
    "bomb": (made.bomb, PNG, FindingCode.TOO_LARGE),
    "svg": (
        lambda: b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><text>No PDF at all</text></svg>",
        PDF,
        FindingCode.HIDDEN_FILE,
    ),
}


@pytest.mark.parametrize(("make", "mime_type", "code"), BAD.values(), ids=BAD)
def test_what_cannot_be_shown_is_said(make: Callable[[], bytes], mime_type: str, code: FindingCode) -> None:
    findings, picture = look(make(), mime_type)
    assert findings.codes == (code,)
    assert not findings.can_be_shown
    assert picture == b""


def test_what_a_file_says_of_itself_does_not_go_into_its_picture() -> None:
    picture = look(made.located(), JPEG)[1]
    assert b"Exif" not in picture
    assert b"Exif" in made.located()


def test_any_page_is_drawn_at_any_size() -> None:
    from PIL import Image

    with Image.open(BytesIO(draw(made.pdf(3), PDF, page=2, side=1400))) as picture:
        assert max(picture.size) == 1400
    assert look(made.pdf_of(b"0 0 9 9 re f", box="0 0 1 99999999"), PDF)[0].pages == 1


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two million lines over one another, in a file of 50 kB. That a task has its seconds is held in test_sandbox."""
    given, run_task = [], sandbox.run_task

    def noted(*task: Any, **how: Any) -> bytes:
        given.append(how["seconds"])
        return run_task(*task, **how)

    monkeypatch.setattr(sandbox, "run_task", noted)
    lines = made.pdf_of(b"0 0 m 595 842 l 300 1 l S 1 1 593 840 re f " * 400_000)
    assert look(lines, PDF, seconds=1)[0].codes == (FindingCode.TOO_HEAVY,)
    assert look(made.pdf(), PDF)[0] == Findings(pages=1)
    assert given == [1, CPU_SECONDS]


def test_a_sandbox_that_has_died_is_replaced() -> None:
    look(made.pdf(), PDF)
    process = sandbox._sandbox.process
    assert process is not None
    process.kill()
    process.wait()
    assert look(made.pdf(), PDF)[0] == Findings(pages=1)


def test_a_sandbox_is_given_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    monkeypatch.setenv("SECRET_KEY", "do-not-pass-on")
    sandbox._sandbox.close()
    look(made.pdf(), PDF)
    process = sandbox._sandbox.process
    assert process is not None
    assert b"do-not-pass-on" not in Path(f"/proc/{process.pid}/environ").read_bytes()


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"{", b"[]\n", b'{"pages": -1, "codes": ["made-up"], "width": "x"}\n'),
        *(b'{"pages": true, "width": 2147483648}\n', b'{"pages": 1.5, "width": null, "codes": "blank"}\n'),
    ],
)
def test_what_the_sandbox_answers_is_never_believed(answer: bytes) -> None:
    seen, _ = inspection._parse_answer(answer)
    assert seen.codes in ((), (FindingCode.TOO_HEAVY,))
    assert (seen.pages, seen.width) == (0, 0)


REFUSED = (
    *("protected", "hidden_file", "active", "xfa", "attachment", "animated"),
    *("too_many_pages", "no_pages", "too_large", "too_heavy", "unreadable"),
)


def test_of_all_reasons_to_refuse_a_file_the_first_is_said() -> None:
    for place, code in enumerate(REFUSED):
        left = tuple(found for found in FindingCode if found not in REFUSED[:place])
        assert Findings(codes=left).refusal == code
    advice = ("misnamed", "few_pixels", "blurred", "blank", "many_pages", "location")
    assert {*advice, *REFUSED} == {code.value for code in FindingCode}
    kept = Findings(codes=tuple(map(FindingCode, advice)))
    assert (kept.refusal, kept.can_be_shown) == (None, True)
