"""The catalog as an index, and up to three products side by side. No product is known to this module."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem, Jurisdiction
from formation_portal.contract.fields.iso_codes import format_amount, format_money, sort_key
from formation_portal.contract.localisation import join_list, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.ui.roles import capitalised

from .filters import CatalogFilter, CatalogFilterControl, filter_controls, filtered_url
from .requirements import Requirements, days_of

_ELSEWHERE = gettext_noop("Other regions")
COMPARED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class ProductRow:
    """One product in the index."""

    product: CatalogProduct
    is_compared: bool
    # The people it takes in any case, but for those that every product takes: "1 director, 1 shareholder".
    least: str = ""
    # The working days that it takes, from and to; empty where its words tell no number.
    days: str = ""
    one_off: str = ""
    annual: str = ""


# A jurisdiction by its name, with its products.
Place = tuple[str, list[ProductRow]]


@dataclass(frozen=True, eq=False)
class CatalogPage:
    """The products that pass the filters, grouped. What cannot be read stands last, while nothing is filtered.

    `keys` are those of the products to compare; what a filter leaves out of them stays ticked beside the list.
    """

    catalog: Catalog
    chosen: CatalogFilter
    keys: tuple[str, ...]
    # The filters of the page that asks for an update: the control that was changed there is left alone.
    before: CatalogFilter = field(default_factory=CatalogFilter)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogPage) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        """The same for all who have chosen the same among the same products, which stay one object while they stand."""
        return (id(self.catalog.items), self.chosen, self.keys, self.before)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is filtered or ticked, as most people meet it: what was typed is in none of these."""
        nothing = CatalogFilter()
        return (self.chosen, self.keys, self.before) == (nothing, (), nothing)

    @cached_property
    def _ticked(self) -> tuple[str, ...]:
        return tuple(key for key in self.keys if self.catalog.find(key))

    @cached_property
    def _items(self) -> tuple[CatalogItem, ...]:
        return tuple(product.item for product in self.catalog.items if product.item)

    @cached_property
    def products(self) -> tuple[CatalogProduct, ...]:
        """Those that pass the filters."""
        return tuple(product for product in self.catalog.items if self.chosen.matches(product.item))

    @property
    def place_count(self) -> int:
        """In how many jurisdictions something can be formed."""
        return len({item.jurisdiction.slug for item in self._items})

    @cached_property
    def controls(self) -> tuple[CatalogFilterControl, ...]:
        return filter_controls(self._items, self.chosen)

    @property
    def renewed_controls(self) -> list[CatalogFilterControl]:
        """The lists whose counts are new on the page that asks: all but the one that was chosen from."""
        now, before = self.chosen.values, self.before.values
        return [one for one in self.controls if one.choices and now.get(one.name) == before.get(one.name)]

    @cached_property
    def regions(self) -> list[tuple[str, bool, list[Place]]]:
        """The parts of the world with their places; whether the name is our own, since the catalog has none."""
        ordered = sorted(self.products, key=_in_order)
        regions = []
        for name, inside in groupby(ordered, key=lambda product: _where(product)[1]):
            places = [
                (place, [self._row(product) for product in there])
                for place, there in groupby(inside, key=lambda product: _where(product)[2])
            ]
            regions.append((name, name == gettext(_ELSEWHERE), places))
        return regions

    @cached_property
    def _least_roles(self) -> dict[str, list[tuple[str, int]]]:
        """The roles that each product fills in any case, by its key: each with how many at least."""
        return {product.key: least_roles(product.item) for product in self.catalog.items if product.item}

    @cached_property
    def _common_roles(self) -> frozenset[tuple[str, int]]:
        """The roles that every product takes, in the same number: they are said once."""
        every = [frozenset(roles) for roles in self._least_roles.values()]
        common = frozenset.intersection(*every) if every else frozenset[tuple[str, int]]()
        return common if all(one > common for one in every) else frozenset()

    @property
    def common_least(self) -> str:
        """The people that every product takes: "1 beneficial owner"; empty where they have none in common."""
        return join_list([canonical.role_count(role, count) for role, count in sorted(self._common_roles)])

    def _row(self, product: CatalogProduct) -> ProductRow:
        item, is_compared = product.item, product.key in self._ticked
        if item is None:
            return ProductRow(product, is_compared)
        own = (pair for pair in self._least_roles[product.key] if pair not in self._common_roles)
        least = ", ".join(canonical.role_count(role, count) for role, count in own)
        days = days_of(item)
        if not item.price.is_given:
            return ProductRow(product, is_compared, least, days)
        one_off, annual = (format_amount(one, item.price.currency) for one in (item.price.one_off, item.price.annual))
        return ProductRow(product, is_compared, least, days, one_off, annual)

    @cached_property
    def compared_elsewhere(self) -> list[CatalogProduct]:
        """What is ticked and not in the list."""
        return [one for one in self.catalog.items if one.key in self._ticked and one not in self.products]

    @cached_property
    def left_out(self) -> str:
        """That products priced in other currencies are missing, where a price is chosen."""
        price = self.chosen.price
        if price is None:
            return ""
        at_any_price = self.chosen.without("price")
        others = [one for one in self._items if at_any_price.matches(one) and one.price.currency != price.currency]
        if not others:
            return ""
        currencies = ", ".join(sorted({item.price.currency for item in others if item.price.currency}))
        if not currencies:
            return ngettext(
                "Only prices in {currency} are compared. {count} without a currency is not shown.",
                "Only prices in {currency} are compared. {count} without a currency are not shown.",
                len(others),
                currency=price.currency,
            )
        return ngettext(
            "Only prices in {currency} are compared. {count} priced in {others} is not shown.",
            "Only prices in {currency} are compared. {count} priced in {others} are not shown.",
            len(others),
            currency=price.currency,
            others=currencies,
        )

    @cached_property
    def _filter_to_remove(self) -> tuple[CatalogFilterControl, int] | None:
        """The one filter whose removal shows the most, and how many products that are; None where nothing helps."""
        best: tuple[CatalogFilterControl, int] | None = None
        for control in self.controls:
            if control.name in self.chosen.values and not self.products:
                wider = self.chosen.without(control.name)
                count = sum(wider.matches(product.item) for product in self.catalog.items)
                if count and (best is None or count > best[1]):
                    best = control, count
        return best

    @property
    def wider_words(self) -> str:
        """What removing that filter shows: "Without “Region: Europe”, 9 company types match"."""
        if self._filter_to_remove is None:
            return ""
        control, count = self._filter_to_remove
        return ngettext(
            "Without “{filter}”, {count} company type matches",
            "Without “{filter}”, {count} company types match",
            count,
            filter=control.in_words,
        )

    @property
    def wider_url(self) -> str:
        """The address without that filter."""
        name = self._filter_to_remove[0].name if self._filter_to_remove else ""
        return filtered_url("portal:catalog", self.chosen.without(name), self._ticked)

    @property
    def url_without_filters(self) -> str:
        return filtered_url("portal:catalog", CatalogFilter(), self._ticked)

    @property
    def announcement(self) -> str:
        """What is said of a change: the count, and where nothing fits, what would help most."""
        total = len(self.catalog.items)
        count = gettext("{count} of {total} company types").format(count=len(self.products), total=total)
        return f"{count}. {self.wider_words}." if self.wider_words else count


