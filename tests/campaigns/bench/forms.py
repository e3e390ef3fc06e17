"""Made-up forms of any size: a mix of all types as real ones have it, and a third of the fields on a rule."""

from typing import Any

_MIX = (
    {"field_type": "text"},
    {"field_type": "boolean"},
    {"field_type": "select", "options": ["Perpetual", "Fixed term"]},
    {"field_type": "text"},
    {"field_type": "multi_select", "options": ["Trade", "Holding", "Services", "Other"]},
    {"field_type": "date"},
    {"field_type": "number"},
    {"field_type": "textarea"},
    {"field_type": "currency_amount", "allowed_currencies": ["USD", "EUR"]},
    {"field_type": "phone"},
)


def product(size: int) -> dict[str, Any]:
    """A catalog item whose form has one section of `size` fields; every third hangs on the yes/no before it."""
    fields = []
    for number in range(size):
        spec: dict[str, Any] = {
            "key": f"q{number}",
            "csp_field_key": f"bench.q{number}",
            "label": f"Question number {number}",
            "required": number % 2 == 0,
            "help": "One short sentence that helps.",
            **_MIX[number % len(_MIX)],
        }
        if number % len(_MIX) in (2, 3, 4):
            spec["depends_on"] = {"field": f"q{number - number % len(_MIX) + 1}", "value": True}
        fields.append(spec)
    return item(f"bench-{size}", f"Company of {size}", fields)


def item(slug: str, name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """A catalog item whose form has one section with these fields."""
    return {
        "jurisdiction_product_id": slug,
        "jurisdiction": {"id": "1", "name": "Benchland", "slug": "benchland", "iso_code": "CH", "region": "Europe"},
        "product": {"id": "1", "name": name, "slug": slug, "type": "Corporation"},
        "price": {"one_off": 1, "annual": 1, "currency": "CHF"},
        "estimated_timeline": "1 day",
        "schema": {
            "id": f"schema-{slug}",
            "csp_name": "Bench",
            "form_name": "Bench",
            "version": "1",
            "sections": [{"scope": "entity", "title": "Questions", "fields": fields}],
        },
    }
