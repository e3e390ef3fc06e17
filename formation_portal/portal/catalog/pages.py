"""Build the index of the catalog, and the comparison of up to three products."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from django.utils.text import capfirst
from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields.iso_codes import format_amount, sort_key
from formation_portal.contract.localisation import colon, join_list, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct

from ..pages import Link, fees_of
from .filters import CatalogFilter, CatalogFilterControl, Removal, best_removal, filter_controls, filtered_url
from .requirements import Requirements, days_of, least_roles, role_counts

COMPARED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class ProductRow:
    product: CatalogProduct
    is_compared: bool
    # The required roles that not every product requires: "1 director, 1 shareholder".
    least: str = ""
    # The range of working days; "" if the timeline has no number.
    days: str = ""
    one_off: str = ""
    annual: str = ""


_NO_FILTER = CatalogFilter()


class CatalogPage:
    """The products that pass the filters, and those ticked for comparison. Equal pages have the same content."""

    def __init__(
        self, catalog: Catalog, chosen: CatalogFilter, keys: tuple[str, ...], before: CatalogFilter = _NO_FILTER
    ) -> None:
        self.catalog = catalog
        self.chosen = chosen
        # The filters of the page in the browser, which asks for an update.
        self._before = before
        self._key = (id(catalog.items), chosen, keys, before)
        # Nothing is filtered or ticked. Only such a page is cached: it shows nobody's input.
        self.is_whole = (chosen, keys, before) == (_NO_FILTER, (), _NO_FILTER)
        self._ticked = [key for key in keys if catalog.find(key)]
        self._items = [product.item for product in catalog.items if product.item]
        # The products that pass the filters.
        self.products = [product for product in catalog.items if chosen.matches(product.item)]
        self.place_count = len({item.jurisdiction.slug for item in self._items})
        self.url_without_filters = filtered_url("portal:catalog", _NO_FILTER, self._ticked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogPage) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def controls(self) -> list[CatalogFilterControl]:
        return filter_controls(self._items, self.chosen)

    @property
    def renewed_controls(self) -> list[CatalogFilterControl]:
        """Return the lists to redraw in the browser: all but the one that the reader has changed."""
        renewed: list[CatalogFilterControl] = []
        for control in self.controls:
            if control.choices and self.chosen.values.get(control.name) == self._before.values.get(control.name):
                renewed.append(control)
        return renewed

    @cached_property
    def regions(self) -> dict[str, dict[str, list[ProductRow]]]:
        """Return the products by region and place. Those without a region come last, under ""."""
        regions: dict[str, dict[str, list[ProductRow]]] = {}
        for product in sorted(self.products, key=_sort_key):
            region, place = _place_of(product)
            regions.setdefault(region, {}).setdefault(place, []).append(self._row(product))
        return regions

    @cached_property
    def _least_roles(self) -> dict[str, list[tuple[str, int]]]:
        return {product.key: least_roles(product.item) for product in self.catalog.items if product.item}

    @cached_property
    def _common_roles(self) -> frozenset[tuple[str, int]]:
        """Return the roles that each product requires in the same number, if each also requires other roles."""
        requirements = [frozenset(roles) for roles in self._least_roles.values()]
        if requirements and (common := frozenset.intersection(*requirements)) not in requirements:
            return common
        return frozenset()

    @property
    def common_least(self) -> str:
        return join_list(role_counts(sorted(self._common_roles)))

    def _row(self, product: CatalogProduct) -> ProductRow:
        item = product.item
        is_compared = product.key in self._ticked
        if item is None:
            return ProductRow(product, is_compared)
        own = [pair for pair in self._least_roles[product.key] if pair not in self._common_roles]
        one_off = annual = ""
        if item.price.is_given:
            one_off = format_amount(item.price.one_off, item.price.currency)
            annual = format_amount(item.price.annual, item.price.currency)
        return ProductRow(product, is_compared, ", ".join(role_counts(own)), days_of(item), one_off, annual)

    @cached_property
    def compared_elsewhere(self) -> list[CatalogProduct]:
        listed_keys = [product.key for product in self.products]
        missing_keys = set(self._ticked).difference(listed_keys)
        return [product for product in self.catalog.items if product.key in missing_keys]

    @cached_property
    def left_out(self) -> str:
        """Say that a chosen price leaves out products priced in other currencies; "" if it leaves out none."""
        price = self.chosen.price
        if price is None:
            return ""
        at_any_price = self.chosen.without("price")
        currencies = [item.price.currency for item in self._items if at_any_price.matches(item)]
        others = [currency for currency in currencies if currency != price.currency]
        if not others:
            return ""
        if not any(others):
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
            others=", ".join(sorted(set(filter(None, others)))),
        )

    @cached_property
    def wider(self) -> Link | None:
        """If no product matches, return a link that removes the filter which hides the most; else None."""
        removals: list[Removal] = []
        for control in self.controls:
            if not self.products and control.name in self.chosen.values:
                chosen = self.chosen.without(control.name)
                count = sum(chosen.matches(product.item) for product in self.catalog.items)
                url = filtered_url("portal:catalog", chosen, self._ticked)
                removals.append(Removal(control.in_words, count, url))
        return best_removal(removals)

    @property
    def announcement(self) -> str:
        total = len(self.catalog.items)
        count = gettext("{count} of {total} company types").format(count=len(self.products), total=total)
        return f"{count}. {self.wider.text}." if self.wider else count


def _place_of(product: CatalogProduct) -> tuple[str, str]:
    """Return the region and the place of a product; both "" if the product cannot be read."""
    if product.item is None:
        return "", ""
    return product.item.jurisdiction.region, product.item.jurisdiction.name


def _sort_key(product: CatalogProduct) -> tuple[bool, str, str, str]:
    region, place = _place_of(product)
    return not region, sort_key(region), sort_key(place), sort_key(product.name)


def alternatives(catalog: Catalog, product: CatalogProduct) -> list[CatalogProduct]:
    others: list[CatalogProduct] = []
    if product.item and (place := product.item.jurisdiction.name):
        for other in catalog.items:
            if other.is_available and other.item and other.item.jurisdiction.name == place:
                others.append(other)
    return others


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A row of the comparison: a cell of lines for each product; an empty cell shows `absent`."""

    title: str
    cells: tuple[tuple[str, ...], ...]
    absent: str
    is_list: bool = False


