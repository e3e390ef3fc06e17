"""Uploaded files, and the transaction in which they are written: where it is rolled back, they are removed.

They are checked by content and digested before they are written.

A file is written before its row is committed and deleted after its row is gone. So a crash between the two leaves a
file without a row at worst, which `manage.py remove_orphans` finds, never a row without its file.
"""

import hashlib
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from django.core.files.storage import Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.db import Error, transaction
from django.http import HttpResponse

from formation_portal.core.databases import DATABASE_AWAY, SERVICE
from formation_portal.core.storage import SERVICE_FILES
from formation_portal.service.models import Document
from formation_portal.service.problems import ApiError, ErrorDetail, invalid

_written: ContextVar[list[str] | None] = ContextVar("written", default=None)


class Undecided(Exception):
    """The database's answer to the commit was lost, so that nobody knows whether it was done."""


def file_transaction(work: Callable[[], HttpResponse]) -> HttpResponse:
    """Does the work in one transaction, which an error rolls back, raised or answered. Raises Undecided."""
    paths: list[str] = []
    outer = _written.set(paths)
    response = None
    try:
        with transaction.atomic(using=SERVICE):
            response = work()
            if response.status_code >= 400:
                transaction.set_rollback(True, using=SERVICE)
    except DATABASE_AWAY as error:
        _remove_without_row(paths)
        # SQLite undoes a commit that finds no room or no turn; of anything else no more is known than that it failed.
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
        if response is None or code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY):
            raise
        raise Undecided from error
    except BaseException:
        _remove_without_row(paths)
        raise
    finally:
        _written.reset(outer)
    if response.status_code >= 400:
        _remove_without_row(paths)
    return response


def _remove_without_row(paths: list[str]) -> None:
    """A commit whose answer was lost may have been done all the same; whoever can't ask leaves the files alone."""
    if not paths:
        return
    with suppress(Error, OSError):
        kept = set(Document.objects.filter(path__in=paths).values_list("path", flat=True))
        for path in set(paths) - kept:
            stored_files().delete(path)


FILE_LIMIT = 10 * 1024 * 1024
# How the three accepted kinds begin. A PDF may have some bytes before its mark.
_PDF_WITHIN = 1024
_SIGNATURES = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))
MIME_TYPES = ("application/pdf", "image/jpeg", "image/png")


def stored_files() -> Storage:
    """Where the service keeps its documents: a folder, or a bucket."""
    return storages[SERVICE_FILES]


@contextmanager
def store_upload(file: "UploadedFile[Any]", *, path: str) -> Iterator[Document]:
    """Writes the file, unless it is too large, empty or of another kind; where the block fails, it is removed again.

    Gives a document that knows its file, and is neither anybody's nor saved yet. `path` is its name there.
    """
    mime_type = _checked(file)
    digest, size = hashlib.sha256(), 0
    for chunk in file.chunks():
        digest.update(chunk)
        size += len(chunk)
    if (paths := _written.get()) is not None:
        paths.append(path)
    try:
        stored_files().save(path, file)
        # Without folders and control characters, fit for a header and a list.
        plain = "".join(c for c in unicodedata.normalize("NFC", file.name or "") if unicodedata.category(c)[0] != "C")
        name = plain.rpartition("/")[2].rpartition("\\")[2].strip()[-255:] or "document"
        yield Document(path=path, name=name, mime_type=mime_type, size=size, sha256=digest.hexdigest())
    except BaseException:
        with suppress(OSError):
            stored_files().delete(path)
        raise


def remove_after_commit(paths: list[str]) -> None:
    """Removes the files once the rows that named them are gone for good. One that can't be removed is left behind."""

    def remove() -> None:
        for path in paths:
            stored_files().delete(path)

    transaction.on_commit(remove, using=SERVICE, robust=True)


def _checked(file: "UploadedFile[Any]") -> str:
    if (file.size or 0) > FILE_LIMIT:
        raise ApiError("too_large", f"A file may have at most {FILE_LIMIT:,} bytes.", errors=[_file_error("too_large")])
    if not file.size:
        raise invalid([_file_error("empty")], "The file is empty.")
    head = file.read(_PDF_WITHIN)
    file.seek(0)
    if b"%PDF-" in head:
        return "application/pdf"
    for mark, mime_type in _SIGNATURES:
        if head.startswith(mark):
            return mime_type
    detail = "Send a PDF, JPEG or PNG file."
    raise ApiError("unsupported_media_type", detail, errors=[_file_error("unsupported_media_type")])


def _file_error(code: str) -> ErrorDetail:
    details = {"too_large": "The file is too large", "empty": "The file is empty"}
    return ErrorDetail("/file", code, details.get(code, "The file is not a PDF, JPEG or PNG"), "file")
