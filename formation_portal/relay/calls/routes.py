"""Create, change and remove each kind of resource at the service: one call, and a small class for each kind."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from formation_portal import gateway
from formation_portal.applications.models import Application, Document
from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import MAX_ID_LENGTH, Unclear
from formation_portal.gateway.records import EntityRecord

from ..models import ENTITY, Delivery, Payload, ResourceKind, ResourceName, resolve_references
from ..service_profile import Profile
from . import bodies
from .bodies import is_id_of_another_kind, matches

logger = logging.getLogger(__name__)


class MissingFile(Exception):
    """Raised for an upload that was replaced or removed here."""


class UnreadableFile(Exception):
    """Raised for an upload that can't be read now: its disk or bucket is away, or doesn't have it yet."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold a row until its lease ends, for one call or one lookup.

    Payloads have local references; `ids` are the remote ids to put in.
    """

    row: Delivery
    lease: uuid.UUID
    application: Application
    ids: Mapping[ResourceName, str]
    profile: Profile
    # Of the attempt that is about to be made; empty for a lookup, which only reads the service's records.
    request_id: str = ""
    is_retry: bool = False
    # When it was counted as a call of this second.
    counted_at: datetime | None = None

    @property
    def is_lookup(self) -> bool:
        return not self.request_id

    @property
    def kind(self) -> ResourceKind:
        return self.row.resource_kind

    @property
    def service(self) -> FormationService:
        """Return the configured service. Raises NotConfigured."""
        return gateway.service()

    @property
    def sent(self) -> Payload:
        """Return the payload that is sent; for another lookup of a row that is done, the acknowledged one."""
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
        """Open the document that is sent. Raises MissingFile, UnreadableFile."""
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
        """Return the members that the service's record of the resource should show."""
        if self.kind is not ResourceKind.DOCUMENT:
            return self.create_body()
        sent = resolve_references(self.sent, self.ids)
        return {"document_key": sent["document_key"], "sha256": sent["sha256"], "party_id": sent.get("party", "")}

    def created_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """Return the id of the record in the answer to a create. Raises Unclear if it is of something else."""
        remote_id = record.get(id_name)
        if remote_id is not None and not (isinstance(remote_id, str) and 0 < len(remote_id) <= MAX_ID_LENGTH):
            raise Unclear("The answer's record has no usable ID")
        if remote_id and is_id_of_another_kind(self.kind, remote_id):
            raise Unclear("The answer's ID is for a different kind of record")
        if not matches(self.kind, self.expected_record(), record):
            raise Unclear("The answer is for a different record")
        return remote_id or ""

    def changed_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """Return the id of the changed record. Raises Unclear if the answer is about another one."""
        if record.get(id_name) not in (None, self.row.remote_id):
            raise Unclear("The answer is for a different record")
        return self.row.remote_id

    def check_entity(self, record: Mapping[str, Any]) -> None:
        """Raise Unclear if the answer to a transition shows another entity; it has no id of its own."""
        if record.get("id") not in (None, self.entity_id):
            raise Unclear("The answer is for a different record")


CREATE = "create"
CHANGE = "change"
REMOVE = "remove"


class Route:
    """Send a kind of resource: by the same documented call the first time and every later time."""

    edits_are_documented = True

    def create(self, claim: Claim) -> str:
        """Create the resource and return its remote id."""
        return self.change(claim)

    def change(self, claim: Claim) -> str:
        """Bring the resource from what was acknowledged to what is sent, and return its remote id."""
        raise NotImplementedError

    def remove(self, claim: Claim) -> None:
        """Remove the resource, where it can be removed."""
        raise NotImplementedError

    def certain_part(self, payload: Payload) -> Payload:
        """Return the certain part of a resource that existed already: no answer of it is known."""
        return payload | {"answers": {}}


class RecordRoute(Route):
    """A kind with a documented call that creates it, while only the supplement has those that change and remove it."""

    edits_are_documented = False


class EntityRoute(RecordRoute):
    """POST /entities; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        return claim.created_id(claim.service.create_entity(claim.create_body(), key=claim.row.key))

    def change(self, claim: Claim) -> str:
        return claim.changed_id(claim.service.update_entity(claim.row.remote_id, claim.edit_body(), key=claim.row.key))

    def remove(self, claim: Claim) -> None:
        claim.service.delete_entity(claim.row.remote_id, key=claim.row.key)


class PartyRoute(RecordRoute):
    """POST …/parties; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        record = claim.service.add_party(claim.entity_id, claim.create_body(), key=claim.row.key)
        return claim.created_id(record, "party_id")

    def change(self, claim: Claim) -> str:
        row = claim.row
        record = claim.service.update_party(claim.entity_id, row.remote_id, claim.edit_body(), key=row.key)
        return claim.changed_id(record, "party_id")

    def remove(self, claim: Claim) -> None:
        claim.service.remove_party(claim.entity_id, claim.row.remote_id, key=claim.row.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"answers": {}, "roles": []}


