"""Create, change and remove each kind of resource at the service, each with one call."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from formation_portal import gateway
from formation_portal.applications.models import Application, Document
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import ENTITY_ID_NAMES, Collection
from formation_portal.gateway.errors import MAX_ID_LENGTH, Unclear
from formation_portal.gateway.records import EntityRecord

from ..models import ENTITY, Delivery, Payload, ResourceKind, ResourceName, resolve_references
from ..service_profile import Profile
from . import bodies
from .bodies import is_id_of_another_kind, matches

logger = logging.getLogger(__name__)


class MissingFile(Exception):
    """Raised if the file to upload was replaced or removed in the portal."""


class UnreadableFile(Exception):
    """Raised if the file to upload can't be read now: its storage is away, or it waits for the malware scanner."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that a worker holds until the lease ends, for one call or lookup. `ids` replace references in payloads."""

    row: Delivery
    lease: uuid.UUID
    application: Application
    ids: Mapping[ResourceName, str]
    profile: Profile
    # The id of the attempt's request; empty for a lookup, which only reads the service's records.
    request_id: str = ""
    is_retry: bool = False
    # When the call was counted for the rate limit.
    counted_at: datetime | None = None

    @property
    def is_lookup(self) -> bool:
        return not self.request_id

    @property
    def kind(self) -> ResourceKind:
        return self.row.resource_kind

    @property
    def service(self) -> FormationService:
        return gateway.service()

    @property
    def sent(self) -> Payload:
        """Return the call's payload, {} for a removal; for a lookup of a row that is done, the acknowledged one."""
        if self.row.sent is None and self.is_lookup:
            return self.row.acknowledged or {}
        return self.row.sent or {}

    @property
    def entity_id(self) -> str:
        return self.ids[ENTITY]

    def create_body(self) -> dict[str, Any]:
        """Return the body of a create, with a `client_reference` if the service is known to keep it for the kind."""
        body: dict[str, Any] = resolve_references(bodies.full_body(self.kind, self.sent), self.ids)
        if self.kind in self.profile.capabilities.references and self.kind is not ResourceKind.ENTITY:
            body["client_reference"] = f"{self.application.reference}/{self.row.subject}"
        return body

    def edit_body(self) -> dict[str, Any]:
        changed = bodies.changed_members(self.kind, self.row.acknowledged or {}, self.sent)
        body: dict[str, Any] = resolve_references(changed, self.ids)
        return body

    def open_file(self) -> IO[bytes]:
        """Open the file of the document to send. Raises MissingFile, UnreadableFile."""
        documents = Document.objects.in_use().filter(
            application_id=self.row.application_id, subject=self.row.subject, sha256=self.sent.get("sha256")
        )
        document = documents.first()
        if document is None:
            raise MissingFile
        if document.is_checking:
            raise UnreadableFile
        try:
            file: IO[bytes] = document.file.storage.open(str(document.file.name))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            logger.error("The file of delivery %s can't be read now: %s", self.row.pk, reason)
            raise UnreadableFile from error
        return file

    def expected_record(self) -> dict[str, Any]:
        if self.kind is not ResourceKind.DOCUMENT:
            return self.create_body()
        sent = resolve_references(self.sent, self.ids)
        return {"document_key": sent["document_key"], "sha256": sent["sha256"], "party_id": sent.get("party", "")}

    def created_id(self, record: Mapping[str, Any]) -> str:
        """Return the id in the answer to a create, or "". Raises Unclear if the answer is for another record."""
        remote_id = record.get(id_names(self.kind)[0])
        if remote_id is not None and not (isinstance(remote_id, str) and 0 < len(remote_id) <= MAX_ID_LENGTH):
            raise Unclear("The answer's record has no usable ID")
        if remote_id and is_id_of_another_kind(self.kind, remote_id):
            raise Unclear("The answer's ID is for a different kind of record")
        if not matches(self.kind, self.expected_record(), record):
            raise Unclear("The answer is for a different record")
        return remote_id or ""

    def changed_id(self, record: Mapping[str, Any]) -> str:
        """Return the id of the changed record. Raises Unclear if the answer is about another record."""
        if record.get(id_names(self.kind)[0]) not in (None, self.row.remote_id):
            raise Unclear("The answer is for a different record")
        return self.row.remote_id

    def check_entity(self, record: Mapping[str, Any]) -> None:
        """Raise Unclear if the answer to a transition shows another entity."""
        if record.get("id") not in (None, self.entity_id):
            raise Unclear("The answer is for a different record")


CREATE = "create"
CHANGE = "change"
REMOVE = "remove"

COLLECTIONS = {
    ResourceKind.PARTY: Collection.PARTIES,
    ResourceKind.SHARE_CLASS: Collection.SHARE_CLASSES,
    ResourceKind.SHAREHOLDING: Collection.SHAREHOLDINGS,
    ResourceKind.DOCUMENT: Collection.DOCUMENTS,
}


def id_names(kind: ResourceKind) -> tuple[str, ...]:
    """Return the names of the members in which a record's own id may be; the answer to a create has it in the first."""
    if kind is ResourceKind.ENTITY:
        return ENTITY_ID_NAMES
    return COLLECTIONS[kind].id_names


