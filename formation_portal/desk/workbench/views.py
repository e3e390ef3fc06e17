"""Show the form, needs and calls of a schema at the workbench. Nothing is stored, and nothing is sent."""

import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import load_schema
from formation_portal.applications.models import SchemaVersion
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.schema import FormSchema
from formation_portal.gateway.catalog import CatalogProduct, catalog
from formation_portal.gateway.errors import CatalogUnavailable
from formation_portal.ui.forms.controls import as_options

from .calls import planned_calls
from .forms import DRAWN, posted_draft
from .pages import Trial
from .rule_tree import RuleTree
from .source import MAX_BYTES, UNNAMED, Unreadable, read_source
from .versions import differences, effects_on_drafts, versions_in_use

# Prefixes the digest in the value of a version in use.
_VERSION = "version:"


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.WORKBENCH)
def workbench(request: UserRequest) -> HttpResponse:
    """Show an empty page, the schema of a catalog product, or a posted schema. A post by htmx is answered with only
    the changed parts."""
    if not settings.WORKBENCH:
        raise Http404
    products: tuple[CatalogProduct, ...] = ()
    context: dict[str, Any] = {}
    try:
        products = catalog().items
    except CatalogUnavailable:
        context["catalog_note"] = (
            "The formation service’s catalog is not available at the moment. Paste or upload a schema instead."
        )
    chosen = request.GET.get("product", "")
    if "load" in request.POST:
        chosen = request.POST.get("product", "")
    names = [(product.key, _product_name(product)) for product in products]
    selected = chosen or request.POST.get("product", "")
    context["product_options"] = as_options((("", "Choose a company type"), *names), selected)
    source = None
    status = 200
    try:
        context["schema_text"] = _schema_text(request, products, chosen)
        if request.method == "POST" or chosen:
            source = read_source(context["schema_text"])
            context["source"] = source
    except Unreadable as error:
        context["problem"] = str(error)
        status = 422
    if source and source.item:
        if source.can_be_drawn:
            context |= _trial(request, source.item)
        if not request.htmx:
            # Draw the rules even of a faulty schema.
            context["rules"] = RuleTree(source.item.form)
            context["comparison"] = _comparison(request, products, source.item)
    if request.htmx:
        return render(request, "desk/workbench/_update.html", context)
    return render(request, "desk/workbench/workbench.html", context, status=status)


def _trial(request: UserRequest, item: CatalogItem) -> dict[str, Any]:
    drawn: dict[str, str] = {}
    post = request.POST
    if request.htmx:
        for name in post:
            if name.endswith(DRAWN):
                drawn[name.removesuffix(DRAWN)] = post[name]
    elif "load" in post:
        post = QueryDict()
    trial = Trial(posted_draft(item, post), drawn)
    if not trial.is_drawn:
        return {"trial": trial}
    calls, waiting = planned_calls(trial.draft)
    return {"trial": trial, "calls": calls, "waiting": waiting}


def _comparison(request: UserRequest, products: tuple[CatalogProduct, ...], item: CatalogItem) -> dict[str, Any]:
    versions = versions_in_use(item.jurisdiction_product_id)
    pasted = request.POST.get("other_schema", "").strip()
    chosen = request.POST.get("other", "")
    labels = [("", "The catalog’s version")]
    labels += [(f"{_VERSION}{version.pk}", f"{version}, in use since {_day(version)}") for version in versions]
    labels += [(product.key, _product_name(product)) for product in products if product.item]
    comparison: dict[str, Any] = {"choices": as_options(labels, chosen), "text": pasted}
    try:
        other = _other_version(item, pasted, chosen, versions, products)
    except Unreadable as error:
        return comparison | {"problem": str(error)}
    if other is None:
        return comparison
    name, form, product_id = other
    if item.jurisdiction_product_id != UNNAMED:
        product_id = item.jurisdiction_product_id
    changes = differences(form, item.form)
    return comparison | {"name": name, "changes": changes, "drafts": effects_on_drafts(item, product_id)}


def _other_version(
    item: CatalogItem, pasted: str, chosen: str, versions: list[SchemaVersion], products: tuple[CatalogProduct, ...]
) -> tuple[str, FormSchema, str] | None:
    """Return name, form and product id of the pasted, chosen or catalog's version, or None. Raises Unreadable."""
    if pasted:
        other = read_source(pasted).item
        if other is None:
            raise Unreadable("The pasted version can’t be read")
        return "The pasted version", other.form, other.jurisdiction_product_id
    for version in versions:
        if chosen == f"{_VERSION}{version.pk}":
            return f"The version in use since {_day(version)}", load_schema(version.pk), item.jurisdiction_product_id
    for product in products:
        other = product.item
        if other is None:
            continue
        if product.key == chosen or (not chosen and other.jurisdiction_product_id == item.jurisdiction_product_id):
            return f"The catalog’s version of {_product_name(product)}", other.form, other.jurisdiction_product_id
    return None


def _day(version: SchemaVersion) -> str:
    return date_format(localtime(version.created_at), "j F Y")


def _schema_text(request: UserRequest, products: tuple[CatalogProduct, ...], chosen: str) -> str:
    """Return the schema that was chosen, uploaded or pasted, as text. Raises Unreadable."""
    if chosen:
        product = next((product for product in products if product.key == chosen), None)
        if product is None:
            raise Unreadable("The catalog has no such company type")
        if product.item is None:
            raise Unreadable(product.reason)
        item: dict[str, Any] = product.item.model_dump(mode="json", exclude={"form", "document"})
        return json.dumps(item | {"schema": product.item.document}, indent=1, ensure_ascii=False)
    upload = request.FILES.get("file")
    if upload is not None and not request.htmx:
        if (upload.size or 0) > MAX_BYTES:
            raise Unreadable(f"The file has {upload.size:,} bytes. The workbench takes up to {MAX_BYTES:,}")
        try:
            return str(upload.read(), "utf-8-sig")
        except UnicodeDecodeError as error:
            raise Unreadable(f"The file is not text in UTF-8: byte {error.start + 1} can’t be read") from None
    return str(request.POST.get("schema", ""))


def _product_name(product: CatalogProduct) -> str:
    if product.item and product.item.jurisdiction.name:
        return f"{product.name}, {product.item.jurisdiction.name}"
    return str(product.name)
