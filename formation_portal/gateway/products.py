"""The products of a catalog, each with its place in our addresses and whether it can be offered."""

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.contract.catalog import BrokenItem, CatalogItem, parse_catalog
from formation_portal.contract.schema_check import check_schema

log = logging.getLogger(__name__)

_URL_KEY = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CatalogProduct:
    """One product. `item` is None where the service's item can't be read; `reason` says why it is unavailable."""

    key: str
    name: str
    item: CatalogItem | None
    reason: str = ""

    @property
    def is_available(self) -> bool:
        """Whether it can be applied for."""
        return self.item is not None and not self.reason


def read_products(items: Sequence[Any]) -> tuple[CatalogProduct, ...]:
    """Every item of the catalog as a product, in its order. A faulty one is unavailable and takes no other with it."""
    read = [_read(item) for item in items]
    slugs = Counter(one.product.slug for one in read if isinstance(one, CatalogItem))
    products: list[CatalogProduct] = []
    taken: set[str] = set()
    ids: set[str] = set()
    for one in read:
        if isinstance(one, BrokenItem):
            product = CatalogProduct(_hashed_key(one.name, taken), one.name, None, one.reason)
        else:
            wanted = one.product.slug if slugs[one.product.slug] == 1 else one.jurisdiction_product_id
            is_fit = _URL_KEY.fullmatch(wanted) and wanted not in taken
            key = wanted if is_fit else _hashed_key(one.jurisdiction_product_id, taken)
            name = one.product.name or one.form.form_name or one.product.slug or "A product without a name"
            product = CatalogProduct(key, name, one, _why_unavailable(one, ids))
            ids.add(one.jurisdiction_product_id)
        taken.add(product.key)
        products.append(product)
    return tuple(products)


def _read(item: Any) -> CatalogItem | BrokenItem:
    try:
        [one] = parse_catalog([item])
        if isinstance(one, CatalogItem):
            check_schema(one.form)
    except Exception:  # whatever it is about one product, the others must be shown
        log.exception("A catalog item cannot be read")
        return BrokenItem(name="A product without a name", reason="The catalog entry cannot be read")
    return one


def _why_unavailable(item: CatalogItem, ids: set[str]) -> str:
    if not item.jurisdiction_product_id:
        return "It has no jurisdiction_product_id, so no application can be created"
    if item.jurisdiction_product_id in ids:
        return "Another product in the catalog has the same jurisdiction_product_id"
    return "; ".join(fault.message for fault in check_schema(item.form).faults)


def _hashed_key(text: str, taken: set[str]) -> str:
    """A key made from any text; the same text twice gets two keys."""
    count = 0
    while True:
        key = hashlib.sha256(f"{text}/{count}".encode()).hexdigest()[:16]
        if key not in taken:
            return key
        count += 1
