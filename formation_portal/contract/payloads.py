"""Answers as they travel: which property or csp-data key each one is, out and back (interface, "Section scopes").

Only active answers go out. The way back (`raw_*`) gives what `validation.validate` reads, so that the service judges
by the same rules what the portal sent.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import canonical
from .fields.base import FieldSpec
from .record import Holder, Party, ShareClass
from .rules import FormState
from .schema import FormSchema


def active_answers(form_state: FormState, holder: Holder = None) -> Iterator[tuple[FieldSpec, Any]]:
    """The holder's active, readable answers, once each by name. Nothing inactive ever leaves."""
    answers = holder.answers if holder else form_state.record.answers
    sent: set[str] = set()
    for question in form_state.holder_questions(holder):
        name = question.spec.name
        if question.activation.active and name in answers.values and name not in sent:
            sent.add(name)
            yield question.spec, answers.values[name]


def csp_data(form_state: FormState, holder: Holder = None) -> dict[str, Any]:
    """The answers of csp_field_key fields: `{csp_field_key: value}`, of the entity, a party or a share class."""
    return {
        spec.name: spec.payload(value) for spec, value in active_answers(form_state, holder) if not spec.canonical_field
    }


def entity_properties(form_state: FormState) -> dict[str, Any]:
    """The canonical answers as properties of the entity: `entity.x` is x, another prefix an object of that name."""
    properties: dict[str, Any] = {}
    for spec, value in active_answers(form_state):
        if spec.canonical_field:
            *outer, last = canonical.path_of(spec.canonical_field)
            inner = properties
            for step in outer:
                # Where a schema uses one word as a property and as a prefix, the object takes its place.
                if not isinstance(inner.get(step), dict):
                    inner[step] = {}
                inner = inner[step]
            inner[last] = spec.payload(value)
    return properties


def properties(form_state: FormState, holder: Party | ShareClass) -> dict[str, Any]:
    """The canonical answers of a party or class as its properties, by the last part of the name."""
    return {
        canonical.property_of(spec.canonical_field): spec.payload(value)
        for spec, value in active_answers(form_state, holder)
        if spec.canonical_field
    }


def party_body(form_state: FormState, party: Party) -> dict[str, Any]:
    """The body of POST parties: kind, active roles and properties."""
    return {
        "party_type": party.kind,
        "roles": list(form_state.active_roles(party)),
        **properties(form_state, party),
    }


def share_class_body(form_state: FormState, share_class: ShareClass) -> dict[str, Any]:
    """The body of POST share-classes. A class without par value sends 0."""
    return {"par_value": 0, **properties(form_state, share_class)}


def raw_entity_answers(schema: FormSchema, record: Mapping[str, Any], csp: Mapping[str, Any]) -> dict[str, Any]:
    """The entity's answers by field name, from its properties and its csp-data."""
    raw = dict(csp)
    for spec in schema.entity_fields:
        if spec.canonical_field:
            found: Any = record
            for step in canonical.path_of(spec.canonical_field):
                found = found.get(step) if isinstance(found, Mapping) else None
            if found is not None:
                raw[spec.name] = found
    return raw


def raw_answers(fields: Iterable[FieldSpec], record: Mapping[str, Any], csp: Mapping[str, Any]) -> dict[str, Any]:
    """A party's or class's answers by field name, from its properties and its csp-data."""
    raw = dict(csp)
    for spec in fields:
        if spec.canonical_field and record.get(canonical.property_of(spec.canonical_field)) is not None:
            raw[spec.name] = record[canonical.property_of(spec.canonical_field)]
    return raw
