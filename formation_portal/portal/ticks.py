"""Which products a visitor has ticked to compare. It stands in the address, as the filters do; nothing is kept."""

from collections.abc import Iterable

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from .catalog_filter import CatalogFilter

_NAME = "product"


def ticked_keys(query: QueryDict) -> tuple[str, ...]:
    """The keys of the products that an address names, each once, in its order."""
    return tuple(dict.fromkeys(key for key in query.getlist(_NAME) if key))


def address(view: str, chosen: CatalogFilter, keys: Iterable[str]) -> str:
    """The address of a page with these filters and these products, without what isn't set."""
    pairs = [*chosen.values.items(), *((_NAME, key) for key in keys)]
    return reverse(view) + (f"?{urlencode(pairs)}" if pairs else "")
