"""How each kind of thing is created, changed and removed at the service: one small class a kind, one table."""

from collections.abc import Mapping
from typing import Any

from formation_portal.gateway.errors import Unclear

from . import bodies
from .kinds import Kind
from .models import Delivery
from .parcel import Parcel
from .profile import Profile
from .references import resolved
from .wishes import Payload

CREATE, CHANGE, REMOVE = "create", "change", "remove"


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
        record = parcel.service.post_csp_data(
            parcel.entity_id,
            schema_id=parcel.sent["schema_id"],
            data=parcel.difference() if parcel.merges_csp_data else parcel.everything(),
            key=parcel.key,
            **named,
        )
        said = {"entity_id": parcel.entity_id, "csp_form_schema_id": parcel.sent["schema_id"], **named}
        for name in ("entity_id", "csp_form_schema_id", "party_id", "share_class_id"):
            if record.get(name) not in (None, said.get(name)):
                raise Unclear("The answer is for a different record")
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
        record = parcel.service.submit(parcel.entity_id, key=parcel.key)
        return _of_entity(parcel, record)


class StatusRoute(Route):
    """**S** POST …/status: what agents have done, and the customer's withdrawal."""

    edits_are_documented = True

    def create(self, parcel: Parcel) -> str:
        return self.change(parcel)

    def change(self, parcel: Parcel) -> str:
        note = parcel.sent.get("note", "")
        record = parcel.service.set_status(parcel.entity_id, parcel.sent["status"], note, key=parcel.key)
        return _of_entity(parcel, record)


def _of_entity(parcel: Parcel, record: Mapping[str, Any]) -> str:
    """A deed has no id of its own; its answer shows the entity. Raises Unclear where it shows another one."""
    if record.get("id") not in (None, parcel.entity_id):
        raise Unclear("The answer is for a different record")
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
