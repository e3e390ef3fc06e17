"""Uploaded files on disk: checked by content, digested while written, removed only after the commit."""

import hashlib
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from formation_portal.databases import SERVICE
from formation_portal.service.door import FILE_LIMIT
from formation_portal.service.one_piece import is_written
from formation_portal.service.problems import Complaint, Refusal, invalid

# How the three accepted kinds begin. A PDF may have some bytes before its mark.
_PDF_WITHIN = 1024
_SIGNATURES = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))
MIME_TYPES = ("application/pdf", "image/jpeg", "image/png")


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as it lies on disk; the path is relative to the documents' folder."""

    path: str
    name: str
    mime_type: str
    size: int
    sha256: str


def folder() -> Path:
    """Where the service keeps its documents."""
    return Path(settings.SERVICE_DOCUMENTS)


@contextmanager
def stored(file: "UploadedFile[Any]", *, path: str) -> Iterator[Stored]:
    """Writes the file, unless it is too large, empty or of another kind; where the block fails, it is removed again."""
    mime_type = _checked(file)
    target = folder() / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_written(path)
    try:
        digest, size = _write(file, target)
        yield Stored(path, _plain_name(file.name or ""), mime_type, size, digest)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _write(file: "UploadedFile[Any]", target: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        for chunk in file.chunks():
            digest.update(chunk)
            size += out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest(), size


def remove_after_commit(paths: list[str]) -> None:
    """Removes the files once the rows that named them are gone for good. One that can't be removed is left behind."""
    transaction.on_commit(lambda: _remove(paths), using=SERVICE, robust=True)


def _remove(paths: list[str]) -> None:
    for path in paths:
        (folder() / path).unlink(missing_ok=True)


def _checked(file: "UploadedFile[Any]") -> str:
    if (file.size or 0) > FILE_LIMIT:
        raise Refusal("too_large", f"A file may have at most {FILE_LIMIT:,} bytes.", errors=[_about_file("too_large")])
    if not file.size:
        raise invalid([_about_file("empty")], "The file is empty.")
    head = file.read(_PDF_WITHIN)
    file.seek(0)
    mime_type = _kind_of(head)
    if mime_type is None:
        detail = "Send a PDF, JPEG or PNG file."
        raise Refusal("unsupported_media_type", detail, errors=[_about_file("unsupported_media_type")])
    return mime_type


def _about_file(code: str) -> Complaint:
    details = {"too_large": "The file is too large", "empty": "The file is empty"}
    return Complaint("/file", code, details.get(code, "The file is not a PDF, JPEG or PNG"), "file")


def _kind_of(head: bytes) -> str | None:
    if b"%PDF-" in head:
        return "application/pdf"
    return next((mime_type for mark, mime_type in _SIGNATURES if head.startswith(mark)), None)


def _plain_name(name: str) -> str:
    """The name without folders and control characters, fit for a header and a list."""
    plain = "".join(c for c in unicodedata.normalize("NFC", name) if unicodedata.category(c)[0] != "C")
    return plain.rpartition("/")[2].rpartition("\\")[2].strip()[-255:] or "document"
