"""Items like the small product, and a catalog of them."""

from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from formation_portal.gateway.catalog import Catalog, read_products
from tests import factories


def item(slug: str, *sections: dict[str, Any], place: Any = (), product: Any = (), **changes: Any) -> dict[str, Any]:
    """Return an item with a name, sections, and changes of its own."""
    own = deepcopy(factories.ITEM) | {"jurisdiction_product_id": f"id-{slug}"} | changes
    own["jurisdiction"] |= dict(place)
    own["product"] |= {"slug": slug, "name": slug.capitalize()} | dict(product)
    if sections:
        own["schema"]["sections"] = list(sections)
    return own


def offered(items: Sequence[Any], **more: Any) -> Catalog:
    """Return the catalog that a service offers with these items."""
    return Catalog(read_products(list(items)), datetime(2026, 11, 21, tzinfo=UTC), **more)
