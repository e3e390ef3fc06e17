"""Hypothesis strategies for the contract: fields with answers that fit, whole schemas with rules, and records."""

from datetime import date
from typing import Any

from hypothesis import strategies as st

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.iso_codes import COUNTRIES, CURRENCIES, minor_units
from formation_portal.contract.fields.types import KNOWN_TYPES
from formation_portal.contract.record import Answers, Holding, Party, Record, ShareClass, validate
from formation_portal.contract.schema import FormSchema

TODAY = date(2026, 11, 21)

# Control characters and the mark for a broken character are refused; other invisible ones are removed.
_allowed = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffd")
words = st.text(_allowed, min_size=1, max_size=12).filter(lambda text: bool(clean_line(text)))
options = st.lists(words, min_size=1, max_size=5, unique=True)
countries = st.sampled_from(COUNTRIES)
currencies = st.sampled_from(sorted(CURRENCIES))
digits = st.integers(min_value=-(10**14), max_value=10**14) | st.decimals(
    min_value=-(10**6), max_value=10**6, places=4, allow_nan=False
).map(float)

addresses = st.fixed_dictionaries(
    {"street1": words, "city": words, "country": countries}, optional={"street2": words, "postcode": words}
)
phones = st.sampled_from(["+41 41 728 80 00", "+1 212-555-0123", "+44 20 7946 0123", "+390612345678", "+852 2345 6789"])


def amounts(allowed: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Amounts in one of the currencies, with no more places than it has."""

    def of(currency: str) -> st.SearchStrategy[dict[str, Any]]:
        places = minor_units(currency)
        whole = st.integers(min_value=0, max_value=10**8)
        return whole.map(lambda units: {"amount": units / 10**places if places else units, "currency": currency})

    return st.sampled_from(allowed).flatmap(of)


def _definition(field_type: str, **more: Any) -> dict[str, Any]:
    return {"key": "k", "label": "A question", "field_type": field_type, **more}


# For each type: a definition, and raw answers that fit it.
FITTING: dict[str, st.SearchStrategy[tuple[dict[str, Any], Any]]] = {
    "text": st.tuples(st.just(_definition("text")), words),
    "textarea": st.tuples(st.just(_definition("textarea")), st.lists(words, min_size=1).map("\n".join)),
    "select": options.flatmap(
        lambda some: st.tuples(st.just(_definition("select", options=some)), st.sampled_from(some))
    ),
    "multi_select": options.flatmap(
        lambda some: st.tuples(
            st.just(_definition("multi_select", options=some)), st.lists(st.sampled_from(some), min_size=1)
        )
    ),
    "boolean": st.tuples(st.just(_definition("boolean")), st.sampled_from(["true", "false", True, False])),
    "date": st.tuples(
        st.just(_definition("date")),
        st.dates(min_value=date(1000, 1, 1)).map(
            lambda day: {"day": str(day.day), "month": f"{day:%B}", "year": str(day.year)}
        ),
    ),
    "number": st.tuples(st.just(_definition("number")), digits | digits.map(str).filter(lambda text: "e" not in text)),
    "address": st.tuples(st.just(_definition("address")), addresses),
    "phone": st.tuples(st.just(_definition("phone")), phones),
    "nationality": st.tuples(st.just(_definition("nationality")), st.lists(countries, min_size=1, max_size=3)),
    "share_class_ref": st.tuples(st.just(_definition("share_class_ref")), words),
    "currency_amount": st.lists(currencies, min_size=1, max_size=3, unique=True).flatmap(
        lambda some: st.tuples(st.just(_definition("currency_amount", allowed_currencies=some)), amounts(some))
    ),
    "unheard_of": st.tuples(st.just(_definition("unheard_of")), words),
}

KNOWN_TYPE_NAMES = tuple(str(member.model_fields["field_type"].default) for member in KNOWN_TYPES)

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
