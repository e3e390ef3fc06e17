"""The tasks of the sandbox that inspect an uploaded file and draw its pages."""

import io
import json
import math

# The two plugins are loaded now, since a confined process cannot look for its libraries.
from PIL import Image, ImageFilter, ImageOps, ImageStat, JpegImagePlugin, PngImagePlugin
from pypdfium2 import PdfDocument, PdfiumError

from .findings import PDF, FindingCode, Findings
from .hidden_files import hides_another_file, split_picture
from .pdf_content import judge_pdf


def inspect_content(content: bytes, *, mime_type: str, side: int) -> bytes:
    """Return a line of JSON with the findings, and the first page as a JPEG unless the file is refused."""
    findings, picture = _inspect(content, mime_type, side)
    return json.dumps(findings.to_json()).encode() + b"\n" + picture


def draw_content(content: bytes, *, mime_type: str, side: int, page: int) -> bytes:
    try:
        _, image = inspect_pdf(content, side, page) if mime_type == PDF else inspect_image(content, side)
    except Exception:
        # A broken file may make the libraries raise any error.
        return b""
    return as_jpeg(image) if image else b""


def _inspect(content: bytes, mime_type: str, side: int) -> tuple[Findings, bytes]:
    codes: set[FindingCode] = set()
    if hides_another_file(content, mime_type):
        codes.add(FindingCode.HIDDEN_FILE)
    try:
        if mime_type == PDF:
            if not codes:
                codes.update(judge_pdf(content))
            if codes:
                return Findings(codes=tuple(codes)), b""
            findings, image = inspect_pdf(content, side)
        else:
            findings, image = inspect_image(content, side)
            # Pillow would show part of an incomplete picture as if it were the whole.
            if not split_picture(content, mime_type)[1]:
                codes.add(FindingCode.UNREADABLE)
        findings = findings.with_codes(codes)
        return findings, as_jpeg(image) if image and findings.can_be_shown else b""
    except MemoryError:
        return Findings(codes=(FindingCode.TOO_HEAVY,)), b""
    except Exception:
        return Findings(codes=(*codes, FindingCode.UNREADABLE)), b""


# A person who checks a document does not read more pages.
MANY_PAGES = 100

# PDFium's error codes: 0 for no error, but no page either; 4 for a password; 5 for an unknown kind of protection.
_PDFIUM_CODES = {0: FindingCode.NO_PAGES, 4: FindingCode.PROTECTED, 5: FindingCode.PROTECTED}
# Pixels per point: a page as small as a stamp need not fill the screen.
_LARGEST_SCALE = 4.0


def inspect_pdf(content: bytes, side: int, page: int = 1) -> tuple[Findings, Image.Image | None]:
    """Return the findings in a PDF, and a picture of the page; None if it is protected or empty. Raises PdfiumError."""
    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        if (code := _PDFIUM_CODES.get(error.err_code or 0)) is None:
            raise
        return Findings(codes=(code,)), None
    count = len(document)
    pdf_page = document[min(page, count) - 1]
    width, height = pdf_page.get_size()
    scale = min(side / width, side / height, _LARGEST_SCALE)
    image: Image.Image = pdf_page.render(scale=scale, may_draw_forms=False).to_pil()
    image.thumbnail((side, side))
    codes = []
    if count > MANY_PAGES:
        codes.append(FindingCode.MANY_PAGES)
    if page == 1 and FindingCode.BLANK in measure(image):
        codes.append(FindingCode.BLANK)
    return Findings(pages=count, codes=tuple(codes)), image


# A4 at 600 dots per inch has 35 million pixels, a good phone's picture 50 million.
MAX_PIXELS = 60_000_000
# The memory that decoding a picture may take. A progressive JPEG is kept whole, with two bytes for each number; any
# other JPEG is decoded at a fraction of its size.
_MAX_DECODED_BYTES = 160_000_000
_BYTES_PER_PIXEL = {"1": 1, "L": 1, "P": 1, "LA": 4, "I;16": 2}
# A page of small print hardly fits in fewer than 1,024 x 768 pixels.
MIN_PIXELS = 700_000

_FORMATS = ("JPEG", "PNG")
_ORIENTATION = 0x0112
_LOCATION = 0x8825
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
# A picture is scaled down to this side before it is measured, so that the limits fit all sizes.
_MEASURED_SIDE = 800
_EDGES = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=1, offset=128)
# A narrower picture is not a page, so it is not measured.
_MIN_SIDE = 16
# Pixels with a brightness this close to the median are paper. A page with a smaller share of ink than this is blank.
_PAPER_RANGE = 32
_MIN_INK = 0.0005
# The variance between neighbouring pixels of a sharp picture is at least this share of the total variance.
_MIN_SHARPNESS = 0.008

