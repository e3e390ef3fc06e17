"""What a visitor narrows the catalog by, and which products are ticked to compare: all of it stands in the address.

Products are priced in several currencies, and no rates are invented: a ceiling names its currency, and products priced
in another are left out, which the page says.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.fields.iso_codes import format_money, sort_key
from formation_portal.contract.localisation import colon, ngettext
from formation_portal.ui.forms.controls import Option, as_options

from .search import MAX_LENGTH, matches_search

# Steps that people think in; only those that part the products of a currency are offered.
_STEPS = (500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)
# Working days, likewise.
_DAYS = (3, 5, 10, 15, 20, 30, 60)
_MOST_DAYS = 999
# Decimal alone takes exponents, signs and the digits of every script.
_CEILING = re.compile(r"(?P<currency>[^\s\0-]{1,20})-(?P<amount>[0-9]{1,15}(?:\.[0-9]{1,4})?)")
# What an item has for each filter that is a choice of one value, by the filter's name in the address.
_VALUES: dict[str, Callable[[CatalogItem], str]] = {
    "region": lambda item: item.original.jurisdiction.region,
    "country": lambda item: item.jurisdiction.slug,
    "type": lambda item: item.product.type,
}
_TYPE_WORDS = {"Corporation": gettext_noop("Companies"), "Foundation": gettext_noop("Foundations")}


@dataclass(frozen=True, slots=True)
class PriceCeiling:
    """At most this much to form, in this currency. In the address: USD-2000."""

    currency: str
    amount: Decimal

    @classmethod
    def parse(cls, text: str) -> "PriceCeiling | None":
        """The ceiling that an address names, or None where it names none."""
        found = _CEILING.fullmatch(text)
        return cls(found["currency"], Decimal(found["amount"])) if found else None

    def __str__(self) -> str:
        return f"{self.currency}-{self.amount:f}"

    def matches(self, item: CatalogItem) -> bool:
        """Whether the product costs no more, in this very currency."""
        return item.price.currency == self.currency and item.price.one_off <= self.amount


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """The filters that are set; an empty one takes everything."""

    search: str = ""
    region: str = ""
    country: str = ""
    type: str = ""
    price: PriceCeiling | None = None
    # It takes at most so many working days; 0 is as long as it likes.
    days: int = 0

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CatalogFilter":
        """From an address. What cannot be read filters nothing."""
        texts = {name: query.get(name, "").strip() for name in ("region", "country", "type")}
        days = query.get("days", "")
        return cls(
            **texts,
            search=query.get("search", "").replace("\0", "").strip()[:MAX_LENGTH],
            price=PriceCeiling.parse(query.get("price", "")),
            days=min(int(days), _MOST_DAYS) if re.fullmatch("[0-9]{1,5}", days) else 0,
        )

    def matches(self, item: CatalogItem | None) -> bool:
        """Whether the product passes every filter that is set. What can't be read passes while none is."""
        if item is None:
            return not self.values
        return (
            all(getattr(self, name) in ("", value_of(item)) for name, value_of in _VALUES.items())
            and (self.price is None or self.price.matches(item))
            and (not self.days or _most_days(item) <= self.days)
            and (not self.search or matches_search(self.search, item))
        )

    @property
    def values(self) -> dict[str, str]:
        """The filters that are set, by their name in the address."""
        everything = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: str(value) for name, value in everything.items() if value}

    def without(self, name: str) -> "CatalogFilter":
        """The same with one filter removed."""
        return CatalogFilter.from_query({key: value for key, value in self.values.items() if key != name})


@dataclass(frozen=True, slots=True)
class CatalogFilterControl:
    """One filter: a list of options, of which the first takes everything; or, without options, what is typed.

    `chosen` are the words of what is chosen.
    """

    name: str
    label: str
    chosen: str
    choices: tuple[Option, ...] = ()

    @property
    def in_words(self) -> str:
        """The filter as a sentence names it: "Region: Europe", "Set-up fee up to USD 1,000"."""
        if self.name == "price":
            return gettext("Set-up fee {up_to}").format(up_to=self.chosen[:1].lower() + self.chosen[1:])
        return f"{self.label}{colon()}{self.chosen}"


