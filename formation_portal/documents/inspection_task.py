"""Judges one uploaded file, and draws pages of one: tasks of the sandbox, never called anywhere else.

PDFs by qpdf and PDFium, without scripts or forms; JPEG and PNG by Pillow, within limits, turned upright and measured.
"""

import io
import json
import math

# The two plugins are loaded now: a process that opens a file must not have to look for its libraries first.
from PIL import Image, ImageFilter, ImageOps, ImageStat, JpegImagePlugin, PngImagePlugin
from pypdfium2 import PdfDocument, PdfiumError

from .findings import PDF, FindingCode, Findings
from .hidden_files import hides_another_file, split_picture
from .pdf_content import judge_pdf


def inspect_content(content: bytes, *, mime_type: str, side: int) -> bytes:
    """A line of JSON with what is found, and a picture of the first page as a JPEG where the file is not refused."""
    findings, picture = _inspect(content, mime_type, side)
    return json.dumps(findings.to_json()).encode() + b"\n" + picture


def draw_content(content: bytes, *, mime_type: str, side: int, page: int) -> bytes:
    """A page as a JPEG; nothing where it can't be drawn."""
    try:
        image = inspect_pdf(content, side, page)[1] if mime_type == PDF else inspect_image(content, side)[1]
    except Exception:
        # Libraries raise what they like at a broken file.
        return b""
    return as_jpeg(image) if image else b""


def _inspect(content: bytes, mime_type: str, side: int) -> tuple[Findings, bytes]:
    refused = frozenset({FindingCode.HIDDEN_FILE}) if hides_another_file(content, mime_type) else frozenset()
    try:
        if mime_type == PDF:
            if refused := refused or judge_pdf(content):
                return Findings(codes=tuple(refused)), b""
            findings, image = inspect_pdf(content, side)
        else:
            findings, image = inspect_image(content, side)
            # A reader that goes on where a file is torn off would show half a page for a whole one.
            if not split_picture(content, mime_type)[1]:
                refused |= {FindingCode.UNREADABLE}
        findings = findings.also(refused)
        return findings, as_jpeg(image) if image and findings.can_be_shown else b""
    except MemoryError:
        return Findings(codes=(FindingCode.TOO_HEAVY,)), b""
    except Exception:
        return Findings(codes=(*refused, FindingCode.UNREADABLE)), b""


# More than a person who checks a paper leafs through.
MANY_PAGES = 100

# PDFium's codes: no error, and yet no page; a password; a way of protection that it doesn't know.
_PDFIUM_CODES = {0: FindingCode.NO_PAGES, 4: FindingCode.PROTECTED, 5: FindingCode.PROTECTED}
# Points to pixels; a page the size of a stamp needn't fill the screen.
_LARGEST_SCALE = 4.0


def inspect_pdf(content: bytes, side: int, page: int = 1) -> tuple[Findings, Image.Image | None]:
    """What is found in a PDF, and a picture of the page, at most `side` wide and high. Raises PdfiumError."""
    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        if (code := _PDFIUM_CODES.get(error.err_code or 0)) is None:
            raise
        return Findings(codes=(code,)), None
    pages = len(document)
    drawn = document[min(page, pages) - 1]
    width, height = drawn.get_size()
    image: Image.Image = drawn.render(
        scale=min(side / width, side / height, _LARGEST_SCALE), may_draw_forms=False
    ).to_pil()
    image.thumbnail((side, side))
    codes = [FindingCode.MANY_PAGES] if pages > MANY_PAGES else []
    codes += [code for code in measure(image) if code is FindingCode.BLANK and page == 1]
    return Findings(pages=pages, codes=tuple(codes)), image


# 60 million: A4 at 600 dots an inch has 35, a good telephone's picture 50.
MAX_PIXELS = 60_000_000
# Of memory that a picture may take while it is decoded: 60 million grey dots, 40 million in colours. A JPEG whose scans
# come one after the other keeps all of them, two bytes a number; any other is decoded at a fraction.
_MAX_UNFOLDED = 160_000_000
_BYTES_OF_A_DOT = {"1": 1, "L": 1, "P": 1, "LA": 4, "I;16": 2}
# Fewer than 1,024 x 768 hardly hold a page of small print.
MIN_PIXELS = 700_000

_FORMATS = ("JPEG", "PNG")
_ORIENTATION, _LOCATION = 0x0112, 0x8825
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_SIDEWAYS = (5, 6, 7, 8)
# The side to which a picture is made smaller before it is measured, so that the same limits fit all.
_MEASURED_SIDE = 800
_EDGES = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=1, offset=128)
# A stripe is no page.
_MIN_SIDE = 16
# What is as bright as most of the page, but for this much, is paper; less than this share of anything else is a blank.
_PAPER, _MIN_INK = 32, 0.0005
# How much of the brightness that varies must do so from one dot to the next.
_MIN_SHARPNESS = 0.008

