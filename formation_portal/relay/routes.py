"""How each kind of thing is created, changed and removed at the service: one small class a kind, one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import Unclear

from . import bodies
from .echoes import agrees
from .kinds import ENTITY, Kind, Name
from .models import Delivery
from .profile import Profile
from .references import resolved
from .wishes import Payload

CREATE, CHANGE, REMOVE = "create", "change", "remove"
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Parcel:
    """One call to be made: payloads with local references, the remote ids to put in, and the Idempotency-Key.

    `reference` goes along as `client_reference` where the service is known to keep it for records of this kind.
    """

    service: FormationService
    kind: Kind
    subject: str
    sent: Payload
    acknowledged: Payload
    remote_id: str
    key: str
    ids: Mapping[Name, str]
    open_file: Callable[[], IO[bytes]]
    reference: str = ""
    merges_csp_data: bool | None = True

    @property
    def entity_id(self) -> str:
        """The entity that it belongs to."""
        return self.ids[ENTITY]

    def whole(self) -> dict[str, Any]:
        """What a create sends."""
        body: dict[str, Any] = resolved(bodies.whole(self.kind, self.sent), self.ids)
        return body | ({"client_reference": self.reference} if self.reference else {})

    def described(self) -> dict[str, Any]:
        """What the service's record of it should show."""
        if self.kind is not Kind.DOCUMENT:
            return self.whole()
        sent = resolved(self.sent, self.ids)
        return {"document_key": sent["document_key"], "sha256": sent["sha256"], "party_id": sent.get("party", "")}

    def made(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the record that has come back. Raises Unclear where it is of something else than was sent."""
        found = record.get(id_name)
        if found is not None and not (isinstance(found, str) and 0 < len(found) <= LONGEST_ID):
            raise Unclear("The answer's record has no usable id")
        if not agrees(self.kind, self.described(), record):
            raise Unclear("The answer's record is of something else")
        return found or ""

    def changed(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the changed record. Raises Unclear where the answer is about another one."""
        if record.get(id_name) not in (None, self.remote_id):
            raise Unclear("The answer's record is of something else")
        return self.remote_id

    def difference(self) -> dict[str, Any]:
        """What an edit sends."""
        body: dict[str, Any] = resolved(bodies.difference(self.kind, self.acknowledged, self.sent), self.ids)
        return body

    def everything(self) -> dict[str, Any]:
        """What an edit sends that stands for itself: all that is wanted, and null for what is gone."""
        return self.difference() | self.whole()


class Route:
    """A kind whose creation is documented, and whose edits only the supplement names."""

    edits_are_documented = False

    def create(self, parcel: Parcel) -> str:
        """Makes the thing; its remote id."""
        raise NotImplementedError

    def change(self, parcel: Parcel) -> str:
        """Brings it from what was acknowledged to what is sent; its remote id."""
        raise NotImplementedError

    def remove(self, parcel: Parcel) -> None:
        """Removes it."""
        raise NotImplementedError

    def known_of(self, payload: Payload) -> Payload:
        """What is sure about a thing that was there already: that it is there, and none of its answers."""
        return payload | {"answers": {}}


class EntityRoute(Route):
    """POST /entities; **S** PATCH and DELETE."""

    def create(self, parcel: Parcel) -> str:
        return parcel.made(parcel.service.create_entity(parcel.whole(), key=parcel.key))

    def change(self, parcel: Parcel) -> str:
        return parcel.changed(parcel.service.update_entity(parcel.remote_id, parcel.difference(), key=parcel.key))

    def remove(self, parcel: Parcel) -> None:
        parcel.service.delete_entity(parcel.remote_id, key=parcel.key)


class PartyRoute(Route):
    """POST …/parties; **S** PATCH and DELETE."""

    def create(self, parcel: Parcel) -> str:
        return parcel.made(parcel.service.add_party(parcel.entity_id, parcel.whole(), key=parcel.key), "party_id")

    def change(self, parcel: Parcel) -> str:
        where, body = (parcel.entity_id, parcel.remote_id), parcel.difference()
        return parcel.changed(parcel.service.update_party(*where, body, key=parcel.key), "party_id")

    def remove(self, parcel: Parcel) -> None:
        parcel.service.remove_party(parcel.entity_id, parcel.remote_id, key=parcel.key)

    def known_of(self, payload: Payload) -> Payload:
        return payload | {"answers": {}, "roles": []}


class ShareClassRoute(Route):
    """POST …/share-classes; **S** PATCH and DELETE."""

    def create(self, parcel: Parcel) -> str:
        return parcel.made(parcel.service.add_share_class(parcel.entity_id, parcel.whole(), key=parcel.key))

    def change(self, parcel: Parcel) -> str:
        where, body = (parcel.entity_id, parcel.remote_id), parcel.difference()
        return parcel.changed(parcel.service.update_share_class(*where, body, key=parcel.key))

    def remove(self, parcel: Parcel) -> None:
        parcel.service.remove_share_class(parcel.entity_id, parcel.remote_id, key=parcel.key)


class ShareholdingRoute(Route):
    """POST …/shareholdings; **S** PATCH and DELETE."""

    def create(self, parcel: Parcel) -> str:
        # The interface shows no id in this answer; without one the shareholding can't be changed later.
        return parcel.made(parcel.service.add_shareholding(parcel.entity_id, parcel.whole(), key=parcel.key))

    def change(self, parcel: Parcel) -> str:
        where, body = (parcel.entity_id, parcel.remote_id), parcel.difference()
        return parcel.changed(parcel.service.update_shareholding(*where, body, key=parcel.key))

    def remove(self, parcel: Parcel) -> None:
        parcel.service.remove_shareholding(parcel.entity_id, parcel.remote_id, key=parcel.key)

    def known_of(self, payload: Payload) -> Payload:
        return payload | {"shares_held": None}


class CspRoute(Route):
    """POST …/csp-data: the first time and every later time; nothing to remove.

    To a service that merges key by key goes what has changed; to any other goes all of it, which is right either way.
    """

    edits_are_documented = True

    def create(self, parcel: Parcel) -> str:
        return self.change(parcel)

    def change(self, parcel: Parcel) -> str:
        holders = {
            Kind.PARTY_CSP: ("party_id", (Kind.PARTY, parcel.subject)),
            Kind.SHARE_CLASS_CSP: ("share_class_id", (Kind.SHARE_CLASS, parcel.subject)),
        }
        named = {argument: parcel.ids[name] for kind, (argument, name) in holders.items() if kind is parcel.kind}
        parcel.service.post_csp_data(
            parcel.entity_id,
            schema_id=parcel.sent["schema_id"],
            data=parcel.difference() if parcel.merges_csp_data else parcel.everything(),
            key=parcel.key,
            **named,
        )
        return ""


class DocumentRoute(Route):
    """POST …/documents: a later upload to the same slot replaces the earlier one; **S** DELETE."""

    edits_are_documented = True

    def create(self, parcel: Parcel) -> str:
        return self.change(parcel)

    def change(self, parcel: Parcel) -> str:
        sent = resolved(parcel.sent, parcel.ids)
        with parcel.open_file() as file:
            record = parcel.service.upload_document(
                parcel.entity_id,
                file=file,
                filename=sent["name"],
                mime_type=sent["mime_type"],
                document_key=sent["document_key"],
                party_id=sent.get("party"),
                key=parcel.key,
            )
        return parcel.made(record)

    def remove(self, parcel: Parcel) -> None:
        parcel.service.remove_document(parcel.entity_id, parcel.remote_id, key=parcel.key)


class SubmissionRoute(Route):
    """**S** POST …/submit; again after a return."""

    edits_are_documented = True

    def create(self, parcel: Parcel) -> str:
        return self.change(parcel)

    def change(self, parcel: Parcel) -> str:
        parcel.service.submit(parcel.entity_id, key=parcel.key)
        return ""


class StatusRoute(Route):
    """**S** POST …/status: what the customer may do there is to withdraw."""

    edits_are_documented = True

    def create(self, parcel: Parcel) -> str:
        return self.change(parcel)

    def change(self, parcel: Parcel) -> str:
        parcel.service.set_status(parcel.entity_id, parcel.sent["status"], key=parcel.key)
        return ""


ROUTES: Mapping[Kind, Route] = {
    Kind.ENTITY: EntityRoute(),
    Kind.ENTITY_CSP: CspRoute(),
    Kind.SHARE_CLASS: ShareClassRoute(),
    Kind.SHARE_CLASS_CSP: CspRoute(),
    Kind.PARTY: PartyRoute(),
    Kind.PARTY_CSP: CspRoute(),
    Kind.DOCUMENT: DocumentRoute(),
    Kind.SHAREHOLDING: ShareholdingRoute(),
    Kind.SUBMISSION: SubmissionRoute(),
    Kind.STATUS: StatusRoute(),
}


def sent_action(row: Delivery) -> str:
    """What the last call was to do."""
    if row.sent is None:
        return REMOVE
    return CREATE if row.acknowledged is None else CHANGE


def action_of(row: Delivery) -> str:
    """What has to be done to get from what was acknowledged to what is wanted."""
    if row.wanted is None:
        return REMOVE
    return CREATE if row.acknowledged is None else CHANGE


def takes_an_edit(row: Delivery) -> bool:
    """Whether it takes a removal, or a change by a call that only the supplement names."""
    action = action_of(row)
    return action == REMOVE or (action == CHANGE and not ROUTES[row.name[0]].edits_are_documented)


def is_beyond(row: Delivery, profile: Profile) -> bool:
    """Whether it takes an edit that this service doesn't have, or of a thing that it gave no id."""
    return takes_an_edit(row) and not (profile.can_edit and row.remote_id)


def has_nothing_to_send(row: Delivery) -> bool:
    """Whether what is wanted and what is there differ in nothing that is sent."""
    kind = row.name[0]
    if row.wanted is None:
        return row.acknowledged is None or kind.is_csp or kind.is_deed
    if kind.is_csp:
        return not bodies.difference(kind, row.acknowledged or {}, row.wanted)
    if row.acknowledged is None or kind is Kind.DOCUMENT or kind.is_deed:
        return False
    return not bodies.difference(kind, row.acknowledged, row.wanted)
