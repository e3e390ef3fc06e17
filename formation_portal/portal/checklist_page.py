"""A product's checklist: whom, which documents and which answers its form asks for, with its branches, to print."""

from collections.abc import Iterator
from dataclasses import dataclass

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.language import say
from formation_portal.contract.schema import ENTITY, SHARE_CLASS, FormSchema, Section
from formation_portal.gateway.catalog import Product
from formation_portal.portal.counting import entity_word
from formation_portal.portal.price import Figure

from .branches import Asked, Branch, asked_of, branches, condition_of, preparable
from .product_view import facts, form_words
from .requirements import TAKING_PART, DocumentGroup, RoleNeed, as_roles, document_groups, role_needs


@dataclass(frozen=True, slots=True)
class Part:
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
    figures: tuple[Figure, ...]
    timeline: str
    roles: tuple[RoleNeed, ...]
    documents: tuple[DocumentGroup, ...]
    parts: tuple[Part, ...]
    form: str


def checklist_page(product: Product, item: CatalogItem) -> ChecklistPage:
    """The checklist of a product that can be applied for."""
    schema = item.form
    parts = (*_entity_parts(schema), *_party_parts(schema), *_share_parts(schema))
    return ChecklistPage(
        key=product.key,
        name=product.name,
        place=item.jurisdiction.name,
        figures=facts(item),
        timeline=item.estimated_timeline,
        roles=role_needs(schema),
        documents=document_groups(schema, entity_word=entity_word(item.product.type)),
        parts=tuple(part for part in parts if part.branches),
        form=form_words(schema),
    )


def _entity_parts(schema: FormSchema) -> Iterator[Part]:
    for section in schema.entity_sections:
        yield from _part(schema, section, ENTITY)


def _share_parts(schema: FormSchema) -> Iterator[Part]:
    if schema.share_section:
        yield from _part(schema, schema.share_section, SHARE_CLASS, about=say("For each share class."))


def _part(schema: FormSchema, section: Section, group: str, *, about: str = "") -> Iterator[Part]:
    condition = condition_of(schema, section.depends_on, section, group)
    if condition is not None:
        listed = branches((when, asked_of(spec)) for when, spec in preparable(schema, section, group))
        said = " ".join(text for text in (about, section.help) if text)
        yield Part(section.key, section.title, condition, said, listed)


def _party_parts(schema: FormSchema) -> Iterator[Part]:
    """What is asked of each kind of party: a question that several roles share stands once, and says for which."""
    for kind in canonical.PARTY_KINDS:
        sections = [section for section in schema.role_sections if section.allows(kind)]
        title = say(TAKING_PART[kind])
        yield Part(f"each-{kind}", title, "", "", branches(_of_kind(schema, sections, kind)))


def _of_kind(schema: FormSchema, sections: list[Section], kind: str) -> Iterator[tuple[str, Asked]]:
    found: dict[tuple[str, str], tuple[FieldSpec, list[str]]] = {}
    for section in sections:
        for condition, spec in preparable(schema, section, kind):
            _, roles = found.setdefault((spec.name, condition), (spec, []))
            roles.append(section.role or "")
    # What always is asked comes first, so that one branch isn't cut into several by what other roles add.
    for (_, condition), (spec, roles) in sorted(found.items(), key=lambda pair: pair[0][1]):
        yield condition, asked_of(spec, "" if len(roles) >= len(sections) else as_roles(roles))
