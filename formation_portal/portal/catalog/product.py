"""One product's page, with price, time and what its form asks for; and its checklist to print."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import gettext, in_quotes
from formation_portal.contract.schema import ENTITY, SHARE_CLASS, FormSchema, Section
from formation_portal.gateway.catalog import CatalogProduct
from formation_portal.ui.formats import entity_word
from formation_portal.ui.prices import KeyFigure, PriceTable, money, price_table

from .requirements import (
    PARTY_HEADINGS,
    Branch,
    DocumentGroup,
    ListedQuestion,
    RoleNeed,
    SectionPreview,
    as_roles,
    branches,
    condition_of,
    document_groups,
    effort,
    listed_question,
    preparable,
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
    figures: tuple[KeyFigure, ...] = ()
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


def product_page(product: CatalogProduct, *, offered: Iterable[CatalogProduct] = ()) -> ProductPage:
    """The page of one product of the catalog, among all that are offered."""
    item = product.item
    if item is None or not product.is_available:
        place = item.jurisdiction.name if item else ""
        description = item.product.description if item else ""
        reason = product.reason or gettext("We can’t read it")
        # What can be formed in the same place.
        others = tuple(
            OtherProduct(one.name, reverse("portal:product", args=[one.key]), one.item.estimated_timeline)
            for one in offered
            if place and one.item and one.is_available and one.item.jurisdiction.name == place
        )
        return ProductPage(product.key, product.name, place, description, reason, others=others)
    return ProductPage(
        key=product.key,
        name=product.name,
        place=item.jurisdiction.name,
        description=item.product.description,
        reason="",
        figures=key_figures(item),
        price=price_table(item.price) if item.price.is_given else None,
        timeline=item.estimated_timeline,
        roles=role_needs(item.form),
        sections=section_previews(item.form),
        documents=document_groups(item.form, entity_word=entity_word(item.product.type)),
        effort=effort(item.form, entity_word=entity_word(item.product.type)),
        form=form_label(item.form),
    )


def key_figures(item: CatalogItem) -> tuple[KeyFigure, ...]:
    """What it costs, and how many roles are filled at least."""
    least = sum(section.base_minimum for section in item.form.role_sections if section.depends_on is None)
    price = item.price
    figures = (
        KeyFigure(gettext("Set-up fee"), money(price.one_off, price.currency)),
        KeyFigure(gettext("Annual fee"), money(price.annual, price.currency)),
    )
    return (
        *(figures if price.is_given else ()),
        KeyFigure(gettext("Required roles"), str(least)),
    )


def form_label(form: FormSchema) -> str:
    """Which form it is, in which version, and whose."""
    name = in_quotes(form.form_name) if form.form_name else gettext("A form")
    version = gettext("version {version}", version=form.version) if form.version else ""
    provider = gettext("by {name}", name=form.csp_name) if form.csp_name else ""
    return ", ".join(part for part in (name, version, provider) if part) + "."


@dataclass(frozen=True, slots=True)
class ChecklistPart:
    """One part of the form: when it is asked at all, what the form says about it, and its questions."""

    id: str
    title: str
    condition: str
    help: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class ChecklistPage:
    """Everything that the checklist shows, in the order in which one prepares."""

    key: str
    name: str
    place: str
    figures: tuple[KeyFigure, ...]
    timeline: str
    roles: tuple[RoleNeed, ...]
    documents: tuple[DocumentGroup, ...]
    parts: tuple[ChecklistPart, ...]
    form: str


def checklist_page(product: CatalogProduct, item: CatalogItem) -> ChecklistPage:
    """The checklist of a product that can be applied for."""
    schema = item.form
    return ChecklistPage(
        key=product.key,
        name=product.name,
        place=item.jurisdiction.name,
        figures=key_figures(item),
        timeline=item.estimated_timeline,
        roles=role_needs(schema),
        documents=document_groups(schema, entity_word=entity_word(item.product.type)),
        parts=tuple(part for part in _parts(schema) if part.branches),
        form=form_label(schema),
    )


def _parts(schema: FormSchema) -> Iterator[ChecklistPart]:
    for section in schema.entity_sections:
        yield from _part(schema, section, ENTITY)
    # What is asked of each kind of party: a question that several roles share stands once, and says for which.
    for kind in canonical.PARTY_KINDS:
        sections = [section for section in schema.role_sections if section.allows(kind)]
        title = gettext(PARTY_HEADINGS[kind])
        yield ChecklistPart(f"each-{kind}", title, "", "", branches(_of_kind(schema, sections, kind)))
    if schema.share_section:
        yield from _part(schema, schema.share_section, SHARE_CLASS, about=gettext("For each share class."))


def _part(schema: FormSchema, section: Section, group: str, *, about: str = "") -> Iterator[ChecklistPart]:
    condition = condition_of(schema, section.depends_on, section, group)
    if condition is not None:
        listed = branches((when, listed_question(spec)) for when, spec in preparable(schema, section, group))
        said = " ".join(text for text in (about, section.help) if text)
        yield ChecklistPart(section.key, section.title, condition, said, listed)


def _of_kind(schema: FormSchema, sections: list[Section], kind: str) -> Iterator[tuple[str, ListedQuestion]]:
    found: dict[tuple[str, str], tuple[FieldSpec, list[str]]] = {}
    for section in sections:
        for condition, spec in preparable(schema, section, kind):
            _, roles = found.setdefault((spec.name, condition), (spec, []))
            roles.append(section.role or "")
    # What always is asked comes first, so that one branch isn't cut into several by what other roles add.
    for (_, condition), (spec, roles) in sorted(found.items(), key=lambda pair: pair[0][1]):
        yield condition, listed_question(spec, "" if len(roles) >= len(sections) else as_roles(roles))