class ComparePage:
    """The comparison of up to three products, in the URL's order, from their schemas alone."""

    def __init__(self, catalog: Catalog, chosen: CatalogFilter, keys: tuple[str, ...]) -> None:
        self.catalog = catalog
        self._keys = keys
        self._in_catalog = [product for key in keys if (product := catalog.find(key))]
        self._available = [product for product in self._in_catalog if product.is_available]
        available = [product.key for product in self._available]
        # The URL of the catalog with the filters and the products.
        self.catalog_url = filtered_url("portal:catalog", chosen, available)
        # The products, each with the URL of the comparison without it.
        self.columns: list[tuple[CatalogProduct, str]] = []
        self._requirements: list[Requirements] = []
        for product in self._available[:COMPARED_AT_MOST]:
            others = [key for key in available if key != product.key]
            self.columns.append((product, filtered_url("portal:compare", chosen, others)))
            if product.item:
                self._requirements.append(Requirements(product.item))

    @property
    def notes(self) -> Iterator[str]:
        if unknown := len(self._keys) - len(self._in_catalog):
            yield ngettext(
                "A company type in this link is not in the catalog and is not shown.",
                "{count} company types in this link are not in the catalog and are not shown.",
                unknown,
            )
        for product in self._in_catalog:
            if not product.is_available:
                yield gettext("{name} is not available at the moment and is not shown.").format(name=product.name)
        if beyond := self._available[COMPARED_AT_MOST:]:
            names = join_list([product.name for product in beyond])
            yield gettext("You can compare up to 3. Remove one to see {names}.").format(names=names)

    @cached_property
    def labels(self) -> list[str]:
        """Return the shortest labels that distinguish the products: places, names, or both."""
        places = [product.item.jurisdiction.name for product in self._requirements]
        names = [product.item.product.name for product in self._requirements]
        for labels in (places, names):
            if len(set(labels)) == len(labels):
                return labels
        return [f"{name}, {place}" for name, place in zip(names, places, strict=True)]

    @property
    def groups(self) -> Iterator[tuple[str, list[ComparisonRow]]]:
        """Yield the groups of rows with their titles; groups without rows are left out."""
        yield gettext("Price and time"), self._price_rows()
        if people := self._people_rows():
            yield gettext("People"), people
        if documents := self._document_rows():
            yield gettext("Documents"), documents
        efforts = tuple(product.effort for product in self._requirements)
        yield gettext("Form"), [ComparisonRow(gettext("Questions"), efforts, gettext("Not stated"))]

    def _price_rows(self) -> list[ComparisonRow]:
        items = [product.item for product in self._requirements]
        fees = [fees_of(item.price) for item in items]
        one_off = _cells(fee for fee, _ in fees)
        annual = _cells(fee for _, fee in fees)
        times = _cells(item.estimated_timeline for item in items)
        not_stated = gettext("Not stated")
        return [
            ComparisonRow(gettext("Set-up fee, paid once"), one_off, not_stated),
            ComparisonRow(gettext("Annual fee"), annual, not_stated),
            ComparisonRow(gettext("Time"), times, not_stated),
        ]

    def _people_rows(self) -> list[ComparisonRow]:
        """Return a row for each role of any product, titled by the role since titles of sections differ."""
        cells: dict[str, list[list[str]]] = {}
        for place, product in enumerate(self._requirements):
            for need in product.roles:
                lines = cells.setdefault(need.section.role or "", [[] for _ in self._requirements])[place]
                lines += [f"{capfirst(need.least)}{colon()}{need.kinds}", *need.rules]
        rows: list[ComparisonRow] = []
        for role, role_cells in cells.items():
            title = capfirst(canonical.role_word(role))
            rows.append(ComparisonRow(title, tuple(map(tuple, role_cells)), gettext("Not applicable")))
        return rows

    def _document_rows(self) -> list[ComparisonRow]:
        """Return a row for each heading of documents; new companies and new foundations have a heading in common."""
        groups = [dict(product.documents("entity")) for product in self._requirements]
        rows: list[ComparisonRow] = []
        for title in dict.fromkeys(chain.from_iterable(groups)):
            cells = tuple(tuple(name for name, _ in documents.get(title, ())) for documents in groups)
            rows.append(ComparisonRow(title, cells, gettext("None"), is_list=True))
        return rows


def _cells(texts: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return a cell of one line for each text; an empty text makes an empty cell."""
    return tuple((text,) if text else () for text in texts)