# This module checks the size itself, before it decodes a picture.
Image.MAX_IMAGE_PIXELS = None


def inspect_image(content: bytes, side: int) -> tuple[Findings, Image.Image | None]:
    """Return the findings in a JPEG or PNG, and the picture; None if the file is refused. Raises Pillow's errors."""
    with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
        orientation, codes = _read_exif(image)
        width, height = reversed(image.size) if orientation in _SIDEWAYS else image.size
        if width * height > MAX_PIXELS or _decoded_bytes(image) > _MAX_DECODED_BYTES:
            return Findings(width=width, height=height, codes=(FindingCode.TOO_LARGE, *codes)), None
        if isinstance(image, PngImagePlugin.PngImageFile) and image.is_animated:
            return Findings(width=width, height=height, codes=(FindingCode.ANIMATED, *codes)), None
        picture = _flatten(image, max(side, _MEASURED_SIDE))
    if width * height < MIN_PIXELS:
        codes.append(FindingCode.FEW_PIXELS)
    codes += measure(picture)
    picture.thumbnail((side, side))
    if orientation in _UPRIGHT:
        picture = picture.transpose(_UPRIGHT[orientation])
    return Findings(width=width, height=height, codes=tuple(codes)), picture


def _decoded_bytes(image: Image.Image) -> int:
    pixels = image.width * image.height
    if not isinstance(image, JpegImagePlugin.JpegImageFile):
        return pixels * _BYTES_PER_PIXEL.get(image.mode, 4)
    if "progressive" not in image.info:
        return 0
    sampled = [across * down for _, across, down, _ in image.layer]
    return 2 * pixels * sum(sampled) // max(1, max(sampled, default=1))


def measure(image: Image.Image) -> list[FindingCode]:
    """Return [BLANK] if a picture has no ink, [BLURRED] if no part of it is sharp, else []."""
    grey = image.convert("L")
    grey.thumbnail((_MEASURED_SIDE, _MEASURED_SIDE))
    if min(grey.size) < _MIN_SIDE:
        return []
    counts = grey.histogram()
    paper = ImageStat.Stat(grey).median[0]
    paper_share = sum(counts[max(0, paper - _PAPER_RANGE) : paper + _PAPER_RANGE + 1]) / sum(counts)
    if 1 - paper_share < _MIN_INK:
        return [FindingCode.BLANK]
    # The filter leaves the outermost pixels as they are.
    edges = ImageOps.crop(grey.filter(_EDGES), 1)
    sharpness = ImageStat.Stat(edges).var[0] / ImageStat.Stat(grey).var[0]
    return [FindingCode.BLURRED] if sharpness < _MIN_SHARPNESS else []


def as_jpeg(image: Image.Image) -> bytes:
    plain = image.convert("RGB")
    plain.info = {}
    file = io.BytesIO()
    plain.save(file, "JPEG", quality=80)
    return file.getvalue()


def _read_exif(image: Image.Image) -> tuple[int, list[FindingCode]]:
    """Return the camera's orientation, and LOCATION if the file names a place. Broken metadata is ignored."""
    try:
        # `image.getexif` would decode the whole picture first.
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))
        return int(exif.get(_ORIENTATION, 1)), [FindingCode.LOCATION] if exif.get_ifd(_LOCATION) else []
    except Exception:
        return 1, []


# The number of rows converted at a time, so that a large picture is never in memory twice.
_BAND_ROWS = 256


def _flatten(image: Image.Image, side: int) -> Image.Image:
    """Convert a picture to RGB on white. A JPEG is decoded at a fraction of its size if possible."""
    image.draft(image.mode, (2 * side, 2 * side))
    # First reduce by a whole factor to about twice the wanted size: as good as scaling, and takes little memory.
    factor = max(1, max(image.size) // (2 * side))
    flat = Image.new("RGB", (math.ceil(image.width / factor), math.ceil(image.height / factor)))
    rows = factor * max(1, _BAND_ROWS // factor)
    for top in range(0, image.height, rows):
        band = _to_rgb(image.crop((0, top, image.width, min(top + rows, image.height))))
        flat.paste(band.reduce(factor) if factor > 1 else band, (0, top // factor))
    flat.thumbnail((side, side))
    return flat


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):
        # Convert 16 bits of grey to 8.
        image = image.point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    paper = Image.new("RGB", image.size, "white")
    paper.paste(layer, mask=layer.getchannel("A"))
    return paper
