"""How each kind of thing is created, changed and removed at the service: one call, and a small class a kind."""

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
    """The upload is no longer wanted here: a newer one has taken its place, or it was removed."""


class UnreadableFile(Exception):
    """The upload can't be read now: its disk or bucket is away, or doesn't have it (yet)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that is ours until its lease ends, and the call or the lookup that it is taken for.

    Payloads have local references; `ids` are the remote ids to put in.
    """

    row: Delivery
    lease: uuid.UUID
    application: Application
    ids: Mapping[ResourceName, str]
    profile: Profile
    # Of the attempt that is about to be made; empty where only the service's records are read.
    request_id: str = ""
    is_retry: bool = False
    # When it was counted as a call of this second.
    counted_at: datetime | None = None

    @property
    def is_lookup(self) -> bool:
        """Whether nothing is written at the service."""
        return not self.request_id

    @property
    def kind(self) -> ResourceKind:
        """The kind of thing that it is at the service."""
        return self.row.resource_kind

    @property
    def service(self) -> FormationService:
        """The configured service. Raises NotConfigured."""
        return gateway.service()

    @property
    def sent(self) -> Payload:
        """What is sent; of what is done and looked at once more, what was acknowledged."""
        return self.row.sent or (self.row.acknowledged if self.row.sent is None and self.is_lookup else None) or {}

    @property
    def entity_id(self) -> str:
        """The entity that it belongs to."""
        return self.ids[ENTITY]

    def create_body(self) -> dict[str, Any]:
        """What a create sends, with a `client_reference` where the service is known to keep it for such records."""
        body: dict[str, Any] = resolve_references(bodies.full_body(self.kind, self.sent), self.ids)
        if self.kind in self.profile.capabilities.references and self.kind is not ResourceKind.ENTITY:
            body["client_reference"] = f"{self.application.reference}/{self.row.subject}"
        return body

    def edit_body(self) -> dict[str, Any]:
        """What an edit sends."""
        changed = bodies.changed_members(self.kind, self.row.acknowledged or {}, self.sent)
        body: dict[str, Any] = resolve_references(changed, self.ids)
        return body

    def open_file(self) -> IO[bytes]:
        """The document that is sent. Raises MissingFile, UnreadableFile."""
        row, digest = self.row, self.sent.get("sha256")
        documents = Document.objects.in_use().filter(application_id=row.application_id, subject=row.subject)
        document = documents.filter(sha256=digest).first()
        if document is None:
            raise MissingFile
        if document.is_checking:
            raise UnreadableFile
        try:
            file: IO[bytes] = document.file.storage.open(str(document.file.name))
        except OSError as error:
            logger.error(
                "The file of delivery %s can't be read now: %s", row.pk, error.strerror or type(error).__name__
            )
            raise UnreadableFile from error
        return file

    def expected_record(self) -> dict[str, Any]:
        """What the service's record of it should show."""
        if self.kind is not ResourceKind.DOCUMENT:
            return self.create_body()
        sent = resolve_references(self.sent, self.ids)
        return {"document_key": sent["document_key"], "sha256": sent["sha256"], "party_id": sent.get("party", "")}

    def created_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the record that has come back. Raises Unclear where it is of something else than was sent."""
        found = record.get(id_name)
        if found is not None and not (isinstance(found, str) and 0 < len(found) <= MAX_ID_LENGTH):
            raise Unclear("The answer's record has no usable ID")
        if found and is_id_of_another_kind(self.kind, found):
            raise Unclear("The answer's ID is for a different kind of record")
        if not matches(self.kind, self.expected_record(), record):
            raise Unclear("The answer is for a different record")
        return found or ""

    def changed_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the changed record. Raises Unclear where the answer is about another one."""
        if record.get(id_name) not in (None, self.row.remote_id):
            raise Unclear("The answer is for a different record")
        return self.row.remote_id


CREATE, CHANGE, REMOVE = "create", "change", "remove"


class Route:
    """How a kind of resource is sent: the same documented call the first time and every later time."""

    edits_are_documented = True

    def create(self, claim: Claim) -> str:
        """Creates the resource; its remote id."""
        return self.change(claim)

    def change(self, claim: Claim) -> str:
        """Brings it from what was acknowledged to what is sent; its remote id."""
        raise NotImplementedError

    def remove(self, claim: Claim) -> None:
        """Removes it, where it can be removed."""
        raise NotImplementedError

    def certain_part(self, payload: Payload) -> Payload:
        """What is certain of a thing that was there already: that it exists, and none of its answers."""
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
        return claim.created_id(
            claim.service.add_party(claim.entity_id, claim.create_body(), key=claim.row.key), "party_id"
        )

    def change(self, claim: Claim) -> str:
        where, body = (claim.entity_id, claim.row.remote_id), claim.edit_body()
        return claim.changed_id(claim.service.update_party(*where, body, key=claim.row.key), "party_id")

    def remove(self, claim: Claim) -> None:
        claim.service.remove_party(claim.entity_id, claim.row.remote_id, key=claim.row.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"answers": {}, "roles": []}