def filter_controls(items: Iterable[CatalogItem], chosen: CatalogFilter) -> tuple[CatalogFilterControl, ...]:
    """The filters with what the catalog offers, in the order of the page; each option says how many it would leave."""
    items = tuple(items)
    regions = {item.original.jurisdiction.region: item.jurisdiction.region for item in items}
    places = {item.jurisdiction.slug: item.jurisdiction.name for item in items}
    kinds = dict.fromkeys(item.product.type for item in items)
    types = {kind: gettext(_TYPE_WORDS[kind]) if kind in _TYPE_WORDS else kind for kind in kinds}
    prices = {
        str(ceiling): gettext("Up to {amount}").format(amount=format_money(ceiling.amount, ceiling.currency))
        for ceiling in _ceilings(items, chosen.price)
    }
    days = {
        str(most): ngettext("{count} working day", "{count} working days", most)
        for most in _day_limits(items, chosen.days)
    }
    offered = (
        ("region", gettext("Region"), gettext("All regions"), _by_name(regions)),
        ("country", gettext("Country"), gettext("All countries"), _by_name(places)),
        ("type", gettext("Type"), gettext("All types"), types),
        ("price", gettext("Set-up fee"), gettext("Any price"), prices),
        ("days", gettext("Ready within"), gettext("Any time"), days),
    )
    set_values, matching = chosen.values, [item for item in items if chosen.matches(item)]
    controls = [CatalogFilterControl("search", gettext("Search"), chosen.search)]
    for name, label, everything, labels in offered:
        value = set_values.get(name, "")
        words = {key: words for key, words in labels.items() if key}
        # An address may name what isn't offered; the filter then shows what it filters by.
        words |= {value: value} if value and value not in words else {}
        # Only what the other filters leave is counted, and against this filter alone.
        left = [item for item in items if chosen.without(name).matches(item)] if value else matching
        counts = _counts(name, words, left)
        pairs = [("", everything), *((key, f"{one} ({counts[key]})") for key, one in words.items())]
        controls.append(CatalogFilterControl(name, label, words.get(value, everything), as_options(pairs, value)))
    return tuple(controls)


def _by_name(labels: Mapping[str, str]) -> dict[str, str]:
    """In the order of what they are called in the reader's language."""
    return dict(sorted(labels.items(), key=lambda pair: sort_key(pair[1])))


def _counts(name: str, keys: Iterable[str], items: list[CatalogItem]) -> Mapping[str, int]:
    """How many of the items each option of the filter takes."""
    if name in _VALUES:
        return Counter(map(_VALUES[name], items))
    if name == "days":
        most = [_most_days(item) for item in items]
        return {key: sum(days <= int(key) for days in most) for key in keys}
    ceilings = {key: PriceCeiling.parse(key) for key in keys}
    return {key: sum(map(ceiling.matches, items)) for key, ceiling in ceilings.items() if ceiling}


def _most_days(item: CatalogItem) -> int:
    """The working days that it takes at most; what tells no number is ready within none."""
    _, most = working_days(item.original.estimated_timeline) or (0, _MOST_DAYS + 1)
    return most


def _day_limits(items: tuple[CatalogItem, ...], chosen: int) -> list[int]:
    known = [most for item in items if (most := _most_days(item)) <= _MOST_DAYS]
    useful = {days for days in _DAYS if known and min(known) <= days < max(known)}
    return sorted(useful | ({chosen} if chosen else set()))


def _ceilings(items: tuple[CatalogItem, ...], chosen: PriceCeiling | None) -> list[PriceCeiling]:
    ceilings: set[PriceCeiling] = {chosen} if chosen else set()
    for currency in {item.price.currency for item in items if item.price.currency}:
        prices = [item.price.one_off for item in items if item.price.currency == currency]
        useful = [Decimal(step) for step in _STEPS if min(prices) <= step < max(prices)]
        # A currency whose products all cost about the same has no step between: then the dearest is the ceiling.
        ceilings |= {PriceCeiling(currency, amount) for amount in (*useful, max(prices))}
    # A service may name a currency, or a price, that no address can name.
    named = (ceiling for ceiling in ceilings if PriceCeiling.parse(str(ceiling)) == ceiling)
    return sorted(named, key=lambda ceiling: (ceiling.currency, ceiling.amount))


def compared_keys(query: QueryDict) -> tuple[str, ...]:
    """The keys of the products that an address names, each once, in its order."""
    return tuple(dict.fromkeys(key for key in query.getlist("product") if key))


def filtered_url(view: str, chosen: CatalogFilter, keys: Iterable[str]) -> str:
    """The address of a page with these filters and these products, without what isn't set."""
    pairs = [*chosen.values.items(), *(("product", key) for key in keys)]
    return reverse(view) + (f"?{urlencode(pairs)}" if pairs else "")
