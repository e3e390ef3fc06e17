"""Finds a second file in an upload, which another program would take for the first: a page, a script, an archive, a
PDF. A part of the sandbox's inspection.

Only what is neither pixels nor a page is searched, where such bytes stand by accident: notes of the camera and of
programs, and what comes after the end. A phone's film or second picture there is harmless.
"""

import io
import re
import zipfile

from .findings import JPEG, PDF

# How a page, or a program of a web server, begins.
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|iframe|svg|\?php)[\s>/]", re.IGNORECASE)
# An entry of a ZIP archive's directory, and how other archives begin.
_ARCHIVE = re.compile(rb"PK\x01\x02|Rar!\x1a\x07|7z\xbc\xaf\x27\x1c")
_PDF = b"%PDF-"
# A PDF is looked for so far into a file.
_HEAD = 1024
# A picture whose first note is so many bytes long is, as a script, the beginning of a comment.
_COMMENT, _COMMENT_END = b"/*", b"*/"

# Markers within a JPEG's data that do not end it: a stuffed byte, and restarts.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_JPEG_END = b"\xff\xd9"
_JPEG_NOTES = frozenset({*range(0xE0, 0xF0), 0xFE})
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_PIXELS, _PNG_END = b"IDAT", b"IEND"
_PDF_END = b"%%EOF"


def hides_another_file(content: bytes, mime_type: str) -> bool:
    """Whether there is another file within the file or behind it."""
    if mime_type == PDF:
        beside = content[:_HEAD] + content[content.rfind(_PDF_END) :]
    else:
        beside = split_picture(content, mime_type)[0]
        if _PDF in beside or (content[4:6] == _COMMENT and _COMMENT_END in beside):
            return True
    return bool(_PAGE.search(beside) or _ARCHIVE.search(beside)) or _is_archive(content)


def _is_archive(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return bool(archive.namelist())
    except Exception:
        # Hardly any file is one, and a broken one may raise anything.
        return False


def split_picture(content: bytes, mime_type: str) -> tuple[bytes, bool]:
    """All of a JPEG or PNG but its pixels, and whether the picture has an end."""
    return _split_jpeg(content) if mime_type == JPEG else _split_png(content)


def _split_jpeg(content: bytes) -> tuple[bytes, bool]:
    notes: list[bytes] = []
    at = 2
    while found := _JPEG_MARKER.search(content, at):
        marker, at = found[0], found.end()
        if marker == _JPEG_END:
            return b"".join([*notes, content[at:]]), True
        # Each segment has its length; after the header of a scan come its data, up to the next marker.
        end = at + max(2, int.from_bytes(content[at : at + 2], "big"))
        if marker[1] in _JPEG_NOTES:
            notes.append(content[at + 2 : end])
        at = end
    return b"".join([*notes, content[at:]]), False


def _split_png(content: bytes) -> tuple[bytes, bool]:
    """Each chunk is a length, four letters, as many bytes, and a checksum."""
    notes: list[bytes] = []
    at, name = len(_PNG_START), b""
    while name != _PNG_END and at < len(content):
        name, end = content[at + 4 : at + 8], at + 12 + int.from_bytes(content[at : at + 4], "big")
        if name != _PNG_PIXELS:
            notes.append(content[at + 4 : end])
        at = end
    return b"".join([*notes, content[at:]]), name == _PNG_END
