"""One transaction with the files that are written in it: where it is rolled back, they are removed.

A file is written before its row is committed and deleted after its row is gone. So a crash between the two leaves a
file without a row at worst, which `manage.py remove_orphans` finds, never a row without its file.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

from django.conf import settings
from django.db import Error, transaction
from django.http import HttpResponse

from formation_portal.databases import DATABASE_AWAY, SERVICE
from formation_portal.service.models import Document

_written: ContextVar[list[str] | None] = ContextVar("written", default=None)


class Undecided(Exception):
    """The database's answer to the commit was lost, so that nobody knows whether it was done."""


def in_one_piece(work: Callable[[], HttpResponse]) -> HttpResponse:
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
        if response is None or _is_surely_undone(error):
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


def _is_surely_undone(error: Exception) -> bool:
    """SQLite undoes a commit that finds no room or no turn; of anything else no more is known than that it failed."""
    kind = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    return kind in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY)


def is_written(path: str) -> None:
    """A file was written for a row of this transaction; the path is relative to the documents' folder."""
    if (paths := _written.get()) is not None:
        paths.append(path)


def _remove_without_row(paths: list[str]) -> None:
    """A commit whose answer was lost may have been done all the same; whoever can't ask leaves the files alone."""
    if not paths:
        return
    with suppress(Error):
        kept = set(Document.objects.filter(path__in=paths).values_list("path", flat=True))
        for path in set(paths) - kept:
            (Path(settings.SERVICE_DOCUMENTS) / path).unlink(missing_ok=True)
