"""Takes a catalog into the service's database; what is there already is left alone (interface, "Catalog item")."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from formation_portal.contract.schema import FormSchema as Form
from formation_portal.contract.schema_check import check_schema
from formation_portal.core.databases import SERVICE
from formation_portal.service.models import CatalogItem, CatalogLoad, FormSchema

Item = dict[str, Any]


class FaultySchema(Exception):
    """A form schema that would make its product unavailable; the message says why."""


def store_catalog(items: list[Item]) -> bool:
    """Makes the catalog consist of the items. Gives False where it did already. Raises FaultySchema.

    A product that is no longer listed stays for the entities that were made of it, as older schemas do.
    """
    digest = digest_of(items)
    latest = CatalogLoad.objects.order_by("-pk").first()
    if latest is not None and latest.digest == digest:
        return False
    for item in items:
        if faults := check_schema(Form.model_validate(item["schema"])).faults:
            raise FaultySchema(f"{item['product']['name']}: {faults[0].message}")
    with transaction.atomic(using=SERVICE):
        _save_schemas(items)
        _save_items(items)
        CatalogLoad.objects.create(digest=digest)
    return True


def digest_of(value: Any) -> str:
    """The same for the same JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _save_schemas(items: Iterable[Item]) -> None:
    rows = [
        FormSchema(
            id=item["schema"]["id"],
            jurisdiction_product_id=item["jurisdiction_product_id"],
            version=item["schema"]["version"],
            document=item["schema"],
            digest=digest_of(item["schema"]),
        )
        for item in items
    ]
    FormSchema.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["id"], update_fields=["version", "document", "digest"]
    )


def _save_items(items: Iterable[Item]) -> None:
    rows = [
        CatalogItem(
            jurisdiction_product_id=item["jurisdiction_product_id"],
            form_id=item["schema"]["id"],
            jurisdiction=item["jurisdiction"]["slug"],
            product_type=item["product"]["type"],
            position=position,
            is_listed=True,
            document={name: value for name, value in item.items() if name != "schema"},
        )
        for position, item in enumerate(items)
    ]
    CatalogItem.objects.update(is_listed=False)
    CatalogItem.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["jurisdiction_product_id"],
        update_fields=["form", "jurisdiction", "product_type", "position", "is_listed", "document"],
    )
