"""The catalog as an index: regions, in them places, in them products. No product is known to this module."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.localisation import gettext, gettext_noop, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.ui.prices import plain_amount

from .filters import CatalogFilter, CatalogFilterControl, filter_controls, filtered_url

_ELSEWHERE = gettext_noop("Other regions")


@dataclass(frozen=True, slots=True)
class ProductRow:
    """One product in the index. Without an address it cannot be opened; the reason says why it isn't offered."""

    key: str
    name: str
    place: str
    url: str
    least: str
    timeline: str
    currency: str
    one_off: str
    annual: str
    reason: str
    is_compared: bool

    @property
    def can_be_compared(self) -> bool:
        """Whether it can be read and is offered."""
        return bool(self.url and not self.reason)


@dataclass(frozen=True, slots=True)
class CatalogPlace:
    """A jurisdiction with its products."""

    name: str
    rows: tuple[ProductRow, ...]


@dataclass(frozen=True, slots=True)
class CatalogRegion:
    """A part of the world with its places."""

    id: str
    name: str
    places: tuple[CatalogPlace, ...]

    @property
    def is_ours(self) -> bool:
        """Whether its name is the portal's own: the catalog names no region."""
        return self.name == gettext(_ELSEWHERE)


@dataclass(frozen=True, slots=True)
class FilterToRemove:
    """The one filter whose removal shows the most, and the address without it."""

    label: str
    url: str
    count: int

    @property
    def words(self) -> str:
        """As the page says it: "Without “Region: Europe”, 9 products fit"."""
        return ngettext(
            "Without “{filter}”, {count} company type matches",
            "Without “{filter}”, {count} company types match",
            self.count,
            filter=self.label,
        )


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """Everything that the catalog's page shows."""

    regions: tuple[CatalogRegion, ...]
    controls: tuple[CatalogFilterControl, ...]
    count: int
    total: int
    places: int
    set_filters: int
    left_out: str
    filter_to_remove: FilterToRemove | None
    compared_elsewhere: tuple[ProductRow, ...]
    url_without_filters: str
    note: str

    @property
    def count_words(self) -> str:
        """As it is counted: "9 of 32 products"."""
        return gettext("{count} of {total} company types", count=self.count, total=self.total)

    @property
    def announcement(self) -> str:
        """What is said of a change: the count, and where nothing fits, what would help most."""
        return f"{self.count_words}. {self.filter_to_remove.words}." if self.filter_to_remove else self.count_words


def catalog_page(catalog: Catalog, chosen: CatalogFilter, ticked: Iterable[str] = ()) -> CatalogPage:
    """The products that pass the filters, grouped. What cannot be read stands last, while nothing is filtered.

    `ticked` are the keys of those to compare; what a filter leaves out of them stays ticked beside the list.
    """
    products = catalog.items
    ticked = tuple(key for key in ticked if catalog.find(key))
    items = tuple(product.item for product in products if product.item)
    taken = tuple(product for product in products if _is_taken(product, chosen))
    controls = filter_controls(items, chosen)
    return CatalogPage(
        regions=_regions(taken, ticked),
        controls=controls,
        count=len(taken),
        total=len(products),
        places=len({item.jurisdiction.slug for item in items}),
        set_filters=len(chosen.values),
        left_out=_left_out(items, chosen),
        filter_to_remove=None if taken else _filter_to_remove(products, chosen, controls, ticked),
        compared_elsewhere=tuple(
            _row(product, ticked) for product in products if product.key in ticked and product not in taken
        ),
        url_without_filters=filtered_url("portal:catalog", CatalogFilter(), ticked),
        note=catalog.note if catalog.is_stale else "",
    )


def _is_taken(product: CatalogProduct, chosen: CatalogFilter) -> bool:
    return chosen.matches(product.item) if product.item else not chosen.values


def _regions(products: Iterable[CatalogProduct], ticked: tuple[str, ...]) -> tuple[CatalogRegion, ...]:
    ordered = sorted(products, key=lambda product: (*_where(product), product.name))
    regions = []
    for number, (name, inside) in enumerate(_grouped(ordered, lambda product: _where(product)[1])):
        places = _grouped(inside, lambda one: _where(one)[2])
        rows = (CatalogPlace(place, tuple(_row(product, ticked) for product in there)) for place, there in places)
        regions.append(CatalogRegion(f"region-{number}", name, tuple(rows)))
    return tuple(regions)


def _where(product: CatalogProduct) -> tuple[bool, str, str]:
    """Whether it is nowhere in particular, which comes last; its region; its place."""
    region = product.item.jurisdiction.region if product.item else ""
    return (not region, region or gettext(_ELSEWHERE), product.item.jurisdiction.name if product.item else "")


def _grouped(
    products: Iterable[CatalogProduct], key: Callable[[CatalogProduct], str]
) -> list[tuple[str, list[CatalogProduct]]]:
    return [(name, list(rows)) for name, rows in groupby(products, key=key)]


def _row(product: CatalogProduct, ticked: tuple[str, ...]) -> ProductRow:
    item = product.item
    if item is None:
        return ProductRow(product.key, product.name, "", "", "", "", "", "", "", product.reason, is_compared=False)
    # The people it takes in any case: "1 director, 1 shareholder".
    always = (section for section in item.form.role_sections if section.depends_on is None and section.base_minimum)
    return ProductRow(
        key=product.key,
        name=product.name,
        place=item.jurisdiction.name,
        url=reverse("portal:product", args=[product.key]),
        least=", ".join(canonical.role_count(section.role or "", section.base_minimum) for section in always),
        timeline=item.estimated_timeline,
        currency=item.price.currency,
        one_off=plain_amount(item.price.one_off, item.price.currency) if item.price.is_given else "",
        annual=plain_amount(item.price.annual, item.price.currency) if item.price.is_given else "",
        reason="" if product.is_available else product.reason,
        is_compared=product.key in ticked,
    )


def _left_out(items: Iterable[CatalogItem], chosen: CatalogFilter) -> str:
    if chosen.price is None:
        return ""
    at_any_price = chosen.without("price")
    others = [one for one in items if at_any_price.matches(one) and one.price.currency != chosen.price.currency]
    if not others:
        return ""
    currencies = ", ".join(sorted({item.price.currency for item in others if item.price.currency}))
    if not currencies:
        return ngettext(
            "Only prices in {currency} are compared. {count} without a currency is not shown.",
            "Only prices in {currency} are compared. {count} without a currency are not shown.",
            len(others),
            currency=chosen.price.currency,
        )
    return ngettext(
        "Only prices in {currency} are compared. {count} priced in {others} is not shown.",
        "Only prices in {currency} are compared. {count} priced in {others} are not shown.",
        len(others),
        currency=chosen.price.currency,
        others=currencies,
    )


def _filter_to_remove(
    products: Iterable[CatalogProduct],
    chosen: CatalogFilter,
    controls: Iterable[CatalogFilterControl],
    ticked: tuple[str, ...],
) -> FilterToRemove | None:
    products = tuple(products)
    best: FilterToRemove | None = None
    for control in controls:
        if control.name in chosen.values:
            wider = chosen.without(control.name)
            count = sum(_is_taken(product, wider) for product in products)
            if count and (best is None or count > best.count):
                best = FilterToRemove(control.in_words, filtered_url("portal:catalog", wider, ticked), count)
    return best
