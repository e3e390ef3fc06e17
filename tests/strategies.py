"""Hypothesis strategies for the contract: whole schemas with rules, and records."""

from datetime import date
from typing import Any

from hypothesis import strategies as st

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.record import Answers, Holding, Party, Record, ShareClass, validate
from formation_portal.contract.schema import FormSchema

TODAY = date(2026, 11, 21)

_CONTROLLING = [
    {"field_type": "boolean"},
    {"field_type": "select", "options": ["Red", "Green", "Blue"]},
    {"field_type": "multi_select", "options": ["North", "South", "East"]},
    {"field_type": "number"},
]
_ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "select": st.sampled_from(["Red", "Green", "Blue"]),
    "multi_select": st.lists(st.sampled_from(["North", "South", "East"]), min_size=1, unique=True),
    "number": st.integers(0, 2),
}


@st.composite
def rules(draw: st.DrawFn, earlier: list[dict[str, Any]]) -> dict[str, Any] | None:
    """A rule on one of the earlier fields, or none."""
    if not earlier or draw(st.booleans()):
        return None
    named = draw(st.sampled_from(earlier))
    value = draw(_ANSWERS[named["field_type"]])
    if draw(st.booleans()):
        value = value if isinstance(value, list) else [value]
        return {"field": named["key"], "operator": "includes_any", "value": value}
    return {"field": named["key"], "value": value}


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A schema of entity sections, role sections and perhaps a share structure, with rules but without circles."""
    made: list[dict[str, Any]] = []
    entity_made: list[dict[str, Any]] = []

    def fields(prefix: str, canonical: str, pool: list[dict[str, Any]], most: int = 4) -> list[dict[str, Any]]:
        some = []
        for _ in range(draw(st.integers(1, most))):
            key = f"{prefix}{len(made)}"
            named = {"canonical_field": f"{canonical}.{key}"} if draw(st.booleans()) else {"csp_field_key": f"xx.{key}"}
            spec = {"key": key, "label": f"Question {key}", "required": draw(st.booleans()), **named}
            spec |= draw(st.sampled_from(_CONTROLLING))
            if rule := draw(rules(pool)):
                spec["depends_on"] = rule
            made.append(spec)
            pool.append(spec)
            some.append(spec)
        return some

    sections: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 3))):
        section: dict[str, Any] = {"scope": "entity", "title": f"Entity {number}"}
        section["depends_on"] = draw(rules(list(entity_made)))
        section["fields"] = fields("e", "entity", entity_made)
        sections.append(section)
    for role in draw(st.lists(st.sampled_from(["director", "shareholder", "wizard"]), max_size=2, unique=True)):
        section = {"scope": f"role:{role}", "title": f"The {role}s", "minimum": draw(st.integers(0, 2))}
        section["depends_on"] = draw(rules(list(entity_made)))
        pool = list(entity_made)
        section["person_fields"] = fields("p", "person", pool)
        section["allows_corporate"] = draw(st.booleans())
        section["documents"] = {"person": [{"name": "Passport", "required": draw(st.booleans())}]}
        sections.append(section)
    if draw(st.booleans()):
        sections.append({"scope": "share_structure", "title": "Shares", "fields": fields("s", "share_class", [], 2)})
    return {"id": "3b9f", "csp_name": "Provider", "form_name": "Form", "version": "1", "sections": sections}


@st.composite
def raw_answers(draw: st.DrawFn, fields: tuple[FieldSpec, ...]) -> dict[str, Any]:
    """Answers to some of the fields, a few of them unreadable."""
    raw: dict[str, Any] = {}
    for spec in fields:
        chance = draw(st.integers(0, 9))
        if chance < 6 and spec.field_type in _ANSWERS:
            raw[spec.name] = draw(_ANSWERS[spec.field_type])
        elif chance < 6:
            raw[spec.name] = "Ada"
        elif chance == 9:
            raw[spec.name] = {"day": "31", "month": "2", "year": "x"}
    return raw


@st.composite
def records(draw: st.DrawFn, schema: FormSchema) -> Record:
    """A record of any completeness that fits the schema."""
    roles = [section.role for section in schema.role_sections if section.role]
    parties = []
    for number in range(draw(st.integers(0, 3)) if roles else 0):
        kind = draw(st.sampled_from(["person", "person", "corporate"]))
        held = tuple(draw(st.lists(st.sampled_from(roles), min_size=1, unique=True)))
        fields = schema.fields_of(kind, held)
        answers = validate(fields, draw(raw_answers(fields)))
        parties.append(Party(f"pty_{number}", kind, held, answers, f"Party {number}"))
    classes = tuple(
        ShareClass(f"sc_{number}", validate(fields, draw(raw_answers(fields))), f"Class {number}")
        for fields in [schema.share_class_fields]
        for number in range(draw(st.integers(0, 2)) if fields else 0)
    )
    holdings = tuple(
        Holding(party.id, share_class.id, draw(st.integers(1, 9)))
        for party in parties
        for share_class in classes
        if draw(st.booleans())
    )
    answers: Answers = validate(schema.entity_fields, draw(raw_answers(schema.entity_fields)))
    documents = frozenset((party.id, "Passport") for party in parties if draw(st.booleans()))
    return Record(answers, tuple(parties), classes, holdings, documents)
