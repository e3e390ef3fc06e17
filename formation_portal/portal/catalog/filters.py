"""What a visitor narrows the catalog by, and which products are ticked to compare: all of it stands in the address.

Products are priced in several currencies, and no rates are invented: a ceiling names its currency, and products priced
in another are left out, which the page says.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract.catalog import CatalogItem
from formation_portal.ui.formats import money
from formation_portal.ui.forms.controls import Option, as_options

# Steps that people think in; only those that part the products of a currency are offered.
_STEPS = (500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)
# Decimal alone takes exponents, signs and the digits of every script.
_CEILING = re.compile(r"(?P<currency>[^\s\0-]{1,20})-(?P<amount>[0-9]{1,15}(?:\.[0-9]{1,4})?)")
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

    region: str = ""
    country: str = ""
    type: str = ""
    price: PriceCeiling | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "CatalogFilter":
        """From an address. What cannot be read filters nothing."""
        texts = {name: query.get(name, "").strip() for name in ("region", "country", "type")}
        return cls(**texts, price=PriceCeiling.parse(query.get("price", "")))

    def matches(self, item: CatalogItem | None) -> bool:
        """Whether the product passes every filter that is set. What can't be read passes while none is."""
        if item is None:
            return not self.values
        return (
            self.region in ("", item.jurisdiction.region)
            and self.country in ("", item.jurisdiction.slug)
            and self.type in ("", item.product.type)
            and (self.price is None or self.price.matches(item))
        )

    @property
    def values(self) -> dict[str, str]:
        """The filters that are set, by their name in the address."""
        everything = {"region": self.region, "country": self.country, "type": self.type, "price": self.price}
        return {name: str(value) for name, value in everything.items() if value}

    def without(self, name: str) -> "CatalogFilter":
        """The same with one filter removed."""
        return CatalogFilter.from_query({key: value for key, value in self.values.items() if key != name})


@dataclass(frozen=True, slots=True)
class CatalogFilterControl:
    """One filter as a list of options; the first takes everything."""

    name: str
    label: str
    choices: tuple[Option, ...]

    @property
    def chosen(self) -> str:
        """The words of what is chosen."""
        return next((choice.label for choice in self.choices if choice.chosen), "")

    @property
    def in_words(self) -> str:
        """The filter as a sentence names it: "Region: Europe", "Set-up fee up to USD 1,000"."""
        if self.name == "price":
            return gettext("Set-up fee {up_to}").format(up_to=self.chosen[:1].lower() + self.chosen[1:])
        return f"{self.label}: {self.chosen}"


def filter_controls(items: Iterable[CatalogItem], chosen: CatalogFilter) -> tuple[CatalogFilterControl, ...]:
    """The filters with what the catalog offers, in the order of the page."""
    items = tuple(items)
    regions = {item.jurisdiction.region: item.jurisdiction.region for item in items}
    places = {item.jurisdiction.slug: item.jurisdiction.name for item in items}
    kinds = dict.fromkeys(item.product.type for item in items)
    types = {kind: gettext(_TYPE_WORDS[kind]) if kind in _TYPE_WORDS else kind for kind in kinds}
    prices = {
        str(ceiling): gettext("Up to {amount}").format(amount=money(ceiling.amount, ceiling.currency))
        for ceiling in _ceilings(items, chosen.price)
    }
    offered = (
        ("region", gettext("Region"), gettext("All regions"), dict(sorted(regions.items()))),
        ("country", gettext("Country"), gettext("All jurisdictions"), dict(sorted(places.items(), key=itemgetter(1)))),
        ("type", gettext("Type"), gettext("All types"), types),
        ("price", gettext("Set-up fee"), gettext("Any price"), prices),
    )
    controls = []
    for name, label, everything, labels in offered:
        value = chosen.values.get(name, "")
        pairs = {"": everything, **{key: words for key, words in labels.items() if key}}
        # An address may name what isn't offered; the filter then shows what it filters by.
        pairs.setdefault(value, value)
        controls.append(CatalogFilterControl(name, label, as_options(pairs.items(), value)))
    return tuple(controls)


def _ceilings(items: tuple[CatalogItem, ...], chosen: PriceCeiling | None) -> list[PriceCeiling]:
    ceilings: set[PriceCeiling] = {chosen} if chosen else set()
    for currency in {item.price.currency for item in items if item.price.currency}:
        prices = [item.price.one_off for item in items if item.price.currency == currency]
        useful = [Decimal(step) for step in _STEPS if min(prices) <= step < max(prices)]
        # A currency whose products all cost about the same has no step between: then the dearest is the ceiling.
        ceilings |= {PriceCeiling(currency, amount) for amount in (*useful, max(prices))}
    return sorted(ceilings, key=lambda ceiling: (ceiling.currency, ceiling.amount))


def compared_keys(query: QueryDict) -> tuple[str, ...]:
    """The keys of the products that an address names, each once, in its order."""
    return tuple(dict.fromkeys(key for key in query.getlist("product") if key))


def filtered_url(view: str, chosen: CatalogFilter, keys: Iterable[str]) -> str:
    """The address of a page with these filters and these products, without what isn't set."""
    pairs = [*chosen.values.items(), *(("product", key) for key in keys)]
    return reverse(view) + (f"?{urlencode(pairs)}" if pairs else "")
