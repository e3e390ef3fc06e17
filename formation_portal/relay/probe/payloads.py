"""Make the payloads of a probe: the least that a product's form asks for, with samples that its field types accept."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.schema import ENTITY, FormSchema, Section

from ..calls import bodies
from ..models import ResourceKind

Json = dict[str, Any]

PERSON = canonical.PARTY_KINDS[0]
# Two pictures of one pixel each, which no check of a file's type can mistake.
PICTURES = tuple(
    base64.b64decode(f"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nG{rest}AAAABJRU5ErkJggg==")
    for rest in ("NgAAAAAgABSK+kcQ", "P4DwABAQEAsTj2FA")
)
PICTURE_TYPE = "image/png"

# Texts for which the interface prescribes a form ("Party", "Share class"), by property.
_DOCUMENTED_VALUES = {"email": "probe@example.com", "currency": "EUR"}


@dataclass(frozen=True, slots=True)
class ProbePayloads:
    """The payloads of a probe with one product. None: the product has nothing of the kind."""

    schema_id: str
    entity: Json
    party: Json | None
    share_class: Json | None
    # The slot's name, and whether it is the party's.
    slot: tuple[str, bool] | None
    # Two answers for csp-data, to be sent separately.
    answers: tuple[Json, Json] | None

    def number_of_parts(self) -> int:
        return sum(part is not None for part in (self.party, self.share_class, self.slot, self.answers))


def most_complete(items: Iterable[CatalogItem]) -> ProbePayloads:
    """Return the payloads of the first product with the most to probe. `items` must not be empty."""
    return max(map(payloads_for, items), key=ProbePayloads.number_of_parts)


def payloads_for(item: CatalogItem) -> ProbePayloads:
    form = item.form
    roles = _roles(form)
    entity = {
        "jurisdiction_product_id": item.jurisdiction_product_id,
        "client_reference": "",
        "answers": _required(form, _always(form.entity_sections), ENTITY),
    }
    return ProbePayloads(
        schema_id=form.id,
        entity=bodies.full_body(ResourceKind.ENTITY, entity),
        party=_party(form, roles),
        share_class=_share_class(form),
        slot=_slot(form, roles),
        answers=_answers(form),
    )


def sample_value(spec: FieldSpec) -> Any | None:
    documented = _DOCUMENTED_VALUES.get(canonical.property_of(spec.canonical_field))
    for raw in (documented, spec.valid_answer()):
        try:
            value = spec.clean(raw)
        except AnswerError:
            continue
        if value is not None:
            return spec.payload(value)
    return None


def _always(sections: Iterable[Section]) -> tuple[Section, ...]:
    return tuple(section for section in sections if section.depends_on is None)


def _askable(form: FormSchema, specs: Iterable[FieldSpec]) -> Iterator[FieldSpec]:
    for spec in specs:
        is_free = spec.depends_on is None and not spec.provided_by_agent and not spec.refers_to_share_class
        if is_free and form.why_unanswerable(spec) is None:
            yield spec


def _required(form: FormSchema, sections: Sequence[Section], kind: str) -> Json:
    """Return a sample answer to each required canonical question, by name."""
    answers = {}
    for section in sections:
        for spec in _askable(form, section.groups[kind]):
            value = sample_value(spec)
            if spec.required and spec.canonical_field and value is not None:
                answers[spec.name] = value
    return answers


def _roles(form: FormSchema) -> tuple[Section, ...]:
    """Return the sections of a test person's roles: shareholder and the first with documents, else the first of all."""
    sections = _always(form.role_sections)
    shareholders = [section for section in sections if section.role == canonical.SHAREHOLDER]
    with_documents = [section for section in sections if section.slots(PERSON)]
    by_key = {section.key: section for section in (*shareholders[:1], *with_documents[:1])}
    return tuple(by_key.values()) or sections[:1]


def _party(form: FormSchema, sections: tuple[Section, ...]) -> Json | None:
    if not sections:
        return None
    answers = _required(form, sections, PERSON)
    roles = [str(section.role) for section in sections]
    return bodies.full_body(ResourceKind.PARTY, {"party_type": PERSON, "roles": roles, "answers": answers})


def _share_class(form: FormSchema) -> Json | None:
    section = form.share_section
    if section is None or section.depends_on is not None:
        return None
    (kind,) = section.groups
    return bodies.full_body(ResourceKind.SHARE_CLASS, {"answers": _required(form, [section], kind)})


def _slot(form: FormSchema, roles: Iterable[Section]) -> tuple[str, bool] | None:
    for section in roles:
        for slot in section.slots(PERSON):
            return (slot.name, True)
    for section in _always(form.entity_sections):
        for slot in section.slots(ENTITY):
            return (slot.name, False)
    return None


def _answers(form: FormSchema) -> tuple[Json, Json] | None:
    answers: list[Json] = []
    for section in _always(form.entity_sections):
        for spec in _askable(form, section.fields):
            value = sample_value(spec)
            if spec.csp_field_key and not spec.canonical_field and value is not None:
                answers.append({spec.name: value})
                if len(answers) == 2:
                    return answers[0], answers[1]
    return None