class ShareClassRoute(RecordRoute):
    """POST …/share-classes; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        return claim.created_id(claim.service.add_share_class(claim.entity_id, claim.create_body(), key=claim.row.key))

    def change(self, claim: Claim) -> str:
        row = claim.row
        record = claim.service.update_share_class(claim.entity_id, row.remote_id, claim.edit_body(), key=row.key)
        return claim.changed_id(record)

    def remove(self, claim: Claim) -> None:
        claim.service.remove_share_class(claim.entity_id, claim.row.remote_id, key=claim.row.key)


class ShareholdingRoute(RecordRoute):
    """POST …/shareholdings; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        # The interface shows no id in this answer; without one the shareholding can't be changed later.
        return claim.created_id(claim.service.add_shareholding(claim.entity_id, claim.create_body(), key=claim.row.key))

    def change(self, claim: Claim) -> str:
        row = claim.row
        record = claim.service.update_shareholding(claim.entity_id, row.remote_id, claim.edit_body(), key=row.key)
        return claim.changed_id(record)

    def remove(self, claim: Claim) -> None:
        claim.service.remove_shareholding(claim.entity_id, claim.row.remote_id, key=claim.row.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"shares_held": None}


class CspDataRoute(Route):
    """POST …/csp-data: the first time and every later time; nothing to remove.

    A service that merges key by key is sent the changed answers; any other is sent all of them, which is right either
    way.
    """

    def change(self, claim: Claim) -> str:
        holder = {}
        if claim.kind is ResourceKind.PARTY_CSP:
            holder["party_id"] = claim.ids[ResourceKind.PARTY, claim.row.subject]
        elif claim.kind is ResourceKind.SHARE_CLASS_CSP:
            holder["share_class_id"] = claim.ids[ResourceKind.SHARE_CLASS, claim.row.subject]
        data = claim.edit_body()
        if not claim.profile.capabilities.merges_csp_data:
            data |= claim.create_body()
        schema_id = claim.sent["schema_id"]
        record = claim.service.post_csp_data(
            claim.entity_id, schema_id=schema_id, data=data, key=claim.row.key, **holder
        )
        sent = {"entity_id": claim.entity_id, "csp_form_schema_id": schema_id, **holder}
        for name in ("entity_id", "csp_form_schema_id", "party_id", "share_class_id"):
            if record.get(name) not in (None, sent.get(name)):
                raise Unclear("The answer is for a different record")
        return ""


class DocumentRoute(Route):
    """POST …/documents: a later upload to the same slot replaces the earlier one; **S** DELETE."""

    def change(self, claim: Claim) -> str:
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

    def remove(self, claim: Claim) -> None:
        claim.service.remove_document(claim.entity_id, claim.row.remote_id, key=claim.row.key)


class SubmissionRoute(Route):
    """**S** POST …/submit; again after a return."""

    def submit(self, claim: Claim) -> EntityRecord:
        """Submit the entity and return it as the answer shows it. Raises Unclear if that is another one."""
        record = claim.service.submit(claim.entity_id, key=claim.row.key)
        claim.check_entity(record)
        return EntityRecord.read(record)


class StatusRoute(Route):
    """**S** POST …/status: the decisions of agents, and the customer's withdrawal."""

    def change(self, claim: Claim) -> str:
        note = claim.sent.get("note", "")
        record = claim.service.set_status(claim.entity_id, claim.sent["status"], note, key=claim.row.key)
        claim.check_entity(record)
        return ""


ROUTES: Mapping[ResourceKind, Route] = {
    ResourceKind.ENTITY: EntityRoute(),
    ResourceKind.ENTITY_CSP: CspDataRoute(),
    ResourceKind.SHARE_CLASS: ShareClassRoute(),
    ResourceKind.SHARE_CLASS_CSP: CspDataRoute(),
    ResourceKind.PARTY: PartyRoute(),
    ResourceKind.PARTY_CSP: CspDataRoute(),
    ResourceKind.DOCUMENT: DocumentRoute(),
    ResourceKind.SHAREHOLDING: ShareholdingRoute(),
    ResourceKind.SUBMISSION: SubmissionRoute(),
    ResourceKind.STATUS: StatusRoute(),
}


def sent_action(row: Delivery) -> str:
    """Return the action of the last call: create, change or remove."""
    return _action(row, row.sent)


def wanted_action(row: Delivery) -> str:
    """Return the action that leads from what was acknowledged to what is wanted."""
    return _action(row, row.wanted)


def _action(row: Delivery, payload: Payload | None) -> str:
    if payload is None:
        return REMOVE
    return CREATE if row.acknowledged is None else CHANGE


def needs_an_edit(row: Delivery) -> bool:
    """Return whether the row takes a removal, or a change by a call that only the supplement names."""
    action = wanted_action(row)
    return action == REMOVE or (action == CHANGE and not ROUTES[row.resource_kind].edits_are_documented)


def is_unsupported(row: Delivery, profile: Profile) -> bool:
    """Return whether the row takes an edit that this service lacks, or of a resource that it gave no id."""
    return needs_an_edit(row) and not (row.remote_id and profile.has_edit(wanted_action(row), row.resource_kind))


def has_nothing_to_send(row: Delivery) -> bool:
    """Return whether the wanted and the acknowledged payload differ in nothing that is sent."""
    kind = row.resource_kind
    if row.wanted is None:
        return row.acknowledged is None or kind.is_csp or kind.is_transition
    if not kind.is_csp and (row.acknowledged is None or kind is ResourceKind.DOCUMENT or kind.is_transition):
        return False
    return not bodies.changed_members(kind, row.acknowledged or {}, row.wanted)
