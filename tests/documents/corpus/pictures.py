"""Pictures that mean harm: floods, second files, and what is torn off; in pieces by hand."""

import io
import struct
import zipfile
import zlib

from .. import sample_files as made
from . import MARK

PNG_START = b"\x89PNG\r\n\x1a\n"
PAGE = b"<html><body><script>alert(1)</script>" + MARK + b"</body></html>"


def chunk(kind: bytes, body: bytes) -> bytes:
    return made._chunk(kind, body)


def with_chunk(kind: bytes, body: bytes, content: bytes = b"") -> bytes:
    """A good PNG with a chunk more, before its pixels."""
    content = content or made.png(400, 300)
    at = content.index(b"IDAT") - 4
    return content[:at] + chunk(kind, body) + content[at:]


def with_segment(marker: int, body: bytes, content: bytes = b"") -> bytes:
    """A good JPEG with a segment more, at its beginning."""
    content = content or made.jpeg(400, 300)
    return content[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + content[2:]


def claiming(width: int, height: int, *, colour: int = 2, depth: int = 8) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return PNG_START + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(100_000))) + chunk(b"IEND", b"")


def blank_png(width: int, height: int) -> bytes:
    """A PNG of black and white dots that is what it says, in a few kilobytes."""
    rows = zlib.compressobj(9)
    line = b"\0" * (1 + (width + 7) // 8)
    body = b"".join(rows.compress(line) for _ in range(height)) + rows.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return PNG_START + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def animated(frames: int) -> bytes:
    """A PNG with so many frames, each a dot."""
    content = with_chunk(b"acTL", struct.pack(">II", frames, 0))
    dot, moves = zlib.compress(b"\0\0\0\0"), []
    for number in range(frames):
        moves.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", 2 * number, 1, 1, 0, 0, 1, 10, 0, 0)))
        moves.append(chunk(b"fdAT", struct.pack(">I", 2 * number + 1) + dot))
    at = content.rindex(b"IEND") - 4
    return content[:at] + b"".join(moves) + content[at:]


def sized(width: int, height: int, *, progressive: bool = False) -> bytes:
    """A JPEG whose header says another size than its pixels have."""
    content = made.saved(made.written(64, 64), "JPEG", subsampling=0, progressive=progressive)
    at = content.index(b"\xff\xc2" if progressive else b"\xff\xc0")
    return content[: at + 5] + struct.pack(">HH", height, width) + content[at + 9 :]


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("index.html", PAGE)
    return file.getvalue()


def as_script() -> bytes:
    """A JPEG that is a script as well: its first note is a comment's beginning, since it is so many bytes long."""
    length = struct.unpack(">H", b"/*")[0]
    note = b"\0" * 20 + b"*/=alert(1)/*" + MARK
    content = made.jpeg(400, 300)
    return content[:2] + b"\xff\xe0/*" + note.ljust(length - 2, b"\0") + content[2:]
