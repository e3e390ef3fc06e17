"""Answer GET /catalog: rendered once per language, cached as bytes, with a strong ETag."""

import gzip
import hashlib
import json
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation.trans_real import parse_accept_lang_header
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field

from formation_portal.service.catalog.translation import ENGLISH, languages, translation_of
from formation_portal.service.models import CatalogItem, CatalogLoad
from formation_portal.service.pipeline import route
from formation_portal.service.schemas import Pattern


class JurisdictionOut(BaseModel):
    """The place in which the entity is formed."""

    id: str
    name: str
    slug: str
    iso_code: str = Field(pattern="^[A-Z]{2}$")
    region: str


class ProductOut(BaseModel):
    """The legal form."""

    id: str
    name: str
    slug: str
    type: Literal["Corporation", "Foundation"]
    description: str


class PriceOut(BaseModel):
    """The price in a currency (ISO 4217)."""

    one_off: float
    annual: float
    currency: str = Field(pattern="^[A-Z]{3}$")


class FormSchemaOut(BaseModel):
    """The form schema: questions, documents and conditions. Sections may hold further members."""

    model_config = ConfigDict(extra="allow")

    id: str
    csp_name: str
    form_name: str
    version: str
    agent_address: dict[str, str]
    sections: list[dict[str, Any]]


class CatalogItemOut(BaseModel):
    """A product in a jurisdiction."""

    jurisdiction_product_id: str
    jurisdiction: JurisdictionOut
    product: ProductOut
    price: PriceOut
    form: FormSchemaOut = Field(alias="schema")
    estimated_timeline: str


class Total(BaseModel):
    """The number of items."""

    total: int


class CatalogOut(BaseModel):
    """The whole list; it is not paged."""

    data: list[CatalogItemOut]
    meta: Total


CACHE_CONTROL = "private, max-age=300"


router = Router(tags=["Catalog"])

Slug = Annotated[str, Pattern("^[a-z0-9-]{1,100}$", "{name} must be the slug of a jurisdiction, like switzerland.")]
Type = Literal["Corporation", "Foundation"]
ProductId = Annotated[
    str,
    Pattern(
        "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        "{name} must be the id of a product, which is a UUID.",
        "not_a_uuid",
    ),
]


@route(router, "GET", "/catalog", scopes="entities:read", gives=CatalogOut, refuses=(422,))
def list_catalog(
    request: HttpRequest,
    jurisdiction: Slug | None = None,
    product_type: Type | None = None,
    jurisdiction_product_id: ProductId | None = None,
) -> HttpResponse:
    """Every product in every jurisdiction with its form schema, filtered by the parameters. 304 on `If-None-Match`.

    `Accept-Language` chooses the language of labels, help, titles, descriptions and names: English, German, French or
    Spanish. Ids, keys, values and rules are the same in each.
    """
    filters = {"jurisdiction": jurisdiction, "product_type": product_type}
    if jurisdiction_product_id:
        filters["jurisdiction_product_id"] = jurisdiction_product_id.lower()
    present_filters = tuple((name, value) for name, value in filters.items() if value is not None)
    language = _language_for(request.headers.get("Accept-Language", ""))
    content, packed, digest = _catalog(CatalogLoad.latest_digest(), present_filters, language)
    etag = f'"{digest}"'
    is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
    if is_packed:
        content = packed
        # A strong ETag names exact bytes.
        etag = f'"{digest}-gzip"'
    etags = parse_etags(request.headers.get("If-None-Match", ""))
    response = HttpResponse(content, content_type="application/json; charset=utf-8")
    if "*" in etags or etag in etags or f"W/{etag}" in etags:
        response = HttpResponseNotModified()
    elif is_packed:
        response["Content-Encoding"] = "gzip"
    response["ETag"] = etag
    response["Cache-Control"] = CACHE_CONTROL
    response["Content-Language"] = language
    patch_vary_headers(response, ["Accept-Encoding", "Accept-Language", "Authorization"])
    return response


def _language_for(accepted: str) -> str:
    for tag, quality in parse_accept_lang_header(accepted):
        language = tag.partition("-")[0]
        if quality and language in languages():
            return language
        if quality and language == "*":
            break
    return ENGLISH


@lru_cache(maxsize=64)
def _catalog(digest: str, filters: tuple[tuple[str, str], ...], language: str) -> tuple[bytes, bytes, str]:
    """Return the catalog's bytes, the packed bytes and their digest. A newer catalog has another `digest`."""
    items = CatalogItem.objects.filter(is_listed=True, **dict(filters)).select_related("form")
    data = [{**item.document, "schema": item.form.document} for item in items]
    if language != ENGLISH:
        data = [translation_of(language).item(item) for item in data]
    plain = json.dumps({"data": data, "meta": {"total": len(data)}}, ensure_ascii=False).encode()
    etag = hashlib.sha256(f"{digest}{language}".encode() + plain).hexdigest()[:32]
    return plain, gzip.compress(plain, mtime=0), etag
