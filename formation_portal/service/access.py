"""Finding records for whoever asks: another account's is as absent as none (supplement, "Envelopes, pages, errors")."""

from typing import TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest

from formation_portal.contract.lifecycle import WRITABLE
from formation_portal.service import identifiers
from formation_portal.service.auth import key_of
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding
from formation_portal.service.problems import Complaint, Refusal, not_found, pointer

Row = TypeVar("Row", bound=Model)

# Whether a party has shares, which is what makes a shareholder an active one.
HOLDS = Exists(Shareholding.objects.filter(party=OuterRef("pk")))


def entities_of(request: HttpRequest) -> QuerySet[Entity]:
    """The account's entities. Their form's document is large and parsed already, so it stays where it is."""
    mine = Entity.objects.filter(account_id=key_of(request).account_id)
    return mine.select_related("item", "form").defer("form__document")


def entity_to_read(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity; raises 404."""
    return _one(entities_of(request), entity_id, identifiers.ENTITY, "entity")


def entity_to_write(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity, locked; raises 404, or 409 where its state allows no writing."""
    entity = entity_to_move(request, entity_id)
    if entity.state not in WRITABLE:
        raise Refusal("invalid_state", f"An entity that is {entity.status} can't be changed.")
    return entity


def entity_to_move(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity, locked for a change of its state; raises 404."""
    locked = entities_of(request).select_for_update(of=("self",))
    return _one(locked, entity_id, identifiers.ENTITY, "entity")


def parties_of(entity: Entity) -> QuerySet[Party]:
    """The entity's parties, oldest first, each with `holds`: whether it has shares."""
    return with_holds(Party.objects.filter(entity=entity)).order_by("created_at", "id")


def with_holds(parties: QuerySet[Party]) -> QuerySet[Party]:
    """The parties, each with `holds`: whether it has shares."""
    return parties.annotate(holds=HOLDS)


def party_of(entity: Entity, party_id: str) -> Party:
    """The entity's party; raises 404."""
    return _one(parties_of(entity), party_id, identifiers.PARTY, "party")


def share_class_of(entity: Entity, share_class_id: str) -> ShareClass:
    """The entity's class of shares; raises 404."""
    classes = ShareClass.objects.filter(entity=entity)
    return _one(classes, share_class_id, identifiers.SHARE_CLASS, "share class")


def shareholding_of(entity: Entity, shareholding_id: str) -> Shareholding:
    """The entity's shareholding; raises 404."""
    holdings = Shareholding.objects.filter(party__entity=entity)
    return _one(holdings, shareholding_id, identifiers.SHAREHOLDING, "shareholding")


def document_of(entity: Entity, document_id: str) -> Document:
    """The entity's document; raises 404."""
    return _one(Document.objects.filter(entity=entity), document_id, identifiers.DOCUMENT, "document")


def named_in_body(member: str, find: "Refusal") -> Refusal:
    """The same refusal, with a pointer to the member of the body that named what is not there."""
    return Refusal(find.code, find.detail, errors=[Complaint(pointer(member), find.code, find.detail, member)])


def share_class_ids(entity: Entity) -> frozenset[str]:
    """The ids that an answer may refer to."""
    return frozenset(ShareClass.objects.filter(entity=entity).values_list("id", flat=True))


def _one(rows: QuerySet[Row], wanted: str, prefix: str, what: str) -> Row:
    row = rows.filter(pk=wanted).first() if identifiers.is_id(wanted, prefix) else None
    if row is None:
        raise not_found(what)
    return row
