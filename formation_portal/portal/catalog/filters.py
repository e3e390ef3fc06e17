"""Read the filters of the catalog and the products to compare from a URL, and apply them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from operator import attrgetter
from typing import NamedTuple

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.fields.iso_codes import format_money, sort_key
from formation_portal.contract.localisation import colon, ngettext
from formation_portal.core.integers import parse_integer
from formation_portal.ui.forms.controls import Option, as_options

from ..pages import Link
from .search import MAX_LENGTH, matches_search

# Round amounts, offered only where some prices of a currency exceed them and others don't.
_STEPS = (500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)
# Working days, offered only where some products take longer and others don't.
_DAYS = (3, 5, 10, 15, 20, 30, 60)
_MOST_DAYS = 999
# Decimal alone would accept exponents, signs and the digits of every script.
_CEILING = re.compile(r"(?P<currency>[^\s\0-]{1,20})-(?P<amount>[0-9]{1,15}(?:\.[0-9]{1,4})?)")
_TYPE_WORDS = {"Corporation": gettext_noop("Companies"), "Foundation": gettext_noop("Foundations")}


@dataclass(frozen=True, slots=True)
class PriceCeiling:
    """The highest set-up fee that passes a filter, in one currency; in a URL: USD-2000."""

    currency: str
    amount: Decimal

    @classmethod
    def parse(cls, text: str) -> "PriceCeiling | None":
        """Read a ceiling from a URL; None if it is not valid."""
        match = _CEILING.fullmatch(text)
        return cls(match["currency"], Decimal(match["amount"])) if match else None

    def __str__(self) -> str:
        return f"{self.currency}-{self.amount:f}"

    def matches(self, item: CatalogItem) -> bool:
        return item.price.currency == self.currency and item.price.one_off <= self.amount


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """The filters of the catalog; an unset one matches every product."""

    search: str = ""
    region: str = ""
    country: str = ""
    type: str = ""
    price: PriceCeiling | None = None
    # The most working days; 0 means no limit.
    days: int = 0

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CatalogFilter":
        """Read the filters from a URL. A price or number of days that can't be read is unset."""
        days = parse_integer(query.get("days", ""), digits=5) or 0
        return cls(
            search=query.get("search", "").replace("\0", "").strip()[:MAX_LENGTH],
            region=query.get("region", "").strip(),
            country=query.get("country", "").strip(),
            type=query.get("type", "").strip(),
            price=PriceCeiling.parse(query.get("price", "")),
            days=min(days, _MOST_DAYS),
        )

    def matches(self, item: CatalogItem | None) -> bool:
        """Tell whether a product passes every filter. An unreadable product (None) only passes if no filter is set."""
        if item is None:
            return not self.values
        return (
            self.region in ("", item.original.jurisdiction.region)
            and self.country in ("", item.jurisdiction.slug)
            and self.type in ("", item.product.type)
            and (self.price is None or self.price.matches(item))
            and (not self.days or most_days(item) <= self.days)
            and (not self.search or matches_search(self.search, item))
        )

    @property
    def values(self) -> dict[str, str]:
        """Return the values of the set filters by their names in a URL."""
        return {field.name: str(value) for field in fields(self) if (value := getattr(self, field.name))}

    def without(self, name: str) -> "CatalogFilter":
        return CatalogFilter.from_query(self.values | {name: ""})


@dataclass(frozen=True, slots=True)
class CatalogFilterControl:
    """A filter as a text input, or as options, the first of which is "any". `chosen` is a label or the typed text."""

    name: str
    label: str
    chosen: str
    choices: tuple[Option, ...] = ()

    @property
    def in_words(self) -> str:
        """Name the filter in a sentence: "Region: Europe", "Set-up fee up to USD 1,000"."""
        if self.name == "price":
            return gettext("Set-up fee {up_to}").format(up_to=self.chosen[:1].lower() + self.chosen[1:])
        return f"{self.label}{colon()}{self.chosen}"


