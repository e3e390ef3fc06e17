"""What the sandbox's task makes of pictures and PDFs, called by itself: what runs in the sandbox is not traced."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw

from formation_portal.documents import inspection_task
from formation_portal.documents.findings import FindingCode, Findings

from . import sample_files as made

RED, GREEN, BLUE, YELLOW = (254, 0, 0), (0, 128, 1), (0, 0, 254), (255, 255, 0)


def four_corners(width: int = 80, height: int = 40) -> Image.Image:
    """A picture whose corners tell how it is held: red and green above, blue and yellow below."""
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for number, colour in enumerate((RED, GREEN, BLUE, YELLOW)):
        left, top = number % 2 * width // 2, number // 2 * height // 2
        draw.rectangle((left, top, left + width // 2, top + height // 2), fill=colour)
    return image


def corners(image: Image.Image) -> list[Any]:
    width, height = image.size
    return [image.getpixel(place) for place in ((1, 1), (width - 2, 1), (1, height - 2), (width - 2, height - 2))]


@pytest.mark.parametrize(
    ("orientation", "seen"),
    [
        (1, [RED, GREEN, BLUE, YELLOW]),
        (2, [GREEN, RED, YELLOW, BLUE]),
        (3, [YELLOW, BLUE, GREEN, RED]),
        (4, [BLUE, YELLOW, RED, GREEN]),
        (5, [RED, BLUE, GREEN, YELLOW]),
        (6, [BLUE, RED, YELLOW, GREEN]),
        (7, [YELLOW, GREEN, BLUE, RED]),
        (8, [GREEN, YELLOW, RED, BLUE]),
        (9, [RED, GREEN, BLUE, YELLOW]),
    ],
)
def test_a_picture_is_turned_upright_and_measured_so(orientation: int, seen: list[Any]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    findings, image = inspection_task.inspect_image(made.saved(four_corners(), "PNG", exif=exif), 80)
    assert image is not None
    assert (findings.width, findings.height) == image.size == ((40, 80) if orientation in (5, 6, 7, 8) else (80, 40))
    assert corners(image) == seen


@pytest.mark.parametrize(
    ("mode", "kind", "how", "unfolded"),
    [
        ("1", "PNG", {}, 5_000),
        ("L", "PNG", {}, 5_000),
        ("P", "PNG", {}, 5_000),
        ("I;16", "PNG", {}, 10_000),
        ("LA", "PNG", {}, 20_000),
        ("RGB", "PNG", {}, 20_000),
        ("RGBA", "PNG", {}, 20_000),
        ("RGB", "JPEG", {}, 0),
        ("L", "JPEG", {"progressive": True}, 10_000),
        ("RGB", "JPEG", {"progressive": True, "subsampling": "4:4:4"}, 30_000),
        ("RGB", "JPEG", {"progressive": True, "subsampling": "4:2:0"}, 15_000),
    ],
)
def test_what_a_picture_takes_while_it_is_decoded(mode: str, kind: str, how: dict[str, Any], unfolded: int) -> None:
    with Image.open(BytesIO(made.saved(Image.new(mode, (100, 50)), kind, **how))) as image:
        assert inspection_task._decoded_bytes(image) == unfolded


@pytest.mark.parametrize("limit", ["MAX_PIXELS", "_MAX_DECODED_BYTES"])
def test_a_picture_may_be_as_large_as_the_limit(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    content, takes = made.saved(four_corners(), "PNG"), 80 * 40 * (4 if limit == "_MAX_DECODED_BYTES" else 1)
    monkeypatch.setattr(inspection_task, limit, takes)
    assert inspection_task.inspect_image(content, 80)[1] is not None
    monkeypatch.setattr(inspection_task, limit, takes - 1)
    too_large = Findings(width=80, height=40, codes=(FindingCode.TOO_LARGE,))
    assert inspection_task.inspect_image(content, 80) == (too_large, None)


@pytest.mark.parametrize(("side", "size"), [(800, (800, 400)), (200, (200, 100)), (50, (50, 25)), (7, (7, 4))])
def test_a_picture_is_made_smaller_in_bands_and_keeps_its_place(side: int, size: tuple[int, int]) -> None:
    """Of 700 rows, which are no whole number of bands."""
    with Image.open(BytesIO(made.saved(four_corners(1400, 700), "PNG"))) as image:
        shown = inspection_task._flatten(image, side)
        assert shown.size == size
        if side > 7:
            assert corners(shown) == [RED, GREEN, BLUE, YELLOW]


@pytest.mark.parametrize(
    ("image", "seen"),
    [
        (Image.new("RGBA", (2, 2), (254, 0, 0, 0)), (255, 255, 255)),
        (Image.new("RGBA", (2, 2), (254, 0, 0, 255)), (254, 0, 0)),
        (Image.new("LA", (2, 2), (7, 0)), (255, 255, 255)),
        (Image.new("L", (2, 2), 7), (7, 7, 7)),
        (Image.new("I;16", (2, 2), 7 * 256), (7, 7, 7)),
        (Image.new("I", (2, 2), 7 * 256), (7, 7, 7)),
        (Image.new("1", (2, 2), 1), (255, 255, 255)),
        (Image.new("CMYK", (2, 2), (0, 0, 0, 0)), (255, 255, 255)),
    ],
    ids=["clear", "red", "clear grey", "grey", "16 bits", "32 bits", "white", "print"],
)
def test_a_picture_is_shown_on_white_paper(image: Image.Image, seen: tuple[int, int, int]) -> None:
    shown = inspection_task._to_rgb(image)
    assert (shown.mode, shown.getpixel((0, 0))) == ("RGB", seen)


def test_a_page_is_blank_only_where_hardly_anything_is_on_it() -> None:
    page = Image.new("RGB", (800, 600), (250, 250, 250))
    assert inspection_task.measure(page) == [FindingCode.BLANK]
    # 20 rows of 10 dots are less than one in two thousand, 20 of 20 are not; and what is nearly as bright is paper.
    for width, blank in ((10, True), (20, False)):
        marked = page.copy()
        ImageDraw.Draw(marked).rectangle((100, 100, 99 + width, 119), fill="black")
        assert (FindingCode.BLANK in inspection_task.measure(marked)) is blank
    for shade, blank in ((250 - 32, True), (250 - 34, False)):
        shaded = page.copy()
        ImageDraw.Draw(shaded).rectangle((100, 100, 300, 300), fill=(shade, shade, shade))
        assert (FindingCode.BLANK in inspection_task.measure(shaded)) is blank
    assert inspection_task.measure(Image.new("RGB", (800, 15), "white")) == []
    assert inspection_task.measure(Image.new("RGB", (800, 16), "white")) == [FindingCode.BLANK]


def test_a_picture_is_measured_at_one_size_whatever_its_own() -> None:
    large = made.written(800, 600).resize((6400, 4800))
    assert inspection_task.measure(large) == []
    assert inspection_task.measure(large.crop((0, 0, 800, 600))) == [FindingCode.BLURRED]


def test_a_pdf_that_asks_for_a_password_is_said_to() -> None:
    assert inspection_task.inspect_pdf(made.encrypted(), 100) == (Findings(codes=(FindingCode.PROTECTED,)), None)


@pytest.mark.parametrize(
    ("box", "size"),
    [("0 0 200 100", (300, 150)), ("0 0 100 200", (150, 300)), ("0 0 20 10", (80, 40))],
    ids=["wide", "high", "a stamp"],
)
def test_a_page_is_drawn_as_large_as_was_asked(box: str, size: tuple[int, int]) -> None:
    image = inspection_task.inspect_pdf(made.pdf_of(b"1 0 0 rg 0 0 9 9 re f", box=box), 300)[1]
    assert image is not None
    assert image.size == size


def test_only_the_first_page_is_said_to_be_blank_and_a_page_behind_the_last_is_the_last() -> None:
    blank = made.pdf_of(b"")
    assert inspection_task.inspect_pdf(blank, 100, 1)[0].codes == (FindingCode.BLANK,)
    assert inspection_task.inspect_pdf(blank, 100, 2)[0].codes == ()
    assert inspection_task.draw_content(made.pdf(2), mime_type="application/pdf", side=90, page=9)
