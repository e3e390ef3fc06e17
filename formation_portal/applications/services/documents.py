"""Add and remove documents. A slot has one current file; files that it replaced are kept."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any

from django.core.files.base import File
from django.core.files.uploadedfile import UploadedFile
from django.db import Error, transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract.schema import ENTITY

from ..access import Author
from ..draft import Draft
from ..models import Application, Document, Party, Preview, document_path, document_subject
from ..parties import PartyRow
from ..stored_rows import token_of
from .exceptions import Gone, LockedByReview, UploadRefused
from .transactions import application_transaction, change_line
from .upload_checks import (
    UPLOADED,
    UPLOADED_OF,
    check_quota,
    check_upload,
    judge_file,
    printable_name,
    quota_transaction,
    scan_upload,
)

logger = logging.getLogger(__name__)

# Replaced files kept for each slot.
MAX_EARLIER_FILES = 5


def add_document(
    draft: Draft, party: Party | PartyRow | None, slot: str, upload: "UploadedFile[bytes]", *, by: Author
) -> Document:
    """Store a file in a slot of the party, or of the entity itself, replacing an earlier file.

    Raises UploadRefused for a file that is not accepted (`upload_checks`) or can't be stored; Gone, Closed.
    """
    with disk_errors_refused():
        mime_type, digest = check_upload(upload)
        check_quota(draft.application.owner_id, [upload.size or 0])
    document = Document(
        name=printable_name(upload.name or "document"), mime_type=mime_type, size=upload.size or 0, sha256=digest
    )
    return _store(draft, party, slot, document, upload, by=by)


def reuse_document(
    draft: Draft, party: Party | PartyRow | None, slot: str, source: Document, *, by: Author
) -> Document:
    """Store a copy of an upload, whose owner the caller has checked, in a slot. Raises UploadRefused, Gone, Closed."""
    check_quota(draft.application.owner_id, [source.size])
    document = Document(name=source.name, mime_type=source.mime_type, size=source.size, sha256=source.sha256)
    try:
        if not source.has_copy:
            raise FileNotFoundError
        content = source.file.storage.open(str(source.file.name))
    except FileNotFoundError as error:
        raise UploadRefused(
            gettext("Choose the file from your device. The earlier upload is no longer available")
        ) from error
    with content:
        return _store(draft, party, slot, document, content, by=by)


def _store(
    draft: Draft,
    party: Party | PartyRow | None,
    slot: str,
    document: Document,
    content: "File[bytes] | IO[bytes]",
    *,
    by: Author,
) -> Document:
    document.application, document.uploaded_by_id = draft.application, by.pk
    document.slot, document.subject = slot, document_subject(token_of(party), slot)
    with disk_errors_refused():
        findings, picture = judge_file(content, document.name, document.mime_type)
        document.scan = scan_upload(content, draft.application, by=by)
        content.seek(0)
    document.findings = findings.to_json()
    with stored_file(document, content):
        stored = _save_row(draft, party, document, picture, by=by)
    if stored is not document:
        document.file.storage.delete(str(document.file.name))
    return stored


@contextmanager
def stored_file(row: Any, content: "File[bytes] | IO[bytes]") -> Iterator[None]:
    """Store a row's file, and delete it if the block fails to save the row. Raises UploadRefused."""
    storage = row.file.storage
    with disk_errors_refused():
        row.file.name = storage.save(document_path(row, ""), content)
    try:
        yield
    except BaseException:
        # A commit may have succeeded although its reply was lost: only a file that no row names is deleted. The lock
        # waits for a commit that is under way; where the database cannot be asked, the file stays.
        with suppress(Error, OSError), transaction.atomic():
            Application.objects.select_for_update().get(pk=row.application_id)
            if not type(row).objects.filter(file=row.file.name).exists():
                storage.delete(row.file.name)
        raise


def _save_row(
    draft: Draft, party: Party | PartyRow | None, document: Document, picture: bytes, *, by: Author
) -> Document:
    quota = quota_transaction(draft.application.owner_id, [document.size])
    with quota, application_transaction(draft, by=by) as journal:
        row = draft.party(token_of(party) or "")
        # Inactive slots accept documents too.
        sections = draft.schema.entity_sections
        kind = ENTITY
        if row:
            sections = draft.schema.sections_of(row.roles)
            kind = row.kind
        elif party:
            raise Gone(gettext("This person or company was removed"))
        if not any(document.slot == slot.name for section in sections for slot in section.slots(kind)):
            raise UploadRefused(gettext("Choose one of the documents in the list"))
        old = draft.documents_of(row).get(document.slot)
        if old and (old.sha256, old.name) == (document.sha256, document.name):
            # Keep the new file and delete the old one, which may have become unreadable.
            old.file.name, document.file.name = document.file.name, old.file.name
            Document.objects.filter(pk=old.pk).update(file=old.file)
            return old
        document.party = row.model if row else None
        if journal.locks.has_document(document):
            raise UploadRefused(gettext("You can’t replace this file. Our reviewer has accepted it"))
        if old:
            old.replaced_at = timezone.now()
            old.save(update_fields=["replaced_at"])
            draft.forget_documents()
            for oldest in draft.replaced_in(row, old.slot)[MAX_EARLIER_FILES:]:
                _delete(draft, oldest)
        document.save()
        if picture:
            Preview.objects.create(document=document, picture=picture)
        draft.forget_documents()
        change = slot_change(document.slot, old, document)
        if row:
            journal.note(UPLOADED_OF, holder=row.token, changes=[change], slot=document.slot, name=row.label)
        else:
            journal.note(UPLOADED, changes=[change], slot=document.slot)
    return document


def remove_document(draft: Draft, document: Document, *, by: Author) -> None:
    """Remove the current file of a slot, or a replaced file. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        current = draft.document(document.pk)
        if current is None:
            raise Gone(gettext("The document was removed"))
        if not current.replaced_at and journal.locks.has_document(current):
            raise LockedByReview
        change = slot_change(current.slot, current, None)
        message = gettext_noop("Removed “{slot}”")
        if current.replaced_at:
            message = gettext_noop("Removed an earlier file for “{slot}”")
        journal.note(message, holder=token_of(current.party) or "", changes=[change], slot=current.slot)
        _delete(draft, current)


def delete_files_on_commit(documents: Iterable[Document]) -> None:
    """Delete the files once the transaction that deletes their rows is committed."""
    for document in documents:
        # A file that cannot be deleted is an orphan, which is found later; the change itself is committed.
        transaction.on_commit(partial(document.file.storage.delete, str(document.file.name)), robust=True)


def _delete(draft: Draft, document: Document) -> None:
    delete_files_on_commit([document])
    document.delete()
    draft.forget_documents()


def slot_change(slot: str, before: Document | None, after: Document | None) -> dict[str, Any]:
    return change_line(slot, slot, _history_value(before), _history_value(after))


def _history_value(document: Document | None) -> Any:
    return {"name": document.name, "size": document.size, "sha256": document.sha256} if document else None


@contextmanager
def disk_errors_refused() -> Iterator[None]:
    """Turn errors of the disk into UploadRefused, so that the rest of the page is saved without the file."""
    try:
        yield
    except OSError as error:
        logger.error("An upload could not be stored: %s", error.strerror or type(error).__name__)
        raise UploadRefused(gettext("We could not save the file just now. Choose it again in a few minutes")) from error
