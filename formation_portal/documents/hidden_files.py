"""Search an upload for a hidden second file (page, script, archive or PDF) that another program could open instead.

Only metadata and the bytes after the end are searched, since pixels and pages may hold such bytes by accident.
"""

import io
import re
import zipfile

from .findings import JPEG, PDF

# The beginning of a web page, or of a program that a web server runs.
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|iframe|svg|\?php)[\s>/]", re.IGNORECASE)
# An entry of a ZIP archive's directory, and the beginnings of other archives.
_ARCHIVE = re.compile(rb"PK\x01\x02|Rar!\x1a\x07|7z\xbc\xaf\x27\x1c")
_PDF = b"%PDF-"
# A PDF may begin up to this many bytes into a file.
_HEAD = 1024
# Read as a script, a JPEG whose first segment has this length begins with a comment.
_COMMENT = b"/*"
_COMMENT_END = b"*/"

# A marker of a JPEG; stuffed bytes and restarts, which stand within its data, are excluded.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_JPEG_END = b"\xff\xd9"
_JPEG_NOTES = frozenset({*range(0xE0, 0xF0), 0xFE})
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_PIXELS = b"IDAT"
_PNG_END = b"IEND"
_PDF_END = b"%%EOF"


def hides_another_file(content: bytes, mime_type: str) -> bool:
    if mime_type == PDF:
        searched = content[:_HEAD] + content[content.rfind(_PDF_END) :]
    else:
        searched, _ = split_picture(content, mime_type)
        if _PDF in searched or (content[4:6] == _COMMENT and _COMMENT_END in searched):
            return True
    if _PAGE.search(searched) or _ARCHIVE.search(searched):
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return bool(archive.namelist())
    except Exception:
        # Hardly any file is an archive, and a broken archive may raise any error.
        return False


def split_picture(content: bytes, mime_type: str) -> tuple[bytes, bool]:
    """Return a JPEG or PNG without its pixels, and whether the file has an end marker."""
    return _split_jpeg(content) if mime_type == JPEG else _split_png(content)


def _split_jpeg(content: bytes) -> tuple[bytes, bool]:
    segments: list[bytes] = []
    at = 2
    while match := _JPEG_MARKER.search(content, at):
        marker = match[0]
        at = match.end()
        if marker == _JPEG_END:
            return b"".join([*segments, content[at:]]), True
        # Each segment begins with its length; a scan's header is followed by data, up to the next marker.
        end = at + max(2, int.from_bytes(content[at : at + 2], "big"))
        if marker[1] in _JPEG_NOTES:
            segments.append(content[at + 2 : end])
        at = end
    return b"".join([*segments, content[at:]]), False


def _split_png(content: bytes) -> tuple[bytes, bool]:
    chunks: list[bytes] = []
    at = len(_PNG_START)
    name = b""
    while name != _PNG_END and at < len(content):
        name = content[at + 4 : at + 8]
        end = at + 12 + int.from_bytes(content[at : at + 4], "big")
        if name != _PNG_PIXELS:
            chunks.append(content[at + 4 : end])
        at = end
    return b"".join([*chunks, content[at:]]), name == _PNG_END