# The size is judged here, before anything is decoded.
Image.MAX_IMAGE_PIXELS = None


def inspect_image(content: bytes, side: int) -> tuple[Findings, Image.Image | None]:
    """What is found in a JPEG or PNG, and the picture, at most `side` wide and high. Raises what Pillow raises."""
    with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
        orientation, codes = _read_exif(image)
        width, height = reversed(image.size) if orientation in _SIDEWAYS else image.size
        if width * height > MAX_PIXELS or _unfolded_bytes(image) > _MAX_UNFOLDED:
            return Findings(width=width, height=height, codes=(FindingCode.TOO_LARGE, *codes)), None
        if isinstance(image, PngImagePlugin.PngImageFile) and image.is_animated:
            return Findings(width=width, height=height, codes=(FindingCode.ANIMATED, *codes)), None
        shown = _flatten(image, max(side, _MEASURED_SIDE))
    if width * height < MIN_PIXELS:
        codes.append(FindingCode.FEW_PIXELS)
    codes += measure(shown)
    shown.thumbnail((side, side))
    if orientation in _UPRIGHT:
        shown = shown.transpose(_UPRIGHT[orientation])
    return Findings(width=width, height=height, codes=tuple(codes)), shown


def _unfolded_bytes(image: Image.Image) -> int:
    """How much memory the picture takes while it is decoded."""
    pixels = image.width * image.height
    if not isinstance(image, JpegImagePlugin.JpegImageFile):
        return pixels * _BYTES_OF_A_DOT.get(image.mode, 4)
    if "progressive" not in image.info:
        return 0
    sampled = [across * down for _, across, down, _ in image.layer]
    return 2 * pixels * sum(sampled) // max(1, max(sampled, default=1))


def measure(image: Image.Image) -> list[FindingCode]:
    """Whether there is nothing on a picture, or nothing sharp."""
    grey = image.convert("L")
    grey.thumbnail((_MEASURED_SIDE, _MEASURED_SIDE))
    if min(grey.size) < _MIN_SIDE:
        return []
    # Ink is what isn't as bright as most of the page.
    counts, paper = grey.histogram(), ImageStat.Stat(grey).median[0]
    ink_share = 1 - sum(counts[max(0, paper - _PAPER) : paper + _PAPER + 1]) / sum(counts)
    if ink_share < _MIN_INK:
        return [FindingCode.BLANK]
    # The filter leaves the outermost dots as they are.
    edges = ImageOps.crop(grey.filter(_EDGES), 1)
    sharpness = ImageStat.Stat(edges).var[0] / ImageStat.Stat(grey).var[0]
    return [FindingCode.BLURRED] if sharpness < _MIN_SHARPNESS else []


def as_jpeg(image: Image.Image) -> bytes:
    """A JPEG without anything but the picture: nothing that the file said about itself goes along."""
    made, plain = io.BytesIO(), image.convert("RGB")
    plain.info = {}
    plain.save(made, "JPEG", quality=80)
    return made.getvalue()


def _read_exif(image: Image.Image) -> tuple[int, list[FindingCode]]:
    """How the camera was held, and whether the file says where; a broken note says nothing, and hides no picture."""
    try:
        # Asking the picture itself would decode all of it first.
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))
        return int(exif.get(_ORIENTATION, 1)), [FindingCode.LOCATION] if exif.get_ifd(_LOCATION) else []
    except Exception:
        return 1, []


# So many rows at a time are brought into plain colours, so that a large picture isn't held twice.
_BAND_ROWS = 256


def _flatten(image: Image.Image, side: int) -> Image.Image:
    """In plain colours on white, at most `side` wide and high. A JPEG is decoded at a fraction where that is enough."""
    image.draft(image.mode, (2 * side, 2 * side))
    # To twice the size by whole numbers first, which is as good and takes little memory.
    factor = max(1, max(image.size) // (2 * side))
    size = [math.ceil(length / factor) for length in image.size]
    shown, rows = Image.new("RGB", (size[0], size[1])), factor * max(1, _BAND_ROWS // factor)
    for top in range(0, image.height, rows):
        band = _in_plain_colours(image.crop((0, top, image.width, min(top + rows, image.height))))
        shown.paste(band.reduce(factor) if factor > 1 else band, (0, top // factor))
    shown.thumbnail((side, side))
    return shown


def _in_plain_colours(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):
        # 16 bits of grey.
        image = image.point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return image.convert("RGB")
    seen, paper = image.convert("RGBA"), Image.new("RGB", image.size, "white")
    paper.paste(seen, mask=seen.getchannel("A"))
    return paper
