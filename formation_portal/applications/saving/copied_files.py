"""Copying uploads on the disk: each new document has a file of its own, so that neither application needs the other."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from django.db import Error

from ..content import NewDocument
from ..models import Application, Document, document_path
from .refusals import NotCopied

logger = logging.getLogger(__name__)

# The name of the copy by the primary key of the document that was copied; one whose file is gone has none.
StoredNames = dict[int, str]


@contextmanager
def copied_files(application: Application, documents: Iterable[NewDocument]) -> Iterator[StoredNames]:
    """The files, copied and whole before any row names them, and removed where the rows can't be written.

    A document whose file is gone is left out. Raises NotCopied where the disk takes no more.
    """
    stored: StoredNames = {}
    try:
        for document in documents:
            if name := _copied(application, document.source):
                stored[document.source.pk] = name
        yield stored
    except BaseException:
        _remove_without_rows(stored)
        raise


def _copied(application: Application, source: Document) -> str | None:
    storage = source.file.storage
    try:
        with storage.open(str(source.file.name)) as content:
            return str(storage.save(document_path(Document(application=application), ""), content))
    except FileNotFoundError:
        logger.error("A document's file is gone, so that it can't be copied")
        return None
    except OSError as error:
        logger.error("A document could not be copied: %s", error.strerror or type(error).__name__)
        raise NotCopied from error


def _remove_without_rows(stored: StoredNames) -> None:
    """A commit whose answer was lost may have been done all the same; whoever can't ask leaves the files alone."""
    with suppress(Error, OSError):
        known = set(Document.objects.filter(file__in=stored.values()).values_list("file", flat=True))
        for name in set(stored.values()) - known:
            Document._meta.get_field("file").storage.delete(name)
