"""Upload, list, download and remove documents (INTERFACE.md, "Documents").

**S** marks the supplementary calls.
"""

from mimetypes import guess_extension
from typing import Annotated, Literal

from django.http import FileResponse, HttpRequest
from django.utils.text import slugify
from ninja import File, Form, Query, Router
from ninja.files import UploadedFile
from pydantic import Field

from formation_portal.service import identifiers, queries, storage
from formation_portal.service.entity_forms import document_keys, parsed_form
from formation_portal.service.models import Document, Entity, Party
from formation_portal.service.pipeline import MULTIPART, route
from formation_portal.service.problems import ApiError, ErrorDetail, invalid, pointer, shown_list
from formation_portal.service.schemas import (
    DocumentId,
    EntityId,
    One,
    Page,
    Paging,
    PartyId,
    Pattern,
    RecordOut,
    Time,
)
from formation_portal.service.serializers import Json
from formation_portal.service.webhooks import events


class DocumentOut(RecordOut):
    """An uploaded document. GET …/download returns its bytes."""

    id: DocumentId
    document_key: str
    scope: Literal["entity", "party"]
    party_id: str | None
    name: str
    mime_type: str
    size: int
    sha256: str
    status: Literal["pending", "approved", "rejected"]
    created_at: Time


router = Router(tags=["Documents"])
READ = "documents:read"
WRITE = "documents:write"
ONE = "/entities/{entity_id}/documents/{document_id}"
Scope = Literal["entity", "party"]
Key = Annotated[
    str,
    Field(max_length=500),
    Pattern(r"^[^\u0000-\u001f\u007f]+$", "{name} must be the name of a document, as in the form schema."),
]

# The types of files, which ninja can't add to the document.
_ENCODING = {"encoding": {"file": {"contentType": ", ".join(storage.MIME_TYPES)}}}
_UPLOAD = {"requestBody": {"content": {MULTIPART: _ENCODING}}}
_BYTES = {mime_type: {"schema": {"type": "string", "format": "binary"}} for mime_type in storage.MIME_TYPES}
_DOWNLOAD = {"responses": {200: {"content": _BYTES}}}


@route(
    router,
    "POST",
    "/entities/{entity_id}/documents",
    scopes=WRITE,
    gives=One[DocumentOut],
    status=201,
    takes=MULTIPART,
    extra=_UPLOAD,
)
def upload_document(
    request: HttpRequest,
    entity_id: EntityId,
    file: Annotated[UploadedFile, File()],
    document_key: Annotated[Key, Form()],
    scope: Annotated[Scope, Form()] = "entity",
    party_id: Annotated[PartyId | None, Form()] = None,
) -> Json:
    """Uploads a PDF, JPEG or PNG into the slot that `document_key` names. A later upload replaces the earlier one."""
    entity = queries.entity_to_write(request, entity_id)
    party = _party(entity, scope, party_id)
    keys = sorted(document_keys(parsed_form(entity.form), party))
    if document_key not in keys:
        holder = "this party" if party else "the entity"
        detail = f"This form asks for no documents of {holder}."
        if keys:
            detail = f"document_key must be one of these: {shown_list(keys)}."
        raise invalid([ErrorDetail(pointer("document_key"), "unknown_field", detail, "document_key")])
    document_id = identifiers.new_document_id()
    with storage.store_upload(file, path=f"{entity.id}/{document_id}") as document:
        replaced = Document.objects.filter(entity=entity, party=party, document_key=document_key)
        storage.remove_after_commit(list(replaced.values_list("path", flat=True)))
        replaced.delete()
        document.id = document_id
        document.entity = entity
        document.party = party
        document.document_key = document_key
        document.save(force_insert=True)
    events.document_uploaded(entity, document)
    return {"data": document}


@route(router, "GET", "/entities/{entity_id}/documents", scopes=READ, gives=Page[DocumentOut], refuses=(422,))
def list_documents(
    request: HttpRequest, entity_id: EntityId, party_id: PartyId | None = None, *, paging: Query[Paging]
) -> Json:
    """**S** The documents of the entity and its parties, oldest first; `party_id` selects those of one party."""
    entity = queries.entity_to_read(request, entity_id)
    rows = Document.objects.filter(entity=entity).order_by("created_at", "id")
    if party_id is not None:
        rows = rows.filter(party=queries.party_of(entity, party_id, member="party_id"))
    return queries.paginate(rows, paging)


@route(router, "GET", ONE, scopes=READ, gives=One[DocumentOut])
def get_document(request: HttpRequest, entity_id: EntityId, document_id: DocumentId) -> Json:
    """**S** One document, without its bytes."""
    return {"data": queries.document_of(queries.entity_to_read(request, entity_id), document_id)}


@route(router, "GET", f"{ONE}/download", scopes=READ, gives=None, extra=_DOWNLOAD)
def download_document(request: HttpRequest, entity_id: EntityId, document_id: DocumentId) -> FileResponse:
    """**S** The document's bytes."""
    document = queries.document_of(queries.entity_to_read(request, entity_id), document_id)
    try:
        file = storage.stored_files().open(document.path)
    except FileNotFoundError:
        # The file is not known to be lost while its record exists: its disk or bucket may come back.
        raise ApiError("unavailable", "The file cannot be read at the moment.", headers={"Retry-After": "60"}) from None
    # Not the name of the upload, which may claim another type.
    slot = slugify(document.document_key)[:60] or "document"
    name = f"{document.id}-{slot}{guess_extension(document.mime_type) or ''}"
    return FileResponse(file, as_attachment=True, filename=name, content_type=document.mime_type)


@route(router, "DELETE", ONE, scopes=WRITE, gives=None, status=204, refuses=(409,))
def remove_document(request: HttpRequest, entity_id: EntityId, document_id: DocumentId) -> None:
    """**S** Removes a document."""
    document = queries.document_of(queries.entity_to_write(request, entity_id), document_id)
    storage.remove_after_commit([document.path])
    document.delete()


def _party(entity: Entity, scope: Scope, party_id: str | None) -> Party | None:
    if scope == "entity":
        if party_id is not None:
            detail = "scope must be party for a document of a party. For one of the entity, leave out party_id."
            raise invalid([ErrorDetail(pointer("scope"), "invalid", detail, "scope")])
        return None
    if party_id is None:
        detail = "party_id is missing. A document with scope=party needs it."
        raise invalid([ErrorDetail(pointer("party_id"), "required", detail, "party_id")])
    return queries.party_of(entity, party_id, member="party_id")
