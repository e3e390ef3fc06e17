"""GET /catalog (interface, "GET /api/v1/catalog")."""

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Router
from pydantic import StringConstraints

from formation_portal.service import listing
from formation_portal.service.routing import route
from formation_portal.service.shapes.catalog import CatalogOut

router = Router(tags=["Catalog"])

Slug = Annotated[str, StringConstraints(pattern="^[a-z0-9-]{1,100}$")]
Type = Literal["Corporation", "Foundation"]
ProductId = Annotated[str, StringConstraints(pattern="^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]


@route(router, "GET", "/catalog", scopes="entities:read", gives=CatalogOut, refuses=(422,))
def list_catalog(
    request: HttpRequest,
    jurisdiction: Slug | None = None,
    product_type: Type | None = None,
    jurisdiction_product_id: ProductId | None = None,
) -> HttpResponse:
    """Every product in every jurisdiction with its form schema, filtered by what is given. 304 on `If-None-Match`."""
    wanted = listing.Wanted(jurisdiction, product_type, jurisdiction_product_id)
    return listing.answer(request, wanted)
