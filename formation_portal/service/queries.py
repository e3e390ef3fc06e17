"""Find an account's records and cut lists into pages. Another account's record is answered with 404."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from django.core.paginator import EmptyPage, Paginator
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest

from formation_portal.contract.lifecycle import WRITABLE, State
from formation_portal.service import identifiers
from formation_portal.service.auth import key_of
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding
from formation_portal.service.problems import ApiError, not_found
from formation_portal.service.schemas import Paging

Row = TypeVar("Row", bound=Model)

# True for a party with shares, which makes a shareholder an active one.
HOLDS_SHARES = Exists(Shareholding.objects.filter(party=OuterRef("pk")))


def entities_of(request: HttpRequest) -> QuerySet[Entity]:
    """Return the account's entities, without their forms' large documents, which are parsed only once."""
    entities = Entity.objects.filter(account_id=key_of(request).account_id)
    return entities.select_related("item", "form").defer("form__document")


def entity_to_read(request: HttpRequest, entity_id: str) -> Entity:
    return find_or_404(entities_of(request), entity_id, identifiers.ENTITY, "entity")


def entity_to_write(request: HttpRequest, entity_id: str) -> Entity:
    """Lock and return the account's entity. Raises 404, or 409 if its state allows no writing."""
    entity = entity_for_transition(request, entity_id)
    if State(entity.status) not in WRITABLE:
        detail = (
            f"An entity that is {entity.status} cannot be changed, only one that is {' or '.join(sorted(WRITABLE))}."
        )
        raise ApiError("invalid_state", detail)
    return entity


def entity_for_transition(request: HttpRequest, entity_id: str) -> Entity:
    """Lock and return the account's entity for a change of its state. Raises 404."""
    locked = entities_of(request).select_for_update(of=("self",))
    return find_or_404(locked, entity_id, identifiers.ENTITY, "entity")


def with_shares_held(parties: QuerySet[Party]) -> QuerySet[Party]:
    """Annotate each party with `holds`: True if it holds shares."""
    return parties.annotate(holds=HOLDS_SHARES)


def parties_of(entity: Entity) -> QuerySet[Party]:
    return with_shares_held(Party.objects.filter(entity=entity)).order_by("created_at", "id")


def party_of(entity: Entity, party_id: str, *, member: str = "") -> Party:
    return find_or_404(parties_of(entity), party_id, identifiers.PARTY, "party", member=member)


def share_class_of(entity: Entity, share_class_id: str, *, member: str = "") -> ShareClass:
    rows = ShareClass.objects.filter(entity=entity)
    return find_or_404(rows, share_class_id, identifiers.SHARE_CLASS, "share class", member=member)


def shareholding_of(entity: Entity, shareholding_id: str) -> Shareholding:
    rows = Shareholding.objects.filter(party__entity=entity)
    return find_or_404(rows, shareholding_id, identifiers.SHAREHOLDING, "shareholding")


def document_of(entity: Entity, document_id: str) -> Document:
    return find_or_404(Document.objects.filter(entity=entity), document_id, identifiers.DOCUMENT, "document")


def share_class_ids(entity: Entity) -> frozenset[str]:
    return frozenset(ShareClass.objects.filter(entity=entity).values_list("id", flat=True))


def find_or_404(rows: QuerySet[Row], record_id: str, prefix: str, noun: str, *, member: str = "") -> Row:
    """Find a record or raise 404, without an SQL query for a malformed id. The 404 points to the body's `member`."""
    row = rows.filter(pk=record_id).first() if identifiers.is_id(record_id, prefix) else None
    if row is None:
        raise not_found(noun, member=member)
    return row


def paginate(
    rows: QuerySet[Row], paging: Paging, serialize: Callable[[Row], object] = lambda row: row
) -> dict[str, Any]:
    """Return a page of the rows as `{data, meta}`."""
    paginator = Paginator(rows, paging.per_page, allow_empty_first_page=False)
    data: list[object] = []
    with suppress(EmptyPage):
        data = list(map(serialize, paginator.page(paging.page)))
    return {
        "data": data,
        "meta": {
            "page": paging.page,
            "per_page": paging.per_page,
            "total": paginator.count,
            "total_pages": paginator.num_pages,
        },
    }
