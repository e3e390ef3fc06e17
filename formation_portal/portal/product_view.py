"""One product as its page shows it: price, time, and who and what its form asks for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.language import in_quotes, say
from formation_portal.contract.schema import FormSchema
from formation_portal.gateway.catalog import Product
from formation_portal.portal.counting import entity_word
from formation_portal.portal.price import Figure, PriceTable, price_table

from .money import money
from .requirements import (
    DocumentGroup,
    RoleNeed,
    SectionPreview,
    document_groups,
    effort,
    role_needs,
    section_previews,
)


@dataclass(frozen=True, slots=True)
class OtherProduct:
    """A product to take instead."""

    name: str
    url: str
    timeline: str


@dataclass(frozen=True, slots=True)
class ProductPage:
    """Everything that a product's page shows.

    Where the product isn't available, only its name, what else there is in its place, and the reason, which is in our
    own words and not for customers.
    """

    key: str
    name: str
    place: str
    description: str
    reason: str
    figures: tuple[Figure, ...] = ()
    price: PriceTable | None = None
    timeline: str = ""
    roles: tuple[RoleNeed, ...] = ()
    sections: tuple[SectionPreview, ...] = ()
    documents: tuple[DocumentGroup, ...] = ()
    effort: tuple[str, ...] = ()
    form: str = ""
    others: tuple[OtherProduct, ...] = ()

    @property
    def is_available(self) -> bool:
        """Whether an application can be started."""
        return not self.reason


def product_page(product: Product, *, offered: Iterable[Product] = ()) -> ProductPage:
    """The page of one product of the catalog, among all that are offered."""
    item = product.item
    if item is None or not product.is_available:
        place = item.jurisdiction.name if item else ""
        description = item.product.description if item else ""
        reason = product.reason or say("We can’t read it")
        others = tuple(_others(product, offered))
        return ProductPage(product.key, product.name, place, description, reason, others=others)
    return ProductPage(
        key=product.key,
        name=product.name,
        place=item.jurisdiction.name,
        description=item.product.description,
        reason="",
        figures=facts(item),
        price=price_table(item.price) if item.price.is_given else None,
        timeline=item.estimated_timeline,
        roles=role_needs(item.form),
        sections=section_previews(item.form),
        documents=document_groups(item.form, entity_word=entity_word(item.product.type)),
        effort=effort(item.form, entity_word=entity_word(item.product.type)),
        form=form_words(item.form),
    )


def _others(product: Product, offered: Iterable[Product]) -> Iterator[OtherProduct]:
    """What can be formed in the same place."""
    place = product.item.jurisdiction.name if product.item else ""
    for one in offered:
        if place and one.item and one.is_available and one.item.jurisdiction.name == place:
            yield OtherProduct(one.name, reverse("portal:product", args=[one.key]), one.item.estimated_timeline)


def facts(item: CatalogItem) -> tuple[Figure, ...]:
    """What it costs, and how many roles are filled at least."""
    least = sum(section.base_minimum for section in item.form.role_sections if section.depends_on is None)
    price = item.price
    figures = (
        Figure(say("Set-up fee"), money(price.one_off, price.currency)),
        Figure(say("Annual fee"), money(price.annual, price.currency)),
    )
    return (
        *(figures if price.is_given else ()),
        Figure(say("Required roles"), str(least)),
    )


def form_words(form: FormSchema) -> str:
    """Which form it is, in which version, and whose."""
    name = in_quotes(form.form_name) if form.form_name else say("A form")
    version = say("version {version}", version=form.version) if form.version else ""
    provider = say("by {name}", name=form.csp_name) if form.csp_name else ""
    return ", ".join(part for part in (name, version, provider) if part) + "."
