"""Small schemas and records for examples, written as they are read."""

from datetime import date
from typing import Any

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import Days
from formation_portal.contract.record import Party, Record, ShareClass, validate
from formation_portal.contract.schema import FormSchema

TODAY = date(2026, 11, 21)

# What an expression may read.
VALUES: dict[str, Any] = {
    "entity": {"capital": {"amount": 20000.0, "currency": "CHF"}, "bvi.activity": "Holding", "is_regulated": True},
    "parties": [
        {"id": "a", "kind": "person", "roles": ["director"], "answers": {"passport": "X1"}, "age": 30},
        {"id": "b", "kind": "corporate", "roles": ["shareholder"], "answers": {}},
        {"id": "c", "kind": "person", "roles": ["director", "shareholder"], "answers": {"passport": "X1"}, "age": 17},
    ],
    "share_classes": [{"id": "s", "par_value": 1.5}],
    "holdings": [
        {"party": "b", "share_class": "s", "shares": 60},
        {"party": "c", "share_class": "s", "shares": 39},
    ],
    "today": "2026-11-28",
}


def question(key: str, field_type: str = "text", **more: Any) -> dict[str, Any]:
    """A field's JSON; its label is its key."""
    return {"key": key, "label": key, "field_type": field_type, "csp_field_key": f"xx.{key}", **more}


def entity(*fields: dict[str, Any], title: str = "Entity", **more: Any) -> dict[str, Any]:
    """An entity section's JSON."""
    return {"scope": "entity", "title": title, "fields": list(fields), **more}


def role(name: str, *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A role section's JSON, with questions to persons."""
    return {"scope": f"role:{name}", "title": f"{name.title()}s", "person_fields": list(fields), **more}


def form(*sections: dict[str, Any], **more: Any) -> FormSchema:
    """A form of the sections."""
    return FormSchema.model_validate(
        {"id": "1", "form_name": "Form", "version": "1", "sections": list(sections), **more}
    )


def person(schema: FormSchema, *roles: str, id: str = "ada", kind: str = "person", **answers: Any) -> Party:
    """A party with answers given by key, beside a complete name."""
    named = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.com", "name": "Byron Ltd"} | answers
    return Party(id, kind, roles, _validated(schema.fields_of(kind, roles), named), "Ada Byron")


def share_class(schema: FormSchema, *, id: str = "a", **answers: Any) -> ShareClass:
    """A class with the five properties of the interface."""
    given = {"name": "A", "currency": "USD", "par_value": 1, "voting_rights": True, "dividend_rights": True} | answers
    return ShareClass(id, _validated(schema.share_class_fields, given), "Class A")


def record(
    schema: FormSchema, *, parties: tuple[Party, ...] = (), classes: tuple[ShareClass, ...] = (), **answers: Any
) -> Record:
    """A record with the entity's answers given by key."""
    return Record(_validated(schema.entity_fields, answers), parties, classes, days=Days.on(TODAY))


def _validated(fields: tuple[FieldSpec, ...], answers: dict[str, Any]) -> Any:
    raw = {spec.name: answers[spec.key] for spec in fields if spec.key in answers}
    return validate(fields, raw)
