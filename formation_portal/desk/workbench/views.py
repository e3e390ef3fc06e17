"""Show a schema at the workbench as its form, its needs and its calls. Nothing is stored, and nothing is sent."""

import json
from dataclasses import replace
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import Rest, UserRequest, UserView, agent_with
from formation_portal.applications.draft import load_schema
from formation_portal.applications.models import SchemaVersion
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.schema import FormSchema
from formation_portal.gateway.catalog import CatalogProduct, catalog
from formation_portal.gateway.errors import CatalogUnavailable
from formation_portal.ui.forms.controls import as_options

from .forms import DRAWN, posted_draft
from .pages import Comparison, Trial, WorkbenchPage
from .source import MAX_BYTES, UNNAMED, Source, Unreadable, decode, read_source
from .versions import Difference, OpenDrafts, versions_in_use

# Begins the value of a version that applications use; its digest follows.
_VERSION = "version:"


def _requires_workbench(view: UserView[Rest]) -> UserView[Rest]:
    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not settings.WORKBENCH:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.WORKBENCH)
@_requires_workbench
def workbench(request: UserRequest) -> HttpResponse:
    """Show an empty page, or the schema of a product of the catalog; a POST shows the posted schema.

    A change that htmx posts is answered with the parts that differ: the visible regions, the needs and the calls.
    """
    page = _page(request)
    if request.htmx:
        return render(request, "desk/workbench/_update.html", {"page": page})
    return render(request, "desk/workbench/workbench.html", {"page": page}, status=422 if page.problem else 200)


def _page(request: UserRequest) -> WorkbenchPage:
    products: tuple[CatalogProduct, ...] = ()
    note = ""
    try:
        products = catalog().items
    except CatalogUnavailable:
        note = "The formation service’s catalog is not available at the moment. Paste or upload a schema instead."
    chosen = ""
    if request.method != "POST":
        chosen = request.GET.get("product", "")
    elif "load" in request.POST:
        chosen = request.POST.get("product", "")
    text = ""
    problem = ""
    source = None
    try:
        text = _text(request, products, chosen)
        if request.method == "POST" or chosen:
            source = read_source(text)
    except Unreadable as error:
        problem = str(error)
    trial = None
    if source and source.item and source.can_be_drawn:
        is_new = "load" in request.POST and not request.htmx
        post = QueryDict() if is_new else request.POST
        drawn = {name.removesuffix(DRAWN): post[name] for name in post if name.endswith(DRAWN)}
        trial = Trial(posted_draft(source.item, post), drawn if request.htmx else {})
    names = [(product.key, _product_name(product)) for product in products]
    options = as_options((("", "Choose a company type"), *names), chosen or request.POST.get("product", ""))
    comparison = _comparison(request, products, source) if source and not request.htmx else None
    return WorkbenchPage(text, options, note, source, problem, trial, comparison)


def _comparison(request: UserRequest, products: tuple[CatalogProduct, ...], source: Source) -> Comparison | None:
    """Compare the schema with the version that was pasted or chosen; else with the catalog's version of it."""
    item = source.item
    if item is None:
        return None
    readable = [product for product in products if product.item]
    versions = versions_in_use(item.jurisdiction_product_id)
    pasted = request.POST.get("other_schema", "")
    chosen = request.POST.get("other", "")
    labels = [("", "The catalog’s version")]
    labels += [(f"{_VERSION}{version.pk}", f"{version}, in use since {_day(version)}") for version in versions]
    labels += [(product.key, _product_name(product)) for product in readable]
    choices = as_options(labels, chosen)
    if pasted.strip():
        try:
            other, name = read_source(pasted).item, "The pasted version"
        except Unreadable as error:
            return Comparison(choices, pasted, problem=str(error))
        if other is None:
            return Comparison(choices, pasted, problem="The pasted version can’t be read")
        return _compared(Comparison(choices, pasted, name), item, other.form, other.jurisdiction_product_id)
    for version in versions:
        if chosen == f"{_VERSION}{version.pk}":
            name = f"The version in use since {_day(version)}"
            return _compared(Comparison(choices, name=name), item, load_schema(version.pk), "")
    for product in readable:
        other = product.item
        assert other is not None
        if product.key == chosen or (not chosen and other.jurisdiction_product_id == item.jurisdiction_product_id):
            name = f"The catalog’s version of {_product_name(product)}"
            return _compared(Comparison(choices, name=name), item, other.form, other.jurisdiction_product_id)
    return Comparison(choices)


def _day(version: SchemaVersion) -> str:
    return date_format(localtime(version.created_at), "j F Y")


def _compared(comparison: Comparison, item: CatalogItem, other: FormSchema, product_id: str) -> Comparison:
    own = item.jurisdiction_product_id
    drafts = OpenDrafts(item, product_id if own == UNNAMED and product_id else own)
    return replace(comparison, difference=Difference(other, item.form), drafts=drafts)


def _text(request: UserRequest, products: tuple[CatalogProduct, ...], chosen: str) -> str:
    """Return the schema of the chosen product, of the file, or the pasted one. Raises Unreadable."""
    if chosen:
        product = next((product for product in products if product.key == chosen), None)
        if product is None:
            raise Unreadable("The catalog has no such company type")
        if product.item is None:
            raise Unreadable(product.reason)
        item: dict[str, Any] = product.item.model_dump(mode="json", exclude={"form", "document"})
        return json.dumps(item | {"schema": product.item.document}, indent=1, ensure_ascii=False)
    upload = None if request.htmx else request.FILES.get("file")
    if upload is not None:
        if (upload.size or 0) > MAX_BYTES:
            raise Unreadable(f"The file has {upload.size:,} bytes. The workbench takes up to {MAX_BYTES:,}")
        return decode(upload.read())
    return str(request.POST.get("schema", ""))


def _product_name(product: CatalogProduct) -> str:
    place = product.item.jurisdiction.name if product.item else ""
    return f"{product.name}, {place}" if place else str(product.name)
