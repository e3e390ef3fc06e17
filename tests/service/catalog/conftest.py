"""The catalog as it goes out, read once, and ways to walk through it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.embedded_catalog import catalog_items

Json = dict[str, Any]

GROUPS = {
    "fields": "entity",
    "person_fields": "person",
    "corporate_fields": "corporate",
    "foundation_fields": "foundation",
}


class Asked(NamedTuple):
    """One question where it stands: in which section, of whom."""

    section: Json
    group: str
    field: Json


def name_of(field: Json) -> str:
    """The one identity of an answer."""
    return str(field.get("canonical_field") or field["csp_field_key"])


def sections_of(item: Json) -> list[Json]:
    return list(item["schema"]["sections"])


def asked_in(item: Json) -> Iterator[Asked]:
    """Every question of a form, agent-provided ones too."""
    for section in sections_of(item):
        for member, group in GROUPS.items():
            for field in section.get(member, ()):
                yield Asked(section, group if section["scope"] != "share_structure" else "share_class", field)


@pytest.fixture(scope="session")
def catalog() -> list[Json]:
    return catalog_items()


@pytest.fixture(scope="session")
def by_slug(catalog: list[Json]) -> dict[str, Json]:
    return {item["product"]["slug"]: item for item in catalog}
