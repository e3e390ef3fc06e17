"""Checks of uploads by content: what cannot be stored is refused; what may be wrong is recorded as a finding."""

import hashlib
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import IO, cast

from babel.numbers import format_decimal
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from formation_portal.contract.localisation import locale
from formation_portal.documents.inspection import inspect_file

from ..models import Document
from .exceptions import UploadRefused

logger = logging.getLogger(__name__)

SIGNATURES = {
    b"%PDF-": "application/pdf",
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
}
MAX_NAME_LENGTH = 200
# Markers within a JPEG's data that do not end it: a stuffed byte, and restarts.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_JPEG_END = b"\xff\xd9"
# The beginning of an HTML page, and of an entry in a ZIP archive's directory.
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|iframe)[\s>/]", re.IGNORECASE)
_ARCHIVED = b"PK\x01\x02"


@contextmanager
def disk_errors_refused() -> Iterator[None]:
    """Turn errors of the disk into UploadRefused, so that the rest of the page is saved without the file."""
    try:
        yield
    except OSError as error:
        logger.error("An upload could not be stored: %s", error.strerror or type(error).__name__)
        raise UploadRefused(_("We could not save the file just now. Choose it again in a few minutes")) from error


def check_upload(upload: "UploadedFile[bytes]") -> tuple[str, str]:
    """The media type by content, and the SHA-256 digest. Raises UploadRefused."""
    size = upload.size or 0
    if size == 0:
        raise UploadRefused(_("Upload a different file. This one is empty"))
    if size > settings.UPLOAD_LIMIT:
        limits = {
            "limit": settings.UPLOAD_LIMIT // 1_000_000,
            "size": format_decimal(size / 1_000_000, "0.0", locale=locale()),
        }
        raise UploadRefused(_("The file must be %(limit)s\u00a0MB or smaller. This one is %(size)s\u00a0MB") % limits)
    digest, head = hashlib.sha256(), b""
    for chunk in upload.chunks():
        head = head or bytes(chunk[:16])
        digest.update(chunk)
    upload.seek(0)
    mime_type = next((kind for signature, kind in SIGNATURES.items() if head.startswith(signature)), None)
    if mime_type is None:
        raise UploadRefused(_("The file must be a PDF, JPEG or PNG"))
    if mime_type in _ENDS and hides_another_file(upload.read(), mime_type):
        raise UploadRefused(_("This picture contains another file. Save it again as JPEG or PNG, then upload it"))
    upload.seek(0)
    return mime_type, digest.hexdigest()


def hides_another_file(content: bytes, mime_type: str) -> bool:
    """Whether an HTML page or an archive follows the picture's end. A phone's film there is harmless."""
    rest = content[_ENDS[mime_type](content) :]
    return _ARCHIVED in rest or bool(_PAGE.search(rest))


def _end_of_jpeg(content: bytes) -> int:
    """The offset where the picture ends; of a broken one, where it stops to be valid."""
    at = 2
    while found := _JPEG_MARKER.search(content, at):
        marker, at = found[0], found.end()
        if marker == _JPEG_END:
            return at
        # Each segment has its length; after the header of a scan come its data, up to the next marker.
        at += max(2, int.from_bytes(content[at : at + 2], "big"))
    return min(at, len(content))


def _end_of_png(content: bytes) -> int:
    """Likewise: each chunk is a length, four letters, as many bytes, and a checksum."""
    at, name = len(b"\x89PNG\r\n\x1a\n"), b""
    while name != b"IEND" and at < len(content):
        name = content[at + 4 : at + 8]
        at += 12 + int.from_bytes(content[at : at + 4], "big")
    return at


_ENDS = {"image/jpeg": _end_of_jpeg, "image/png": _end_of_png}


def printable_name(name: str) -> str:
    """The uploaded file name, printable and shortened, with its suffix; never used as a path."""
    plain = "".join(letter for letter in PurePath(name.replace("\\", "/")).name if letter.isprintable()).strip()
    path = PurePath(plain or "document")
    return path.stem[:MAX_NAME_LENGTH] + path.suffix[:20]


def record_findings(document: Document) -> bytes:
    """Record the findings of a stored file, and return the picture of its first page; empty where there is none."""
    with document.file.storage.open(str(document.file.name)) as file:
        look = inspect_file(cast(IO[bytes], file), document.mime_type)
    document.findings = look.findings.with_name_check(document.name, document.mime_type).to_json()
    return look.picture
