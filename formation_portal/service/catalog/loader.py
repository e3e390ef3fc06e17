"""Read the catalog's data files and load them into the service's database."""

import hashlib
import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import yaml
from django.db import transaction

from formation_portal.contract.schema import FormSchema as Form
from formation_portal.contract.schema_check import check_schema
from formation_portal.core.databases import SERVICE
from formation_portal.service.models import CatalogItem, CatalogLoad, FormSchema

from .product_syntax import Block, CatalogError, SharedBlocks

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # Without the C library PyYAML is only slower.
    from yaml import SafeLoader  # type: ignore[assignment]

CATALOG = Path(__file__).parent
NAMESPACE = UUID("7d6d4e9c-3f1b-5c43-9a55-0c8d1f2b7a10")


def read_catalog(*, root: Path = CATALOG) -> list[Block]:
    """Return the catalog items in the interface's form. Raises CatalogError."""
    provider = read_blocks(root / "shared/provider.yaml")
    jurisdictions = read_blocks(root / "shared/jurisdictions.yaml")
    shared_blocks = _shared_blocks(root / "shared")
    items = []
    for path in sorted((root / "products").glob("*.yaml")):
        product = read_blocks(path)
        try:
            place = {"slug": product["jurisdiction"]} | jurisdictions[product["jurisdiction"]]
            items.append(_item(path.stem, product, place, provider, shared_blocks))
        except CatalogError as error:
            raise CatalogError(f"{path.name}: {error}") from error
        except KeyError as error:
            raise CatalogError(f"{path.name}: {error} is missing") from error
    return sorted(items, key=lambda item: (item["jurisdiction"]["name"], item["product"]["name"]))


def _shared_blocks(folder: Path) -> SharedBlocks:
    documents = read_blocks(folder / "documents.yaml")
    groups = {}
    for title, names in read_blocks(folder / "groups.yaml").items():
        groups.update(dict.fromkeys(names, title))
    return SharedBlocks(
        options=read_blocks(folder / "options.yaml"),
        rules=read_blocks(folder / "rules.yaml"),
        fields=_read_all(folder / "fields"),
        field_sets=read_blocks(folder / "field_sets.yaml"),
        groups=groups,
        slots=documents["slots"],
        slot_sets=documents["sets"],
        sections=_read_all(folder / "sections"),
        validations=read_blocks(folder / "validations.yaml"),
    )


def _item(slug: str, product: Block, place: Block, provider: Block, shared_blocks: SharedBlocks) -> Block:
    blocks = shared_blocks.for_product(fields=product.get("fields", {}), currencies=product["currencies"])
    return {
        "jurisdiction_product_id": _id("jurisdiction-product", slug),
        "jurisdiction": {
            "id": _id("jurisdiction", place["slug"]),
            "name": place["name"],
            "slug": place["slug"],
            "iso_code": place["iso_code"],
            "region": place["region"],
        },
        "product": {
            "id": _id("product", slug),
            "name": product["name"],
            "slug": slug,
            "type": product["type"],
            "description": product["description"],
        },
        "price": product["price"],
        "schema": {
            "id": _id("schema", slug, product["version"]),
            "csp_name": provider["csp_name"],
            "form_name": product["form"],
            "version": product["version"],
            "agent_address": product.get("agent_address", place["agent_address"]),
            "sections": [blocks.section(entry) for entry in product["sections"]],
            "validations": blocks.all_validations(product),
        },
        "estimated_timeline": product["timeline"],
    }


def _id(*parts: str) -> str:
    return str(uuid5(NAMESPACE, "/".join(parts)))


def _read_all(folder: Path) -> Block:
    blocks: Block = {}
    for path in sorted(folder.glob("*.yaml")):
        blocks |= read_blocks(path)
    return blocks


def read_blocks(path: Path) -> Block:
    blocks: Block = yaml.load(path.read_text("utf-8"), Loader=SafeLoader)
    return blocks


def store_catalog(items: list[Block]) -> bool:
    """Replace the stored catalog. Return False if it is unchanged. Raises CatalogError.

    Products that are no longer listed are kept, like older schemas, for the entities that were created with them.
    """
    digest = digest_of(items)
    if CatalogLoad.latest_digest() == digest:
        return False
    for item in items:
        if faults := check_schema(Form.model_validate(item["schema"])).faults:
            raise CatalogError(f"{item['product']['name']}: {faults[0].message}")
    with transaction.atomic(using=SERVICE):
        CatalogItem.objects.update(is_listed=False)
        for position, item in enumerate(items):
            _store_item(item, position)
        CatalogLoad.objects.create(digest=digest)
    return True


def _store_item(item: Block, position: int) -> None:
    schema = item["schema"]
    product_id = item["jurisdiction_product_id"]
    FormSchema.objects.update_or_create(
        id=schema["id"],
        defaults={
            "jurisdiction_product_id": product_id,
            "version": schema["version"],
            "document": schema,
            "digest": digest_of(schema),
        },
    )
    CatalogItem.objects.update_or_create(
        jurisdiction_product_id=product_id,
        defaults={
            "form_id": schema["id"],
            "jurisdiction": item["jurisdiction"]["slug"],
            "product_type": item["product"]["type"],
            "position": position,
            "is_listed": True,
            "document": {name: value for name, value in item.items() if name != "schema"},
        },
    )


def digest_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
