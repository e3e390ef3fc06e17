"""The names of people and companies who have no role in the form, and so answer no questions of it."""

from collections.abc import Mapping

from formation_portal.contract import canonical, implied
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.schema import FormSchema


def naming_fields(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """The questions that a name can stand in, whatever role asks them: those of the form first."""
    asked = (spec for section in schema.role_sections for spec in section.groups[kind])
    general = implied.PERSON_FIELDS if canonical.is_person(kind) else implied.COMPANY_FIELDS
    named = {spec.name: spec for spec in (*asked, *general) if canonical.is_name(spec.canonical_field)}
    return tuple(named.values())


def named(schema: FormSchema, kind: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The answers that give a party its name, by the properties `first_name` and `last_name`, or `name`.

    They stand where a role would ask for them later.
    """
    raw: dict[str, str] = {}
    for name, text in properties.items():
        fields = naming_fields(schema, kind)
        spec = next(one for one in fields if canonical.property_of(one.canonical_field or "") == name)
        raw[spec.name] = text
    return raw
