"""GET /catalog (interface, "GET /api/v1/catalog"): rendered once, kept as bytes, with a strong ETag (supplement,
"Envelopes").
"""

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from ninja import Router
from pydantic import StringConstraints

from formation_portal.service.models import CatalogItem, CatalogLoad
from formation_portal.service.routing import route
from formation_portal.service.schemas.catalog import CatalogOut

CACHE_CONTROL = "private, max-age=300"


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """What the catalog is filtered by; None takes all."""

    jurisdiction: str | None
    product_type: str | None
    jurisdiction_product_id: str | None


@dataclass(frozen=True, slots=True)
class CatalogBytes:
    """A catalog as bytes, plain and packed; each has an ETag of its own, since a strong one names exact bytes."""

    plain: bytes
    packed: bytes
    etag: str


def catalog_response(request: HttpRequest, wanted: CatalogFilter) -> HttpResponse:
    """200 with the catalog, or 304 where the client has it already."""
    load = CatalogLoad.objects.order_by("-pk").first()
    drawn = _catalog_bytes(load.digest if load else "", wanted)
    packs = "gzip" in request.headers.get("Accept-Encoding", "")
    etag = f'"{drawn.etag}-gzip"' if packs else f'"{drawn.etag}"'
    response: HttpResponse
    held = parse_etags(request.headers.get("If-None-Match", ""))
    if "*" in held or etag in [one.removeprefix("W/") for one in held]:
        response = HttpResponseNotModified()
    else:
        response = HttpResponse(drawn.packed if packs else drawn.plain, content_type="application/json; charset=utf-8")
        if packs:
            response["Content-Encoding"] = "gzip"
    response["ETag"] = etag
    response["Cache-Control"] = CACHE_CONTROL
    patch_vary_headers(response, ["Accept-Encoding", "Authorization"])
    return response


@lru_cache(maxsize=64)
def _catalog_bytes(digest: str, wanted: CatalogFilter) -> CatalogBytes:
    """The digest is that of the loaded catalog: a newer one is rendered anew."""
    items = CatalogItem.objects.filter(is_listed=True).select_related("form")
    if wanted.jurisdiction is not None:
        items = items.filter(jurisdiction=wanted.jurisdiction)
    if wanted.product_type is not None:
        items = items.filter(product_type=wanted.product_type)
    if wanted.jurisdiction_product_id is not None:
        items = items.filter(jurisdiction_product_id=wanted.jurisdiction_product_id.lower())
    data = [{**item.document, "schema": item.form.document} for item in items]
    plain = json.dumps({"data": data, "meta": {"total": len(data)}}, ensure_ascii=False).encode()
    etag = hashlib.sha256(digest.encode() + plain).hexdigest()[:32]
    return CatalogBytes(plain, gzip.compress(plain, mtime=0), etag)


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
    wanted = CatalogFilter(jurisdiction, product_type, jurisdiction_product_id)
    return catalog_response(request, wanted)
