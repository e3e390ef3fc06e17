"""Up to three products side by side: price, time, people, documents and questions, said from their schemas alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from django.urls import reverse

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.localisation import gettext, join_list, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.ui.formats import entity_word
from formation_portal.ui.prices import money

from .filters import CatalogFilter, filtered_url
from .requirements import DocumentGroup, document_groups, effort, role_needs

MOST = 3


@dataclass(frozen=True, slots=True)
class ComparedProduct:
    """One product: its page, and the address of the table without it."""

    name: str
    place: str
    url: str
    url_without: str


@dataclass(frozen=True, slots=True)
class ComparisonCell:
    """What one product has to say in a row; `label` names the product where the table is stacked."""

    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One thing that is compared; `absent` is said where a product has nothing of it."""

    title: str
    cells: tuple[ComparisonCell, ...]
    absent: str


@dataclass(frozen=True, slots=True)
class ComparisonGroup:
    """Rows that belong together."""

    title: str
    rows: tuple[ComparisonRow, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Everything that the page shows; `notes` say what was left out, and why."""

    columns: tuple[ComparedProduct, ...]
    groups: tuple[ComparisonGroup, ...]
    notes: tuple[str, ...]
    catalog_url: str
    stale_note: str


def compare_page(catalog: Catalog, keys: Iterable[str], chosen: CatalogFilter) -> ComparePage:
    """The products with these keys, in the order of the address."""
    keys = tuple(keys)
    found = tuple(product for key in keys if (product := catalog.find(key)))
    offered = tuple(product for product in found if product.is_available)
    shown = offered[:MOST]
    known = tuple(product.key for product in offered)
    items = tuple(product.item for product in shown if product.item)
    return ComparePage(
        columns=tuple(
            ComparedProduct(
                name=product.name,
                place=product.item.jurisdiction.name if product.item else "",
                url=reverse("portal:product", args=[product.key]),
                url_without=filtered_url("portal:compare", chosen, (key for key in known if key != product.key)),
            )
            for product in shown
        ),
        groups=tuple(group for group in _groups(items) if group.rows),
        notes=tuple(_left_out(len(keys) - len(found), found, offered[MOST:])),
        catalog_url=filtered_url("portal:catalog", chosen, known),
        stale_note=catalog.note if catalog.is_stale else "",
    )


def _left_out(unknown: int, found: tuple[CatalogProduct, ...], beyond: tuple[CatalogProduct, ...]) -> Iterable[str]:
    if unknown:
        yield ngettext(
            "A company type in this link is not in the catalog and is not shown.",
            "{count} company types in this link are not in the catalog and are not shown.",
            unknown,
        )
    for product in found:
        if not product.is_available:
            yield gettext("{name} is not available at the moment and is not shown.", name=product.name)
    if beyond:
        names = join_list([one.name for one in beyond])
        yield gettext("You can compare up to 3. Remove one to see {names}.", names=names)


def _groups(items: tuple[CatalogItem, ...]) -> Iterable[ComparisonGroup]:
    if not items:
        return
    yield ComparisonGroup(
        gettext("Price and time"),
        (
            _row(gettext("Set-up fee, paid once"), items, partial(_money, annual=False)),
            _row(gettext("Annual fee"), items, partial(_money, annual=True)),
            _row(gettext("Time"), items, _time),
        ),
    )
    people: list[ComparisonRow] = []
    # A row for each role that any of the products has, whatever their titles for it.
    for role in dict.fromkeys(need.role for item in items for need in role_needs(item.form)):
        word = canonical.role_word(role)
        label = f"{word[:1].upper()}{word[1:]}"
        people.append(_row(label, items, partial(_role, role), absent=gettext("Not applicable")))
    yield ComparisonGroup(gettext("People"), tuple(people))
    holders = dict.fromkeys(group.title for item in items for group in _documents(item))
    documents = (_row(title, items, partial(_document_lines, title), absent=gettext("None")) for title in holders)
    yield ComparisonGroup(gettext("Documents"), tuple(documents), is_list=True)
    yield ComparisonGroup(gettext("Form"), (_row(gettext("Questions"), items, _questions),))


def _row(
    title: str,
    items: tuple[CatalogItem, ...],
    lines: Callable[[CatalogItem], tuple[str, ...]],
    *,
    absent: str = "",
) -> ComparisonRow:
    # The shortest words that tell the products apart: where they are, or what they are, or both.
    places = [item.jurisdiction.name for item in items]
    names = [item.product.name for item in items]
    both = [f"{name}, {place}" for name, place in zip(names, places, strict=True)]
    labels = next((words for words in (places, names) if len(set(words)) == len(items)), both)
    cells = (ComparisonCell(label, lines(item)) for item, label in zip(items, labels, strict=True))
    return ComparisonRow(title, tuple(cells), absent or gettext("Not stated"))


def _money(item: CatalogItem, *, annual: bool) -> tuple[str, ...]:
    price = item.price
    return (money(price.annual if annual else price.one_off, price.currency),) if price.is_given else ()


def _time(item: CatalogItem) -> tuple[str, ...]:
    return (item.estimated_timeline,) if item.estimated_timeline else ()


def _role(role: str, item: CatalogItem) -> tuple[str, ...]:
    lines: list[str] = []
    for need in role_needs(item.form):
        if need.role == role:
            lines += [f"{need.least[:1].upper()}{need.least[1:]}: {need.kinds}", *need.rules]
    return tuple(lines)


def _document_lines(title: str, item: CatalogItem) -> tuple[str, ...]:
    return tuple(line.words for group in _documents(item) if group.title == title for line in group.lines)


def _documents(item: CatalogItem) -> tuple[DocumentGroup, ...]:
    # One word for all, so that a company's and a foundation's stand in one row.
    return document_groups(item.form, entity_word="entity")


def _questions(item: CatalogItem) -> tuple[str, ...]:
    return effort(item.form, entity_word=entity_word(item.product.type))
