"""Short ways to write a schema down as the JSON that travels."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

Json = dict[str, Any]


def same_id(name: str) -> str:
    """A UUID that is the same in every run."""
    return str(uuid5(NAMESPACE_URL, f"https://other.example/{name}"))


def item(slug: str, name: str, schema: Any, **more: Any) -> Json:
    """One catalog item, in a country that no list of countries has."""
    return {
        "jurisdiction_product_id": same_id(slug),
        "jurisdiction": {"id": "j-1", "name": "Larkland", "slug": "larkland", "iso_code": "XL", "region": "Islands"},
        "product": {"id": f"p-{slug}", "name": name, "slug": slug, "type": "Corporation", "description": f"{name}."},
        "price": {"one_off": 1234.5, "annual": 99, "currency": "EUR"},
        "schema": schema,
        "estimated_timeline": "Two moons",
    } | more


def schema(name: str, *sections: Json, **more: Any) -> Json:
    """One form schema."""
    return {
        "id": same_id(f"{name}/schema"),
        "csp_name": "Elsewhere Registrars",
        "form_name": name,
        "version": "7b",
        "agent_address": {"street1": "9 Harbour Row", "city": "Larkport", "country": "MT", "postcode": "LP 1"},
        "sections": list(sections),
    } | more


def entity(title: str, *fields: Json, **more: Any) -> Json:
    """A section about the entity itself."""
    return {"scope": "entity", "title": title, "fields": list(fields)} | more


def role(name: str, title: str, *fields: Json, **more: Any) -> Json:
    """A section about the parties in one role."""
    return {"scope": f"role:{name}", "title": title, "person_fields": list(fields), "minimum": 1} | more


def ask(key: str, label: str, field_type: str = "text", **more: Any) -> Json:
    """A field that goes to csp-data."""
    return {
        "key": key,
        "csp_field_key": f"lark.{key}",
        "label": label,
        "field_type": field_type,
        "required": True,
    } | more


def shared(canonical: str, label: str, field_type: str = "text", **more: Any) -> Json:
    """A field that goes along as a property."""
    key = canonical.rpartition(".")[2]
    return {"key": key, "canonical_field": canonical, "label": label, "field_type": field_type, "required": True} | more


def when(field: str, value: Any) -> Json:
    """Asked when the named field has the value."""
    return {"field": field, "value": value}


def when_any(field: str, *values: Any) -> Json:
    """Asked when the named field includes one of the values."""
    return {"field": field, "operator": "includes_any", "value": list(values)}


NAME = shared("entity.name", "Name of the company")
PERSON = (shared("person.first_name", "First name"), shared("person.last_name", "Last name"))