def filter_controls(items: Sequence[CatalogItem], chosen: CatalogFilter) -> list[CatalogFilterControl]:
    """Build the filters with the catalog's options, in the order of the page; each option has the number of matches."""
    regions = {item.original.jurisdiction.region: item.jurisdiction.region for item in items}
    places = {item.jurisdiction.slug: item.jurisdiction.name for item in items}
    types = {item.product.type: item.product.type for item in items}
    types |= {kind: gettext(label) for kind, label in _TYPE_WORDS.items() if kind in types}
    prices: dict[str, str] = {}
    for ceiling in _ceilings(items, chosen.price):
        amount = format_money(ceiling.amount, ceiling.currency)
        prices[str(ceiling)] = gettext("Up to {amount}").format(amount=amount)
    days: dict[str, str] = {}
    for limit in _day_limits(items, chosen.days):
        days[str(limit)] = ngettext("{count} working day", "{count} working days", limit)
    offered = (
        ("region", gettext("Region"), gettext("All regions"), by_name(regions)),
        ("country", gettext("Country"), gettext("All countries"), by_name(places)),
        ("type", gettext("Type"), gettext("All types"), types),
        ("price", gettext("Set-up fee"), gettext("Any price"), prices),
        ("days", gettext("Ready within"), gettext("Any time"), days),
    )
    controls = [CatalogFilterControl("search", gettext("Search"), chosen.search)]
    values = chosen.values
    matching = [item for item in items if chosen.matches(item)]
    for name, label, no_filter, labels in offered:
        value = values.get(name, "")
        labels[""] = no_filter
        # A URL may name a value that is not offered.
        labels.setdefault(value, value)
        # Count each option's matches together with the other filters.
        others = matching
        if value:
            without = chosen.without(name)
            others = [item for item in items if without.matches(item)]
        options = [("", no_filter)]
        for key, text in labels.items():
            if key:
                count = sum(map(CatalogFilter.from_query({name: key}).matches, others))
                options.append((key, f"{text} ({count})"))
        controls.append(CatalogFilterControl(name, label, labels[value], as_options(options, value)))
    return controls


def by_name(labels: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(labels.items(), key=lambda pair: sort_key(pair[1])))


def most_days(item: CatalogItem) -> int:
    """Return the most working days that a product takes; more than any limit if its timeline has no number."""
    _, days = working_days(item.original.estimated_timeline) or (0, _MOST_DAYS + 1)
    return days


def _day_limits(items: Sequence[CatalogItem], chosen: int) -> list[int]:
    item_days = sorted(days for days in map(most_days, items) if days <= _MOST_DAYS)
    limits = {days for days in _DAYS if item_days and item_days[0] <= days < item_days[-1]}
    if chosen:
        limits.add(chosen)
    return sorted(limits)


def _ceilings(items: Sequence[CatalogItem], chosen: PriceCeiling | None) -> list[PriceCeiling]:
    prices: dict[str, list[Decimal]] = {}
    for item in items:
        prices.setdefault(item.price.currency, []).append(item.price.one_off)
    ceilings = {chosen} if chosen else set()
    for currency, amounts in prices.items():
        dearest = max(amounts)
        # The highest price is offered too: no step may lie between prices that are nearly equal.
        for amount in (dearest, *map(Decimal, _STEPS)):
            ceiling = PriceCeiling(currency, amount)
            # A service may name a currency or a price that no URL can express.
            is_addressable = PriceCeiling.parse(str(ceiling)) == ceiling
            if is_addressable and (amount == dearest or min(amounts) <= amount < dearest):
                ceilings.add(ceiling)
    return sorted(ceilings, key=attrgetter("currency", "amount"))


class Removal(NamedTuple):
    """The removal of a filter or an answer: its label, the number of products that then match, and the URL."""

    label: str
    matches: int
    url: str


def best_removal(removals: Iterable[Removal]) -> Link | None:
    """Link to the removal with the most matches ("Without “Region: Europe”, 9 company types match"), or return None."""
    best = max(removals, key=attrgetter("matches"), default=None)
    if best is None or not best.matches:
        return None
    text = ngettext(
        "Without “{filter}”, {count} company type matches",
        "Without “{filter}”, {count} company types match",
        best.matches,
        filter=best.label,
    )
    return Link(text, best.url)


def compared_keys(query: QueryDict) -> tuple[str, ...]:
    """Read the keys of the products in a URL, in order, without repetitions."""
    return tuple(dict.fromkeys(filter(None, query.getlist("product"))))


def filtered_url(view: str, chosen: CatalogFilter, keys: Iterable[str]) -> str:
    return reverse(view, query=[*chosen.values.items(), *(("product", key) for key in keys)])