class ShareClassRoute(RecordRoute):
    """POST …/share-classes; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        return claim.created_id(claim.service.add_share_class(claim.entity_id, claim.create_body(), key=claim.row.key))

    def change(self, claim: Claim) -> str:
        where, body = (claim.entity_id, claim.row.remote_id), claim.edit_body()
        return claim.changed_id(claim.service.update_share_class(*where, body, key=claim.row.key))

    def remove(self, claim: Claim) -> None:
        claim.service.remove_share_class(claim.entity_id, claim.row.remote_id, key=claim.row.key)


class ShareholdingRoute(RecordRoute):
    """POST …/shareholdings; **S** PATCH and DELETE."""

    def create(self, claim: Claim) -> str:
        # The interface shows no id in this answer; without one the shareholding can't be changed later.
        return claim.created_id(claim.service.add_shareholding(claim.entity_id, claim.create_body(), key=claim.row.key))

    def change(self, claim: Claim) -> str:
        where, body = (claim.entity_id, claim.row.remote_id), claim.edit_body()
        return claim.changed_id(claim.service.update_shareholding(*where, body, key=claim.row.key))

    def remove(self, claim: Claim) -> None:
        claim.service.remove_shareholding(claim.entity_id, claim.row.remote_id, key=claim.row.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"shares_held": None}


class CspDataRoute(Route):
    """POST …/csp-data: the first time and every later time; nothing to remove.

    To a service that merges key by key goes what has changed; to any other goes all of it, which is right either way.
    """

    def change(self, claim: Claim) -> str:
        holders = {
            ResourceKind.PARTY_CSP: ("party_id", (ResourceKind.PARTY, claim.row.subject)),
            ResourceKind.SHARE_CLASS_CSP: ("share_class_id", (ResourceKind.SHARE_CLASS, claim.row.subject)),
        }
        named = {argument: claim.ids[name] for kind, (argument, name) in holders.items() if kind is claim.kind}
        merges = claim.profile.capabilities.merges_csp_data
        record = claim.service.post_csp_data(
            claim.entity_id,
            schema_id=claim.sent["schema_id"],
            data=claim.edit_body() | ({} if merges else claim.create_body()),
            key=claim.row.key,
            **named,
        )
        said = {"entity_id": claim.entity_id, "csp_form_schema_id": claim.sent["schema_id"], **named}
        for name in ("entity_id", "csp_form_schema_id", "party_id", "share_class_id"):
            if record.get(name) not in (None, said.get(name)):
                raise Unclear("The answer is for a different record")
        return ""


class DocumentRoute(Route):
    """POST …/documents: a later upload to the same slot replaces the earlier one; **S** DELETE."""

    def change(self, claim: Claim) -> str:
        service, sent = claim.service, resolve_references(claim.sent, claim.ids)
        with claim.open_file() as file:
            record = service.upload_document(
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

    def change(self, claim: Claim) -> str:
        self.submit(claim)
        return ""

    def submit(self, claim: Claim) -> EntityRecord:
        """Submit the entity and return it as the answer shows it. Raises Unclear where that is another one."""
        record = claim.service.submit(claim.entity_id, key=claim.row.key)
        _check_entity(claim, record)
        return EntityRecord.read(record)


class StatusRoute(Route):
    """**S** POST …/status: what agents have done, and the customer's withdrawal."""

    def change(self, claim: Claim) -> str:
        note = claim.sent.get("note", "")
        record = claim.service.set_status(claim.entity_id, claim.sent["status"], note, key=claim.row.key)
        return _check_entity(claim, record)


def _check_entity(claim: Claim, record: Mapping[str, Any]) -> str:
    """A transition has no id of its own; its answer shows the entity. Raises Unclear where it shows another one."""
    if record.get("id") not in (None, claim.entity_id):
        raise Unclear("The answer is for a different record")
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
    """What the last call was to do."""
    return _action(row, row.sent)


def wanted_action(row: Delivery) -> str:
    """What has to be done to get from what was acknowledged to what is wanted."""
    return _action(row, row.wanted)


def _action(row: Delivery, payload: Payload | None) -> str:
    if payload is None:
        return REMOVE
    return CREATE if row.acknowledged is None else CHANGE


def needs_an_edit(row: Delivery) -> bool:
    """Whether it takes a removal, or a change by a call that only the supplement names."""
    action = wanted_action(row)
    return action == REMOVE or (action == CHANGE and not ROUTES[row.resource_kind].edits_are_documented)


def is_unsupported(row: Delivery, profile: Profile) -> bool:
    """Whether it takes an edit that this service doesn't have, or of a thing that it gave no id."""
    return needs_an_edit(row) and not (row.remote_id and profile.has_edit(wanted_action(row), row.resource_kind))


def has_nothing_to_send(row: Delivery) -> bool:
    """Whether what is wanted and what is there differ in nothing that is sent."""
    kind = row.resource_kind
    if row.wanted is None:
        return row.acknowledged is None or kind.is_csp or kind.is_transition
    if kind.is_csp:
        return not bodies.changed_members(kind, row.acknowledged or {}, row.wanted)
    if row.acknowledged is None or kind is ResourceKind.DOCUMENT or kind.is_transition:
        return False
    return not bodies.changed_members(kind, row.acknowledged, row.wanted)
