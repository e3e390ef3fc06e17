"""Write uploaded files in one transaction with their rows. At worst, a crash leaves a file without a row."""

import hashlib
import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from django.core.files.storage import Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.db import Error, transaction

from formation_portal.core.databases import DATABASE_AWAY, SERVICE
from formation_portal.core.storage import SERVICE_FILES
from formation_portal.service.models import Document
from formation_portal.service.problems import ApiError, ErrorDetail, invalid

FILE_LIMIT = 10 * 1024 * 1024
MIME_TYPES = ("application/pdf", "image/jpeg", "image/png")
# The first bytes that are searched for a PDF's signature, which other bytes may precede.
_HEAD_BYTES = 1024

# The paths that the current file transaction has written.
_written_paths: ContextVar[list[str] | None] = ContextVar("written_paths", default=None)


class Undecided(Exception):
    """A lost answer to a commit: nobody knows whether the transaction was committed."""


@contextmanager
def file_transaction() -> Iterator[None]:
    """Run the block in a transaction. If the transaction is rolled back, remove the files that the block has written.

    Raises Undecided if the answer to the commit was lost.
    """
    paths: list[str] = []
    token = _written_paths.set(paths)
    is_committing = False
    try:
        with transaction.atomic(using=SERVICE):
            yield
            is_committing = True
            is_rolled_back = transaction.get_rollback(using=SERVICE)
        if is_rolled_back:
            _remove_files_without_row(paths)
    except DATABASE_AWAY as error:
        _remove_files_without_row(paths)
        # SQLite rolls back a commit that lacks space or a lock. Other errors don't tell whether it was done.
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
        if not is_committing or code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY):
            raise
        raise Undecided from error
    except BaseException:
        _remove_files_without_row(paths)
        raise
    finally:
        _written_paths.reset(token)


def _remove_files_without_row(paths: list[str]) -> None:
    """Delete the files that no row names: the commit may have succeeded although its answer was lost."""
    if not paths:
        return
    with suppress(Error, OSError):
        paths_in_use = set(Document.objects.filter(path__in=paths).values_list("path", flat=True))
        for path in set(paths) - paths_in_use:
            stored_files().delete(path)


def stored_files() -> Storage:
    return storages[SERVICE_FILES]


@contextmanager
def store_upload(file: "UploadedFile[Any]", *, path: str) -> Iterator[Document]:
    """Write an uploaded file and yield an unsaved document for it. Raises ApiError."""
    mime_type = _checked_mime_type(file)
    digest = digest_of(file)
    paths = _written_paths.get()
    if paths is not None:
        paths.append(path)
    try:
        stored_files().save(path, file)
        yield Document(
            path=path, name=_plain_name(file.name or ""), mime_type=mime_type, size=file.size or 0, sha256=digest
        )
    except BaseException:
        with suppress(OSError):
            stored_files().delete(path)
        raise


def digest_of(file: "UploadedFile[Any]") -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def remove_after_commit(paths: list[str]) -> None:
    """Delete the files once the rows that named them are gone."""

    def remove() -> None:
        for path in paths:
            stored_files().delete(path)

    transaction.on_commit(remove, using=SERVICE, robust=True)


def _plain_name(name: str) -> str:
    """Return a file's name without folders and control characters, fit for a header."""
    characters = unicodedata.normalize("NFC", name)
    plain = "".join(character for character in characters if unicodedata.category(character)[0] != "C")
    return plain.rpartition("/")[2].rpartition("\\")[2].strip()[-255:] or "document"


def _checked_mime_type(file: "UploadedFile[Any]") -> str:
    if (file.size or 0) > FILE_LIMIT:
        detail = f"file must have at most {FILE_LIMIT:,} bytes. It has {file.size:,}."
        raise ApiError("too_large", detail, errors=[ErrorDetail("/file", "too_large", detail, "file")])
    if not file.size:
        raise invalid([ErrorDetail("/file", "empty", "file is empty. Send a PDF, JPEG or PNG.", "file")])
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if b"%PDF-" in head:
        return "application/pdf"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    detail = "file must be a PDF, JPEG or PNG."
    error = ErrorDetail("/file", "unsupported_media_type", detail, "file")
    raise ApiError("unsupported_media_type", detail, errors=[error])