def send(claim: Claim, action: str) -> str:
    """Create, change or remove a resource, or set the status. Return its id, "" if it has none or is gone."""
    service = claim.service
    row = claim.row
    match claim.kind:
        case ResourceKind.STATUS:
            note = claim.sent.get("note", "")
            claim.check_entity(service.set_status(claim.entity_id, claim.sent["status"], note, key=row.key))
            return ""
        case ResourceKind.ENTITY_CSP | ResourceKind.PARTY_CSP | ResourceKind.SHARE_CLASS_CSP:
            return _send_csp_data(claim)
        case ResourceKind.DOCUMENT if action != REMOVE:
            return _send_document(claim)
        case ResourceKind.ENTITY:
            if action == CREATE:
                return claim.created_id(service.create_entity(claim.create_body(), key=row.key))
            if action == CHANGE:
                return claim.changed_id(service.update_entity(row.remote_id, claim.edit_body(), key=row.key))
            service.delete_entity(row.remote_id, key=row.key)
            return ""
    collection = COLLECTIONS[claim.kind]
    if action == CREATE:
        # The interface shows no id in the answer for a shareholding; without an id, it can't be changed later.
        return claim.created_id(service.add_record(claim.entity_id, collection, claim.create_body(), key=row.key))
    if action == CHANGE:
        body = claim.edit_body()
        return claim.changed_id(service.update_record(claim.entity_id, collection, row.remote_id, body, key=row.key))
    service.remove_record(claim.entity_id, collection, row.remote_id, key=row.key)
    return ""


def _send_csp_data(claim: Claim) -> str:
    """Send only changed answers to a service that merges key by key, and all answers to any other service."""
    holder = {}
    if claim.kind is ResourceKind.PARTY_CSP:
        holder["party_id"] = claim.ids[ResourceKind.PARTY, claim.row.subject]
    elif claim.kind is ResourceKind.SHARE_CLASS_CSP:
        holder["share_class_id"] = claim.ids[ResourceKind.SHARE_CLASS, claim.row.subject]
    data = claim.edit_body()
    if not claim.profile.capabilities.merges_csp_data:
        data |= claim.create_body()
    schema_id = claim.sent["schema_id"]
    record = claim.service.post_csp_data(claim.entity_id, schema_id=schema_id, data=data, key=claim.row.key, **holder)
    sent = {"entity_id": claim.entity_id, "csp_form_schema_id": schema_id, **holder}
    for name in ("entity_id", "csp_form_schema_id", "party_id", "share_class_id"):
        if record.get(name) not in (None, sent.get(name)):
            raise Unclear("The answer is for a different record")
    return ""


def _send_document(claim: Claim) -> str:
    sent = resolve_references(claim.sent, claim.ids)
    with claim.open_file() as file:
        record = claim.service.upload_document(
            claim.entity_id,
            file=file,
            filename=sent["name"],
            mime_type=sent["mime_type"],
            document_key=sent["document_key"],
            party_id=sent.get("party"),
            key=claim.row.key,
        )
    return claim.created_id(record)


def submit(claim: Claim) -> EntityRecord:
    """Submit the entity, for the first time or again. Return the entity as the answer shows it."""
    record = claim.service.submit(claim.entity_id, key=claim.row.key)
    claim.check_entity(record)
    return EntityRecord.read(record)


def certain_part(kind: ResourceKind, payload: Payload) -> Payload:
    """Return the part of a payload that is surely true of a record that existed before our create."""
    if kind is ResourceKind.SHAREHOLDING:
        return payload | {"shares_held": None}
    if kind is ResourceKind.PARTY:
        return payload | {"answers": {}, "roles": []}
    return payload | {"answers": {}}


def sent_action(row: Delivery) -> str:
    return _action(row, row.sent)


def wanted_action(row: Delivery) -> str:
    return _action(row, row.wanted)


def _action(row: Delivery, payload: Payload | None) -> str:
    if payload is None:
        return REMOVE
    if row.acknowledged is None:
        return CREATE
    return CHANGE


def needs_an_edit(row: Delivery) -> bool:
    """Tell whether the row needs a removal, or a change by a supplementary call."""
    action = wanted_action(row)
    return action == REMOVE or (action == CHANGE and not is_posted_again(row.resource_kind))


def is_posted_again(kind: ResourceKind) -> bool:
    """Tell whether a change is made by the same call as a create."""
    return kind is ResourceKind.DOCUMENT or not kind.has_id


def is_unsupported(row: Delivery, profile: Profile) -> bool:
    """Tell whether the row needs an edit, but the service lacks that call or gave the resource no id."""
    return needs_an_edit(row) and not (row.remote_id and profile.has_edit(wanted_action(row), row.resource_kind))


def has_nothing_to_send(row: Delivery) -> bool:
    """Tell whether the wanted and the acknowledged payload differ in no member that is sent."""
    kind = row.resource_kind
    if row.wanted is None:
        return row.acknowledged is None or not kind.has_id
    if not kind.is_csp and (row.acknowledged is None or kind is ResourceKind.DOCUMENT or kind.is_transition):
        return False
    return not bodies.changed_members(kind, row.acknowledged or {}, row.wanted)
