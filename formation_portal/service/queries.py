"""Finds records for whoever asks, and cuts lists into pages: another account's record is as absent as none (supplement,
"Envelopes, pages, errors").
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Le
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from pydantic import BeforeValidator

from formation_portal.contract.lifecycle import WRITABLE
from formation_portal.core.integers import parse_integer
from formation_portal.service import identifiers
from formation_portal.service.auth import key_of
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding
from formation_portal.service.problems import ApiError, ErrorDetail, not_found, pointer

Row = TypeVar("Row", bound=Model)

# Whether a party has shares, which is what makes a shareholder an active one.
HOLDS_SHARES = Exists(Shareholding.objects.filter(party=OuterRef("pk")))


def entities_of(request: HttpRequest) -> QuerySet[Entity]:
    """The account's entities. Their form's document is large and parsed already, so it stays where it is."""
    mine = Entity.objects.filter(account_id=key_of(request).account_id)
    return mine.select_related("item", "form").defer("form__document")


def entity_to_read(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity; raises 404."""
    return _find_or_404(entities_of(request), entity_id, identifiers.ENTITY, "entity")


def entity_to_write(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity, locked; raises 404, or 409 where its state allows no writing."""
    entity = entity_for_transition(request, entity_id)
    if entity.state not in WRITABLE:
        raise ApiError("invalid_state", f"An entity that is {entity.status} can't be changed.")
    return entity


def entity_for_transition(request: HttpRequest, entity_id: str) -> Entity:
    """The account's entity, locked for a change of its state; raises 404."""
    locked = entities_of(request).select_for_update(of=("self",))
    return _find_or_404(locked, entity_id, identifiers.ENTITY, "entity")


def parties_of(entity: Entity) -> QuerySet[Party]:
    """The entity's parties, oldest first, each with `holds`: whether it has shares."""
    return with_shares_held(Party.objects.filter(entity=entity)).order_by("created_at", "id")


def with_shares_held(parties: QuerySet[Party]) -> QuerySet[Party]:
    """The parties, each with `holds`: whether it has shares."""
    return parties.annotate(holds=HOLDS_SHARES)


def party_of(entity: Entity, party_id: str) -> Party:
    """The entity's party; raises 404."""
    return _find_or_404(parties_of(entity), party_id, identifiers.PARTY, "party")


def share_class_of(entity: Entity, share_class_id: str) -> ShareClass:
    """The entity's class of shares; raises 404."""
    classes = ShareClass.objects.filter(entity=entity)
    return _find_or_404(classes, share_class_id, identifiers.SHARE_CLASS, "share class")


def shareholding_of(entity: Entity, shareholding_id: str) -> Shareholding:
    """The entity's shareholding; raises 404."""
    holdings = Shareholding.objects.filter(party__entity=entity)
    return _find_or_404(holdings, shareholding_id, identifiers.SHAREHOLDING, "shareholding")


def document_of(entity: Entity, document_id: str) -> Document:
    """The entity's document; raises 404."""
    return _find_or_404(Document.objects.filter(entity=entity), document_id, identifiers.DOCUMENT, "document")


def with_body_pointer(member: str, find: "ApiError") -> ApiError:
    """The same refusal, with a pointer to the member of the body that named what is not there."""
    return ApiError(find.code, find.detail, errors=[ErrorDetail(pointer(member), find.code, find.detail, member)])


def share_class_ids(entity: Entity) -> frozenset[str]:
    """The ids that an answer may refer to."""
    return frozenset(ShareClass.objects.filter(entity=entity).values_list("id", flat=True))


def _find_or_404(rows: QuerySet[Row], wanted: str, prefix: str, what: str) -> Row:
    row = rows.filter(pk=wanted).first() if identifiers.is_id(wanted, prefix) else None
    if row is None:
        raise not_found(what)
    return row


PER_PAGE, MOST_PER_PAGE, LAST_PAGE = 20, 100, 1_000_000


def _only_digits(value: Any) -> Any:
    """A count in a query is digits and nothing else; pydantic would take "1_0" and " 1" too."""
    if isinstance(value, str) and parse_integer(value, digits=9) is None:
        raise ValueError("must be a whole number in digits")
    return value


PageNumber = Annotated[int, Ge(1), Le(LAST_PAGE), BeforeValidator(_only_digits)]
PerPage = Annotated[int, Ge(1), Le(MOST_PER_PAGE), BeforeValidator(_only_digits)]


def paginate(
    rows: QuerySet[Row], serialize: Callable[[Row], dict[str, Any]], *, page: int, per_page: int
) -> dict[str, Any]:
    """One page of the rows as `{data, meta}`."""
    total = rows.count()
    start = (page - 1) * per_page
    return {
        "data": [serialize(row) for row in rows[start : start + per_page]] if start < total else [],
        "meta": {
            "page": page,
            "per_page": per_page,
            "total": total,
            "total_pages": math.ceil(total / per_page),
        },
    }
