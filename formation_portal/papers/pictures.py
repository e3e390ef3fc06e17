"""Pictures, by Pillow: opened within limits, turned upright, measured, made smaller. Runs in the sandbox only."""

import io

from PIL import Image, ImageFilter, ImageOps, ImageStat, JpegImagePlugin, PngImagePlugin

from .findings import Code, Findings

# 60 million: A4 at 600 dots an inch has 35, a good telephone's picture 50.
PIXELS_SHOWN = 60_000_000
# Fewer than 1,024 x 768 hardly hold a page of small print.
PIXELS_TO_READ = 700_000

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
_LYING = (5, 6, 7, 8)
# The side to which a picture is made smaller before it is measured, so that the same limits fit all.
_MEASURED = 800
_EDGES = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=1, offset=128)
# A stripe is no page.
_LEAST_SIDE = 16
# What is as bright as most of the page, but for this much, is paper; less than this share of anything else is a blank.
_PAPER, _LEAST_INK = 32, 0.0005
# How much of the brightness that varies must do so from one dot to the next.
_LEAST_SHARPNESS = 0.008

# The size is judged here, before anything is decoded.
Image.MAX_IMAGE_PIXELS = None

# Loaded now: a process that opens a file must not have to look for its libraries first.
__all__ = ["JpegImagePlugin", "PngImagePlugin", "as_jpeg", "look_at_picture", "measured"]


def look_at_picture(content: bytes, side: int) -> tuple[Findings, Image.Image | None]:
    """What is found in a JPEG or PNG, and the picture, at most `side` wide and high. Raises what Pillow raises."""
    with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
        orientation, codes = _said_of_itself(image)
        width, height = reversed(image.size) if orientation in _LYING else image.size
        if width * height > PIXELS_SHOWN:
            return Findings(width=width, height=height, codes=(Code.TOO_LARGE, *codes)), None
        shown = _shown(image, max(side, _MEASURED))
    if width * height < PIXELS_TO_READ:
        codes.append(Code.FEW_PIXELS)
    codes += measured(shown)
    shown.thumbnail((side, side))
    upright = _UPRIGHT.get(orientation)
    return Findings(width=width, height=height, codes=tuple(codes)), shown.transpose(upright) if upright else shown


def measured(image: Image.Image) -> list[Code]:
    """Whether there is nothing on a picture, or nothing sharp."""
    grey = image.convert("L")
    grey.thumbnail((_MEASURED, _MEASURED))
    if min(grey.size) < _LEAST_SIDE:
        return []
    if _ink(grey) < _LEAST_INK:
        return [Code.BLANK]
    # The filter leaves the outermost dots as they are.
    edges = ImageOps.crop(grey.filter(_EDGES), 1)
    sharpness = ImageStat.Stat(edges).var[0] / ImageStat.Stat(grey).var[0]
    return [Code.BLURRED] if sharpness < _LEAST_SHARPNESS else []


def _ink(grey: Image.Image) -> float:
    """The share of the page that isn't as bright as most of it."""
    counts, paper = grey.histogram(), ImageStat.Stat(grey).median[0]
    return 1 - sum(counts[max(0, paper - _PAPER) : paper + _PAPER + 1]) / sum(counts)


def as_jpeg(image: Image.Image) -> bytes:
    """A JPEG without anything but the picture: nothing that the file said about itself goes along."""
    made, plain = io.BytesIO(), image.convert("RGB")
    plain.info = {}
    plain.save(made, "JPEG", quality=80)
    return made.getvalue()


def _said_of_itself(image: Image.Image) -> tuple[int, list[Code]]:
    """How the camera was held, and whether the file says where; a broken note says nothing, and hides no picture."""
    try:
        # Asking the picture itself would decode all of it first.
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))
        return int(exif.get(_ORIENTATION, 1)), [Code.LOCATION] if exif.get_ifd(_LOCATION) else []
    except Exception:
        return 1, []


def _shown(image: Image.Image, side: int) -> Image.Image:
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
