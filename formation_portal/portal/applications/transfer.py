"""Taking answers to another product, or to a new version of the form: what fits, what doesn't, what is new."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.urls import reverse

from formation_portal.applications.draft import Draft, schema_digest
from formation_portal.applications.transfer import (
    LostAnswer,
    Transfer,
    TransferLine,
    lost_answers,
    plan_transfer,
    with_schema,
)
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.localisation import gettext, gettext_noop
from formation_portal.contract.transfer import FormChanges, form_changes
from formation_portal.gateway.catalog import Catalog, CatalogProduct, cached_catalog
from formation_portal.ui.formats import money

One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class ChoicePage:
    """The choice of the product."""

    draft: Draft
    places: Mapping[str, Sequence[CatalogProduct]]


@dataclass(frozen=True, slots=True)
class CarryOverPage:
    """The comparison, and what names it, so that what was seen is what is done."""

    draft: Draft
    key: str
    name: str
    place: str
    carrying: Transfer
    seen: str
    # What is carried and what is left, by holder; what the other form still needs, by section.
    fits: Mapping[str, Sequence[TransferLine]]
    misfits: Mapping[str, Sequence[TransferLine]]
    needed: Mapping[str, Sequence[str]]

    @property
    def url(self) -> str:
        """Where the product is chosen."""
        return reverse("portal:carry_over", args=[self.draft.application.reference])


def choice_page(draft: Draft, offered: Catalog) -> ChoicePage:
    """Every other product that is available, by place."""
    others = [one for one in offered.items if is_another(draft, one)]
    placed = sorted(others, key=lambda one: (_place(one), one.name))
    return ChoicePage(draft, _grouped((_place(one), one) for one in placed))


def is_another(draft: Draft, product: CatalogProduct) -> bool:
    """Whether the draft's answers may be carried over to it."""
    is_same = product.item is not None and product.item.jurisdiction_product_id == draft.application.product_id
    return product.is_available and not is_same


def carry_over_page(draft: Draft, product: CatalogProduct, item: CatalogItem) -> CarryOverPage:
    """The comparison with one product. Costs no query."""
    found = plan_transfer(draft, there=item.form)
    titles = {section.key: section.title for section in item.form.sections}
    # Changes whenever the application or the other form does.
    both = f"{draft.application.revision} {schema_digest(item.document)}"
    return CarryOverPage(
        draft=draft,
        key=product.key,
        name=product.name,
        place=_place(product),
        carrying=found,
        seen=hashlib.sha256(both.encode()).hexdigest()[:32],
        fits=_grouped((line.holder, line) for line in found.fits),
        misfits=_grouped((line.holder, line) for line in found.misfits),
        needed=_grouped((titles.get(need.section, ""), need.text) for need in found.needed),
    )


def _grouped(pairs: Iterable[tuple[str, One]]) -> Mapping[str, Sequence[One]]:
    grouped: dict[str, list[One]] = {}
    for name, one in pairs:
        grouped.setdefault(name, []).append(one)
    return grouped


def _place(product: CatalogProduct) -> str:
    return product.item.jurisdiction.name if product.item else ""


@dataclass(frozen=True, slots=True)
class FormChangePage:
    """Everything that the page shows before anything happens."""

    draft: Draft
    item: CatalogItem
    changes: FormChanges
    lost: tuple[LostAnswer, ...]
    needed: tuple[str, ...]
    price: str

    @property
    def seen(self) -> str:
        """Names the form that was looked at."""
        return form_name(self.item)


def form_name(item: CatalogItem) -> str:
    """What tells one version of a form from another."""
    return f"{item.form.id} {item.form.version}"


def newer_form(draft: Draft) -> CatalogItem | None:
    """The product with the form that the catalog has now, where it is another than the draft's. Makes no call."""
    offered = cached_catalog()
    mine = draft.application.product_id
    items = (one.item for one in offered.items if one.item and one.is_available) if offered else ()
    item = next((one for one in items if one.jurisdiction_product_id == mine), None)
    if item is None or (item.form.id, item.form.version) == (draft.schema.id, draft.schema.version):
        return None
    return item


def form_change_page(draft: Draft, item: CatalogItem) -> FormChangePage:
    """The page for a draft whose product has another form now. Costs no query."""
    now = {need.text for need in draft.needs}
    then = with_schema(draft, item.form)
    return FormChangePage(
        draft=draft,
        item=item,
        changes=form_changes(draft.schema, item.form),
        lost=lost_answers(draft, item.form),
        needed=tuple(need.text for need in then.needs if need.text not in now),
        price=_new_price(draft, item),
    )


def _new_price(draft: Draft, item: CatalogItem) -> str:
    """The price as it is now, in words, where it is another than the draft's."""
    if draft.application.product.get("price") == item.model_dump(mode="json")["price"]:
        return ""
    price = item.price
    parts = ((price.one_off, gettext_noop("{amount} set-up fee")), (price.annual, gettext_noop("{amount} annual fee")))
    return ", ".join(
        gettext(said, amount=money(amount, price.currency)) for amount, said in parts if amount is not None
    )
