"""Reads the catalog's data files and expands them to catalog items (interface, "Catalog item", "Form schema").

`products/<slug>.yaml` is one product; `shared/` holds what several take, and is taken by name. What the files may
say is in `product_syntax`. Ids are made from the slug (and, for a schema, its version), so they are the same
wherever the catalog is loaded.
"""

from pathlib import Path
from uuid import UUID, uuid5

import yaml

from .product_syntax import Block, CatalogError, SharedBlocks

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without the C library reads the same, only slower.
    from yaml import SafeLoader  # type: ignore[assignment]

CATALOG = Path(__file__).parent
NAMESPACE = UUID("7d6d4e9c-3f1b-5c43-9a55-0c8d1f2b7a10")


def read_catalog(*, root: Path = CATALOG) -> list[Block]:
    """Every catalog item as the wire has it, by place and product name. Raises CatalogError."""
    shared = root / "shared"
    provider, jurisdictions = _read(shared / "provider.yaml"), _read(shared / "jurisdictions.yaml")
    vocabulary = _vocabulary(shared)
    items = []
    for path in sorted((root / "products").glob("*.yaml")):
        product = _read(path)
        try:
            place = {"slug": product["jurisdiction"]} | jurisdictions[product["jurisdiction"]]
            items.append(_item(path.stem, product, place, provider, vocabulary))
        except CatalogError as error:
            raise CatalogError(f"{path.name}: {error}") from error
        except KeyError as error:
            raise CatalogError(f"{path.name}: {error} is missing") from error
    return sorted(items, key=lambda item: (item["jurisdiction"]["name"], item["product"]["name"]))


def _vocabulary(folder: Path) -> SharedBlocks:
    documents = _read(folder / "documents.yaml")
    return SharedBlocks(
        options=_read(folder / "options.yaml"),
        rules=_read(folder / "rules.yaml"),
        fields=_read_all(folder / "fields"),
        field_sets=_read(folder / "field_sets.yaml"),
        slots=documents["slots"],
        slot_sets=documents["sets"],
        sections=_read_all(folder / "sections"),
    )


def _item(slug: str, product: Block, place: Block, provider: Block, vocabulary: SharedBlocks) -> Block:
    words = vocabulary.for_product(fields=product.get("fields", {}), currencies=product["currencies"])
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
            "sections": [words.section(entry) for entry in product["sections"]],
        },
        "estimated_timeline": product["timeline"],
    }


def _id(*parts: str) -> str:
    return str(uuid5(NAMESPACE, "/".join(parts)))


def _read_all(folder: Path) -> Block:
    return {name: block for path in sorted(folder.glob("*.yaml")) for name, block in _read(path).items()}


def _read(path: Path) -> Block:
    blocks: Block = yaml.load(path.read_text("utf-8"), Loader=SafeLoader)
    return blocks
