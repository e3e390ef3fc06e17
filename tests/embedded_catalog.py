"""The embedded catalog, read from its files once in a process. Whoever changes an item copies it before."""

from functools import cache
from typing import Any

from formation_portal.service.catalog.loader import read_catalog


@cache
def catalog_items() -> list[dict[str, Any]]:
    return read_catalog()