def least_roles(item: CatalogItem) -> list[tuple[str, int]]:
    """The roles that are filled in any case, each with how many at least."""
    always = (section for section in item.form.role_sections if section.depends_on is None and section.base_minimum)
    return [(section.role or "", section.base_minimum) for section in always]


def _where(product: CatalogProduct) -> tuple[bool, str, str]:
    """Whether it is nowhere in particular, which comes last; its region; its place."""
    jurisdiction = product.item.jurisdiction if product.item else Jurisdiction()
    return not jurisdiction.region, jurisdiction.region or gettext(_ELSEWHERE), jurisdiction.name


def _in_order(product: CatalogProduct) -> tuple[bool, str, str, str]:
    """By region, place and name, as lists are sorted in the reader's language."""
    is_nowhere, region, place = _where(product)
    return is_nowhere, sort_key(region), sort_key(place), sort_key(product.name)


def alternatives(catalog: Catalog, product: CatalogProduct) -> list[CatalogProduct]:
    """What can be formed in the same place."""
    place = product.item.jurisdiction.name if product.item else ""
    offered = [one for one in catalog.items if one.item and one.is_available]
    return [one for one in offered if place and one.item and one.item.jurisdiction.name == place]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One thing that is compared, with what each product has to say; `absent` where one has nothing of it."""

    title: str
    cells: tuple[tuple[str, ...], ...]
    absent: str
    is_list: bool = False


@dataclass(frozen=True)
class ComparePage:
    """Up to three products, in the order of the address: price, time, people, documents and questions, said from their
    schemas alone."""

    catalog: Catalog
    chosen: CatalogFilter
    keys: tuple[str, ...]

    @cached_property
    def _found(self) -> list[CatalogProduct]:
        return [product for key in self.keys if (product := self.catalog.find(key))]

    @cached_property
    def _offered(self) -> list[CatalogProduct]:
        return [product for product in self._found if product.is_available]

    @cached_property
    def _items(self) -> list[CatalogItem]:
        return [product.item for product in self._offered[:COMPARED_AT_MOST] if product.item]

    @property
    def catalog_url(self) -> str:
        """The way back, with filters and choice."""
        return filtered_url("portal:catalog", self.chosen, (product.key for product in self._offered))

    @cached_property
    def columns(self) -> list[tuple[CatalogProduct, str]]:
        """The products, each with the address of the table without it."""
        keys = [product.key for product in self._offered]
        return [
            (product, filtered_url("portal:compare", self.chosen, (key for key in keys if key != product.key)))
            for product in self._offered[:COMPARED_AT_MOST]
        ]

    @property
    def notes(self) -> Iterator[str]:
        """What was left out, and why."""
        if unknown := len(self.keys) - len(self._found):
            yield ngettext(
                "A company type in this link is not in the catalog and is not shown.",
                "{count} company types in this link are not in the catalog and are not shown.",
                unknown,
            )
        for product in self._found:
            if not product.is_available:
                yield gettext("{name} is not available at the moment and is not shown.").format(name=product.name)
        if beyond := self._offered[COMPARED_AT_MOST:]:
            names = join_list([product.name for product in beyond])
            yield gettext("You can compare up to 3. Remove one to see {names}.").format(names=names)

    @cached_property
    def labels(self) -> list[str]:
        """The shortest words that tell the products apart: where they are, or what they are, or both."""
        places = [item.jurisdiction.name for item in self._items]
        names = [item.product.name for item in self._items]
        both = [f"{name}, {place}" for name, place in zip(names, places, strict=True)]
        return next((words for words in (places, names) if len(set(words)) == len(words)), both)

    @property
    def groups(self) -> Iterator[tuple[str, list[ComparisonRow]]]:
        """The rows, and what each group of them is called; a group without rows isn't there."""
        asked = [Requirements(item) for item in self._items]
        prices = [item.price for item in self._items]
        one_off = tuple((format_money(one.one_off, one.currency),) if one.is_given else () for one in prices)
        annual = tuple((format_money(one.annual, one.currency),) if one.is_given else () for one in prices)
        times = tuple((item.estimated_timeline,) if item.estimated_timeline else () for item in self._items)
        not_stated = gettext("Not stated")
        yield (
            gettext("Price and time"),
            [
                ComparisonRow(gettext("Set-up fee, paid once"), one_off, not_stated),
                ComparisonRow(gettext("Annual fee"), annual, not_stated),
                ComparisonRow(gettext("Time"), times, not_stated),
            ],
        )
        people = []
        # A row for each role that any of the products has, whatever their titles for it.
        for role in dict.fromkeys(need.section.role or "" for one in asked for need in one.roles):
            cells = tuple(one.role_lines(role) for one in asked)
            people.append(ComparisonRow(capitalised(canonical.role_word(role)), cells, gettext("Not applicable")))
        if people:
            yield gettext("People"), people
        # One word for all, so that a company's and a foundation's stand in one row.
        groups = [dict(one.documents("entity")) for one in asked]
        documents = []
        for title in dict.fromkeys(title for one in groups for title in one):
            cells = tuple(tuple(words for words, _ in one.get(title, ())) for one in groups)
            documents.append(ComparisonRow(title, cells, gettext("None"), is_list=True))
        if documents:
            yield gettext("Documents"), documents
        efforts = tuple(one.effort for one in asked)
        yield gettext("Form"), [ComparisonRow(gettext("Questions"), efforts, not_stated)]
