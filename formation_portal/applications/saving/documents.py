"""Taking uploads: judged by content, stored under names of our own, one to a slot."""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import Error, transaction

from formation_portal.contract.language import say

from ..drafts import Draft
from ..models import Application, Document, Party, document_path, document_subject
from ..rows import PartyRow
from .authors import Author
from .refusals import Gone, UploadRefused
from .writing import writing

logger = logging.getLogger(__name__)

SIGNATURES = {
    b"%PDF-": "application/pdf",
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
}
NAME_LIMIT = 200


def add_document(
    draft: Draft, party: Party | PartyRow | None, slot: str, upload: "UploadedFile[bytes]", *, by: Author
) -> Document:
    """Keep a file in a slot of the party, or of the entity itself; it takes the place of an earlier one.

    Raises UploadRefused with what to do for a file that is empty, over the limit, or not PDF, JPEG or PNG by its
    content, and for one that the disk does not take; raises Gone, Closed.
    """
    with _disk():
        mime_type, digest = _examined(upload)
    document = Document(
        application=draft.application,
        slot=slot,
        subject=document_subject(party.token if party else None, slot),
        name=_printable(upload.name or "document"),
        mime_type=mime_type,
        size=upload.size or 0,
        sha256=digest,
        uploaded_by_id=by.pk,
    )
    storage = document.file.storage
    with _disk():
        stored = storage.save(document_path(document, ""), upload)
    document.file.name = stored
    try:
        kept = _keep(draft, party, document, by=by)
    except BaseException:
        _remove_without_row(draft, stored)
        raise
    if kept is not document:
        storage.delete(stored)
    return kept


def _remove_without_row(draft: Draft, stored: str) -> None:
    """A commit whose answer was lost may have been done all the same; whoever can't ask leaves the file alone.

    The lock waits for a commit that is still on its way.
    """
    with suppress(Error), transaction.atomic():
        Application.objects.select_for_update().get(pk=draft.application.pk)
        if not Document.objects.filter(file=stored).exists():
            Document._meta.get_field("file").storage.delete(stored)


@contextmanager
def _disk() -> Iterator[None]:
    """What goes wrong with the disk is nobody's fault who uploads: all else on the page is kept, and the file asked for
    again."""
    try:
        yield
    except OSError as error:
        logger.error("An upload could not be stored: %s", error.strerror or type(error).__name__)
        raise UploadRefused("Choose the file again in a few minutes; we could not store it just now") from error


def _keep(draft: Draft, party: Party | PartyRow | None, document: Document, *, by: Author) -> Document:
    with writing(draft, by=by) as journal:
        row = draft.party(party.token) if party else None
        if party and row is None:
            raise Gone(say("The party was removed"))
        if document.slot not in _slots(draft, row):
            raise UploadRefused("Choose one of the documents that the form asks for")
        old = draft.documents_of(row).get(document.slot)
        if old and (old.sha256, old.name) == (document.sha256, document.name):
            return old
        if old:
            _drop(draft, old)
        document.party = row.model if row else None
        document.save()
        draft.documents.append(document)
        change = {"field": document.slot, "label": document.slot, "before": _said(old), "after": _said(document)}
        where = f" of {row.label}" if row else ""
        journal.note(f"Uploaded “{document.slot}”{where}", holder=row.token if row else "", changes=[change])
    return document


def remove_document(draft: Draft, document: Document, *, by: Author) -> None:
    """Take a file out of its slot. Raises Gone, Closed."""
    with writing(draft, by=by) as journal:
        held = next((one for one in draft.documents if one.pk == document.pk), None)
        if held is None:
            raise Gone(say("The document was removed"))
        change = {"field": held.slot, "label": held.slot, "before": _said(held), "after": None}
        journal.note(f"Removed “{held.slot}”", holder=held.party.token if held.party else "", changes=[change])
        _drop(draft, held)


def forget_files(documents: Iterable[Document]) -> None:
    """Delete the files once it is sure that their rows are gone."""
    for document in documents:
        # A file that can't be removed now is an orphan, which is found later; the change itself is done.
        transaction.on_commit(partial(document.file.storage.delete, str(document.file.name)), robust=True)


def _drop(draft: Draft, document: Document) -> None:
    forget_files([document])
    draft.documents.remove(document)
    document.delete()


def _slots(draft: Draft, row: PartyRow | None) -> set[str]:
    """The names of all slots that the form has there, asked for at present or not."""
    sections = draft.schema.sections_of(row.roles) if row else draft.schema.entity_sections
    return {slot.name for section in sections for slot in section.slots(row.kind if row else "entity")}


def _examined(upload: "UploadedFile[bytes]") -> tuple[str, str]:
    """The type by content and the digest. Raises UploadRefused."""
    size = upload.size or 0
    if size == 0:
        raise UploadRefused("Upload a file that has something in it; this one is empty")
    if size > settings.UPLOAD_LIMIT:
        limit = settings.UPLOAD_LIMIT // 1_000_000
        raise UploadRefused(f"Upload a file of at most {limit}\u00a0MB; this one has {size / 1_000_000:.1f}\u00a0MB")
    digest, head = hashlib.sha256(), b""
    for chunk in upload.chunks():
        head = head or bytes(chunk[:16])
        digest.update(chunk)
    upload.seek(0)
    mime_type = next((kind for signature, kind in SIGNATURES.items() if head.startswith(signature)), None)
    if mime_type is None:
        raise UploadRefused("Upload a PDF, JPEG or PNG; this file is none of them by its content")
    return mime_type, digest.hexdigest()


def _printable(name: str) -> str:
    """The file's own name for people to read, its ending kept; it is never used as a path."""
    plain = "".join(letter for letter in PurePath(name.replace("\\", "/")).name if letter.isprintable()).strip()
    path = PurePath(plain or "document")
    return path.stem[:NAME_LIMIT] + path.suffix[:20]


def _said(document: Document | None) -> Any:
    return {"name": document.name, "size": document.size, "sha256": document.sha256} if document else None
