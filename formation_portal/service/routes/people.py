"""The account's parties over all entities, and using one again (interface, "Remaining party endpoints"; supplement)."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import StringConstraints

from formation_portal.service import events, identifiers, roles
from formation_portal.service.access import entity_to_write, with_holds
from formation_portal.service.auth import key_of
from formation_portal.service.forms import Askable, askable_of_party, form_of
from formation_portal.service.models import Party
from formation_portal.service.pagination import PER_PAGE, PageNumber, PerPage, page_of
from formation_portal.service.problems import Complaint, Refusal, pointer
from formation_portal.service.records import party_record
from formation_portal.service.routing import JSON, route
from formation_portal.service.shapes.base import EntityId, One, Page
from formation_portal.service.shapes.party import PartyOut, ReuseIn

router = Router(tags=["Parties"])

Wire = dict[str, Any]
Search = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\u0000-\u001f\u007f]*$")]


@route(router, "GET", "/parties", scopes="parties:read", gives=Page[PartyOut], refuses=(422,))
def search_parties(
    request: HttpRequest, search: Search | None = None, page: PageNumber = 1, per_page: PerPage = PER_PAGE
) -> Wire:
    """**S** The account's parties over all entities, newest first; `search` looks in names and e-mail addresses."""
    mine = with_holds(Party.objects.filter(entity__account_id=key_of(request).account_id))
    parties = mine.select_related("entity__form").defer("entity__form__document").order_by("-created_at", "-id")
    for word in (search or "").casefold().split():
        parties = parties.filter(search_text__contains=word)
    return page_of(
        parties, page=page, per_page=per_page, out=lambda rows: [party_record(party, party.entity) for party in rows]
    )


@route(
    router,
    "POST",
    "/entities/{entity_id}/parties/reuse",
    scopes="parties:write",
    gives=One[PartyOut],
    status=201,
    takes=JSON,
)
def reuse_party(request: HttpRequest, entity_id: EntityId, body: ReuseIn) -> Wire:
    """**S** Copies a party of the account into this entity: its kind, and the answers that this form asks for too."""
    entity = entity_to_write(request, entity_id)
    source = _source(request, body.source_party_id)
    form = form_of(entity.form)
    roles.refuse_unfit(form, source.party_type, body.roles)
    askable = askable_of_party(form, source.party_type, body.roles)
    party = Party(entity=entity, party_type=source.party_type, roles=body.roles)
    party.properties = {name: value for name, value in source.properties.items() if (name,) in askable.properties}
    party.csp_data = {name: value for name, value in source.csp_data.items() if _travels(askable, name)}
    party.save(force_insert=True)
    events.party(entity, "added", party)
    return {"data": party_record(party, entity)}


def _source(request: HttpRequest, party_id: str) -> Party:
    mine = Party.objects.filter(entity__account_id=key_of(request).account_id)
    source = mine.filter(pk=party_id).first() if identifiers.is_id(party_id, identifiers.PARTY) else None
    if source is None:
        detail = "There is no such party."
        member = "source_party_id"
        raise Refusal("not_found", detail, errors=[Complaint(pointer(member), "not_found", detail, member)])
    return source


def _travels(askable: Askable, name: str) -> bool:
    """Whether an answer means the same elsewhere; a reference to a share class of the other entity doesn't."""
    spec = askable.csp.get(name)
    return spec is not None and not spec.refers_to_share_class
