"""How each kind of thing is created, changed and removed at the service: one call, and a small class a kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import MAX_ID_LENGTH, Unclear

from ..desired_state import Payload
from ..models import Delivery
from ..resources import ENTITY, ResourceKind, ResourceName, resolve_references
from ..service_profile import Profile
from . import bodies
from .bodies import is_id_of_another_kind, matches


@dataclass(frozen=True, slots=True)
class OutgoingCall:
    """One call to be made: payloads with local references, the remote ids to put in, and the Idempotency-Key.

    `reference` goes along as `client_reference` where the service is known to keep it for records of this kind.
    """

    service: FormationService
    kind: ResourceKind
    subject: str
    sent: Payload
    acknowledged: Payload
    remote_id: str
    key: str
    ids: Mapping[ResourceName, str]
    open_file: Callable[[], IO[bytes]]
    reference: str = ""
    merges_csp_data: bool | None = True

    @property
    def entity_id(self) -> str:
        """The entity that it belongs to."""
        return self.ids[ENTITY]

    def create_body(self) -> dict[str, Any]:
        """What a create sends."""
        body: dict[str, Any] = resolve_references(bodies.full_body(self.kind, self.sent), self.ids)
        return body | ({"client_reference": self.reference} if self.reference else {})

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
        if record.get(id_name) not in (None, self.remote_id):
            raise Unclear("The answer is for a different record")
        return self.remote_id

    def edit_body(self) -> dict[str, Any]:
        """What an edit sends."""
        body: dict[str, Any] = resolve_references(
            bodies.changed_members(self.kind, self.acknowledged, self.sent), self.ids
        )
        return body

    def replacement_body(self) -> dict[str, Any]:
        """What a complete edit sends: all that is wanted, and null for what is gone."""
        return self.edit_body() | self.create_body()


CREATE, CHANGE, REMOVE = "create", "change", "remove"


class Route:
    """How a kind of resource is sent: the same documented call the first time and every later time."""

    edits_are_documented = True

    def create(self, call: OutgoingCall) -> str:
        """Creates the resource; its remote id."""
        return self.change(call)

    def change(self, call: OutgoingCall) -> str:
        """Brings it from what was acknowledged to what is sent; its remote id."""
        raise NotImplementedError

    def remove(self, call: OutgoingCall) -> None:
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

    def create(self, call: OutgoingCall) -> str:
        return call.created_id(call.service.create_entity(call.create_body(), key=call.key))

    def change(self, call: OutgoingCall) -> str:
        return call.changed_id(call.service.update_entity(call.remote_id, call.edit_body(), key=call.key))

    def remove(self, call: OutgoingCall) -> None:
        call.service.delete_entity(call.remote_id, key=call.key)


class PartyRoute(RecordRoute):
    """POST …/parties; **S** PATCH and DELETE."""

    def create(self, call: OutgoingCall) -> str:
        return call.created_id(call.service.add_party(call.entity_id, call.create_body(), key=call.key), "party_id")

    def change(self, call: OutgoingCall) -> str:
        where, body = (call.entity_id, call.remote_id), call.edit_body()
        return call.changed_id(call.service.update_party(*where, body, key=call.key), "party_id")

    def remove(self, call: OutgoingCall) -> None:
        call.service.remove_party(call.entity_id, call.remote_id, key=call.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"answers": {}, "roles": []}


class ShareClassRoute(RecordRoute):
    """POST …/share-classes; **S** PATCH and DELETE."""

    def create(self, call: OutgoingCall) -> str:
        return call.created_id(call.service.add_share_class(call.entity_id, call.create_body(), key=call.key))

    def change(self, call: OutgoingCall) -> str:
        where, body = (call.entity_id, call.remote_id), call.edit_body()
        return call.changed_id(call.service.update_share_class(*where, body, key=call.key))

    def remove(self, call: OutgoingCall) -> None:
        call.service.remove_share_class(call.entity_id, call.remote_id, key=call.key)


class ShareholdingRoute(RecordRoute):
    """POST …/shareholdings; **S** PATCH and DELETE."""

    def create(self, call: OutgoingCall) -> str:
        # The interface shows no id in this answer; without one the shareholding can't be changed later.
        return call.created_id(call.service.add_shareholding(call.entity_id, call.create_body(), key=call.key))

    def change(self, call: OutgoingCall) -> str:
        where, body = (call.entity_id, call.remote_id), call.edit_body()
        return call.changed_id(call.service.update_shareholding(*where, body, key=call.key))

    def remove(self, call: OutgoingCall) -> None:
        call.service.remove_shareholding(call.entity_id, call.remote_id, key=call.key)

    def certain_part(self, payload: Payload) -> Payload:
        return payload | {"shares_held": None}


class CspDataRoute(Route):
    """POST …/csp-data: the first time and every later time; nothing to remove.

    To a service that merges key by key goes what has changed; to any other goes all of it, which is right either way.
    """

    def change(self, call: OutgoingCall) -> str:
        holders = {
            ResourceKind.PARTY_CSP: ("party_id", (ResourceKind.PARTY, call.subject)),
            ResourceKind.SHARE_CLASS_CSP: ("share_class_id", (ResourceKind.SHARE_CLASS, call.subject)),
        }
        named = {argument: call.ids[name] for kind, (argument, name) in holders.items() if kind is call.kind}
        record = call.service.post_csp_data(
            call.entity_id,
            schema_id=call.sent["schema_id"],
            data=call.edit_body() if call.merges_csp_data else call.replacement_body(),
            key=call.key,
            **named,
        )
        said = {"entity_id": call.entity_id, "csp_form_schema_id": call.sent["schema_id"], **named}
        for name in ("entity_id", "csp_form_schema_id", "party_id", "share_class_id"):
            if record.get(name) not in (None, said.get(name)):
                raise Unclear("The answer is for a different record")
        return ""


class DocumentRoute(Route):
    """POST …/documents: a later upload to the same slot replaces the earlier one; **S** DELETE."""

    def change(self, call: OutgoingCall) -> str:
        sent = resolve_references(call.sent, call.ids)
        with call.open_file() as file:
            record = call.service.upload_document(
                call.entity_id,
                file=file,
                filename=sent["name"],
                mime_type=sent["mime_type"],
                document_key=sent["document_key"],
                party_id=sent.get("party"),
                key=call.key,
            )
        return call.created_id(record)

    def remove(self, call: OutgoingCall) -> None:
        call.service.remove_document(call.entity_id, call.remote_id, key=call.key)


class SubmissionRoute(Route):
    """**S** POST …/submit; again after a return."""

    def change(self, call: OutgoingCall) -> str:
        record = call.service.submit(call.entity_id, key=call.key)
        return _check_entity(call, record)


class StatusRoute(Route):
    """**S** POST …/status: what agents have done, and the customer's withdrawal."""

    def change(self, call: OutgoingCall) -> str:
        note = call.sent.get("note", "")
        record = call.service.set_status(call.entity_id, call.sent["status"], note, key=call.key)
        return _check_entity(call, record)


def _check_entity(call: OutgoingCall, record: Mapping[str, Any]) -> str:
    """A transition has no id of its own; its answer shows the entity. Raises Unclear where it shows another one."""
    if record.get("id") not in (None, call.entity_id):
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
    return needs_an_edit(row) and not (profile.can_edit and row.remote_id)


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
