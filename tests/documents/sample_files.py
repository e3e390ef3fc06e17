"""Files made on the fly: good ones, and every kind of bad one that people and their enemies send."""

import io
import struct
import zlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from PIL import Image, ImageDraw

WORDS = "In witness whereof the holder of this passport is named above, and may pass without let. "


@cache
def written(width: int, height: int, *, mode: str = "RGB") -> Image.Image:
    """A page full of print. Whoever changes it copies it before."""
    image = Image.new(mode, (width, height), "white" if mode != "CMYK" else (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    ink: Any = "black" if mode != "CMYK" else (0, 0, 0, 255)
    for line in range(20, height - 20, 18):
        draw.text((20, line), WORDS * (width // 400 + 1), fill=ink)
    return image


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()


@cache
def jpeg(width: int = 1200, height: int = 900) -> bytes:
    return saved(written(width, height), "JPEG", quality=85)


@cache
def png(width: int = 1200, height: int = 900) -> bytes:
    return saved(written(width, height), "PNG")


def blank() -> bytes:
    return saved(Image.new("RGB", (1200, 900), (251, 250, 248)), "JPEG")


def sixteen_bits() -> Image.Image:
    """A scan in very fine greys."""
    return written(1200, 900).convert("I").point(lambda grey: grey * 257).convert("I;16")


@cache
def turned() -> bytes:
    """Taken with the camera on its side: stored lying, meant upright."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(written(1200, 900), "JPEG", exif=exif)


@cache
def located() -> bytes:
    exif = Image.Exif()
    exif.get_ifd(0x8825).update({1: "N", 2: (46.0, 57.0, 5.0), 3: "E", 4: (7.0, 27.0, 0.0)})
    return saved(written(1200, 900), "JPEG", exif=exif)


def bomb(side: int = 50_000) -> bytes:
    """A PNG of a few hundred kB that would take gigabytes: honest in its header, hostile in its size."""
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compressobj(9)
    line = b"\0" * (1 + side // 8)
    body = b"".join(rows.compress(line) for _ in range(min(side, 400))) + rows.flush()
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pdf(pages: int = 1, *, text: str = WORDS) -> bytes:
    """Pages with a line of print each."""
    drawn = f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET".encode()
    kids = " ".join(f"{4 + number} 0 R" for number in range(pages))
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 {font} 0 R>>>>/Contents 3 0 R>>"
    font = 4 + pages
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Count {pages}/Kids[{kids}]>>".encode(),
            b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
            *(page.format(font=font).encode() for _ in range(pages)),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


def pdf_of(content: bytes, *, box: str = "0 0 595 842") -> bytes:
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
            b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream"
            % (len(packed := zlib.compress(content, 9)), packed),
            f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Contents 3 0 R>>".encode(),
        ]
    )


def without_pages() -> bytes:
    return _pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"])


def encrypted() -> bytes:
    """A PDF that opens with a password only: its marks of protection are right, and none of them fits an empty one."""
    locked = b"<</Filter/Standard/V 1/R 2/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">/P -4>>"
    return _pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
            locked,
            b"<</Type/Page/Parent 2 0 R>>",
        ],
        more=b"/Encrypt 3 0 R/ID[<00><00>]",
    )


def _pdf(objects: Iterable[bytes], *, more: bytes = b"") -> bytes:
    body, offsets = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", []
    for number, one in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count, start = len(offsets) + 1, len(body)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % count
    return body + head + table + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (count, more, start)
