"""Inspects one uploaded file: a task of the sandbox, never called anywhere else.

PDFs by PDFium, without scripts or forms; JPEG and PNG by Pillow, within limits, turned upright and measured.
"""

import io
import json

# The two plugins are loaded now: a process that opens a file must not have to look for its libraries first.
from PIL import Image, ImageFilter, ImageOps, ImageStat, JpegImagePlugin, PngImagePlugin  # noqa: F401
from pypdfium2 import PdfDocument, PdfiumError

from .findings import PDF, FindingCode, Findings


def inspect_content(content: bytes, *, mime_type: str, side: int, page: int) -> bytes:
    """A line of JSON with what is found, and a picture of the page as a JPEG where there is something to show."""
    findings, picture = _inspect(content, mime_type, side, page)
    return json.dumps(findings.to_json()).encode() + b"\n" + picture


def _inspect(content: bytes, mime_type: str, side: int, page: int) -> tuple[Findings, bytes]:
    try:
        if mime_type == PDF:
            findings, image = inspect_pdf(content, side, page)
        else:
            findings, image = inspect_image(content, side)
        return findings, as_jpeg(image) if image else b""
    except MemoryError:
        return Findings(codes=(FindingCode.TOO_HEAVY,)), b""
    except Exception:
        # Libraries raise what they like at a broken file.
        return Findings(codes=(FindingCode.UNREADABLE,)), b""


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
        if width * height > MAX_PIXELS:
            return Findings(width=width, height=height, codes=(FindingCode.TOO_LARGE, *codes)), None
        shown = _flatten(image, max(side, _MEASURED_SIDE))
    if width * height < MIN_PIXELS:
        codes.append(FindingCode.FEW_PIXELS)
    codes += measure(shown)
    shown.thumbnail((side, side))
    upright = _UPRIGHT.get(orientation)
    return Findings(width=width, height=height, codes=tuple(codes)), shown.transpose(upright) if upright else shown


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


def _flatten(image: Image.Image, side: int) -> Image.Image:
    """In plain colours on white, at most `side` wide and high. A JPEG is decoded at a fraction where that is enough."""
    if image.mode.startswith("I"):
        # 16 bits of grey.
        image = image.point(lambda value: value / 256).convert("L")
    elif image.mode in ("1", "P", "PA"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.thumbnail((side, side))
    if not image.has_transparency_data:
        return image.convert("RGB")
    seen, paper = image.convert("RGBA"), Image.new("RGB", image.size, "white")
    paper.paste(seen, mask=seen.getchannel("A"))
    return paper
