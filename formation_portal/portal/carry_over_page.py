"""Carrying answers over to another product: the choice of the product, then what fits, what doesn't and what is new."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse

from formation_portal.applications.draft import Draft, schema_digest
from formation_portal.applications.transfer import Transfer, TransferLine, plan_transfer
from formation_portal.contract.catalog import CatalogItem
from formation_portal.gateway.catalog import Catalog, Product


@dataclass(frozen=True, slots=True)
class PlaceProducts:
    """The products of one place that can be chosen."""

    name: str
    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class ChoicePage:
    """The choice of the product."""

    draft: Draft
    places: tuple[PlaceProducts, ...]


@dataclass(frozen=True, slots=True)
class HolderLines:
    """What is carried or left of one holder: the entity, a party, a class of shares."""

    holder: str
    lines: tuple[TransferLine, ...]


@dataclass(frozen=True, slots=True)
class NewHere:
    """What one section of the other product's form still needs."""

    title: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CarryOverPage:
    """The comparison, and what names it, so that what was seen is what is done."""

    draft: Draft
    key: str
    name: str
    place: str
    carrying: Transfer
    seen: str
    fits: tuple[HolderLines, ...]
    misfits: tuple[HolderLines, ...]
    needed: tuple[NewHere, ...]

    @property
    def url(self) -> str:
        """Where the product is chosen."""
        return reverse("portal:carry_over", args=[self.draft.application.reference])


def choice_page(draft: Draft, offered: Catalog) -> ChoicePage:
    """Every other product that is available, by place."""
    others = [one for one in offered.items if is_another(draft, one)]
    placed = sorted(others, key=lambda one: (_place(one), one.name))
    return ChoicePage(draft, tuple(PlaceProducts(name, tuple(some)) for name, some in groupby(placed, key=_place)))


def is_another(draft: Draft, product: Product) -> bool:
    """Whether the draft's answers may be carried over to it."""
    is_same = product.item is not None and product.item.jurisdiction_product_id == draft.application.product_id
    return product.is_available and not is_same


def carry_over_page(draft: Draft, product: Product, item: CatalogItem) -> CarryOverPage:
    """The comparison with one product. Costs no query."""
    found = plan_transfer(draft, there=item.form)
    titles = {section.key: section.title for section in item.form.sections}
    needed = [(titles.get(need.section, ""), need.text) for need in found.needed]
    return CarryOverPage(
        draft=draft,
        key=product.key,
        name=product.name,
        place=_place(product),
        carrying=found,
        seen=_seen(draft, item),
        fits=tuple(_by_holder(found.fits)),
        misfits=tuple(_by_holder(found.misfits)),
        needed=tuple(_by_section(needed)),
    )


def _seen(draft: Draft, item: CatalogItem) -> str:
    """Changes whenever the application or the other form does."""
    both = f"{draft.application.revision} {schema_digest(item.document)}"
    return hashlib.sha256(both.encode()).hexdigest()[:32]


def _by_holder(lines: Iterable[TransferLine]) -> Iterable[HolderLines]:
    grouped: dict[str, list[TransferLine]] = {}
    for line in lines:
        grouped.setdefault(line.holder, []).append(line)
    return (HolderLines(holder, tuple(some)) for holder, some in grouped.items())


def _by_section(needed: Iterable[tuple[str, str]]) -> Iterable[NewHere]:
    grouped: dict[str, list[str]] = {}
    for title, text in needed:
        grouped.setdefault(title, []).append(text)
    return (NewHere(title, tuple(texts)) for title, texts in grouped.items())


def _place(product: Product) -> str:
    return product.item.jurisdiction.name if product.item else ""
