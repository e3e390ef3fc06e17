"""Share classes of an entity (interface, "POST …/share-classes"; supplement, "Share classes, shareholdings")."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from formation_portal.contract.fields.iso_codes import is_currency
from formation_portal.core.databases import SERVICE
from formation_portal.service.entity_forms import parsed_form, share_class_fields
from formation_portal.service.models import Entity, ShareClass
from formation_portal.service.parsing import AnswerParser
from formation_portal.service.problems import ApiError, ErrorDetail, pointer, raise_if_any
from formation_portal.service.queries import (
    PER_PAGE,
    PageNumber,
    PerPage,
    entity_to_read,
    entity_to_write,
    paginate,
    share_class_of,
)
from formation_portal.service.routing import JSON, route
from formation_portal.service.schemas.base import EntityId, One, Page, ShareClassId
from formation_portal.service.schemas.share import ShareClassIn, ShareClassOut, ShareClassPatch
from formation_portal.service.serializers import Json, serialize_share_class

router = Router(tags=["Shares"])
READ, WRITE = "entities:read", "entities:write"
ONE = "/entities/{entity_id}/share-classes/{share_class_id}"
# What every class has (interface, "Share class"); these can be changed, never cleared.
_ALWAYS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")


@route(
    router,
    "POST",
    "/entities/{entity_id}/share-classes",
    scopes=WRITE,
    gives=One[ShareClassOut],
    status=201,
    takes=JSON,
)
def add_share_class(request: HttpRequest, entity_id: EntityId, body: ShareClassIn) -> Json:
    """Defines a class of shares. Its name is unique within the entity."""
    entity = entity_to_write(request, entity_id)
    row = ShareClass(entity=entity)
    _change(row, entity, body.model_dump())
    return {"data": serialize_share_class(row)}


@route(router, "GET", "/entities/{entity_id}/share-classes", scopes=READ, gives=Page[ShareClassOut], refuses=(422,))
def list_share_classes(
    request: HttpRequest, entity_id: EntityId, page: PageNumber = 1, per_page: PerPage = PER_PAGE
) -> Json:
    """**S** The entity's classes of shares, oldest first."""
    rows = ShareClass.objects.filter(entity=entity_to_read(request, entity_id)).order_by("created_at", "id")
    return paginate(
        rows, page=page, per_page=per_page, out=lambda classes: [serialize_share_class(row) for row in classes]
    )


@route(router, "GET", ONE, scopes=READ, gives=One[ShareClassOut])
def get_share_class(request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId) -> Json:
    """**S** One class of shares."""
    return {"data": serialize_share_class(share_class_of(entity_to_read(request, entity_id), share_class_id))}


@route(router, "PATCH", ONE, scopes=WRITE, gives=One[ShareClassOut], takes=JSON, refuses=(409,))
def update_share_class(
    request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId, body: ShareClassPatch
) -> Json:
    """**S** Changes properties of a class of shares."""
    entity = entity_to_write(request, entity_id)
    row = share_class_of(entity, share_class_id)
    _change(row, entity, body.properties)
    return {"data": serialize_share_class(row)}


@route(router, "DELETE", ONE, scopes=WRITE, gives=None, status=204, refuses=(409,))
def remove_share_class(request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId) -> None:
    """**S** Removes a class of which nobody holds shares."""
    row = share_class_of(entity_to_write(request, entity_id), share_class_id)
    if row.shareholdings.exists():
        raise ApiError("conflict", "Shares of this class are held; remove the shareholdings first.")
    row.delete()


def _change(row: ShareClass, entity: Entity, body: Mapping[str, Any]) -> None:
    """Lays the body over the class and saves it; raises 422, or 409 where another class has the name."""
    said = AnswerParser(today=timezone.now().date()).properties(body, share_class_fields(parsed_form(entity.form)))
    properties = said.merged_into(row.properties)
    told = {complaint.pointer for complaint in said.errors}
    errors = list(said.errors)
    for name in _ALWAYS:
        if name not in properties and pointer(name) not in told:
            errors.append(ErrorDetail(pointer(name), "required", f"A class of shares needs {name}.", name))
    if (code := properties.get("currency")) is not None and not is_currency(code):
        errors.append(ErrorDetail("/currency", "currency_not_allowed", "Send an ISO 4217 code.", "currency"))
    if properties.get("par_value", 0) < 0:
        errors.append(ErrorDetail("/par_value", "negative", "A par value must be zero or more.", "par_value"))
    raise_if_any(errors)
    row.properties, row.name = properties, properties["name"]
    twin = ShareClass.objects.filter(entity=entity, name=row.name).exclude(pk=row.pk).first()
    if twin is not None:
        raise _conflict(twin)
    try:
        with transaction.atomic(using=SERVICE):
            row.save()
    except IntegrityError:
        raise _conflict(ShareClass.objects.get(entity=entity, name=row.name)) from None


def _conflict(twin: ShareClass) -> ApiError:
    return ApiError("conflict", f"This entity has a class named {twin.name}.", members={"existing_id": twin.id})
