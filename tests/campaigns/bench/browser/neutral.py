"""A form in a description that belongs to nobody, of any size; and the catalog's product that asks the same.

    {"id": …, "title": …, "option_sets": {NAME: [[VALUE, WORDS], …]},
     "sections": [{"title": …, "repeat": 1,
                   "fields": [{"id", "type", "label", "help", "required", "options", "show_if"}]}]}

Types: text textarea select country multi_select boolean date number phone address money. A field is shown where its
`show_if` ({"field", "equals"}) holds and the field that it names is shown. A section may name its fields by
`fields_ref` instead, and stands as often as `repeat` says.
"""

from collections.abc import Iterator
from typing import Any

from formation_portal.contract.fields.iso_codes import COUNTRIES, country_name
from tests.campaigns.bench.forms import item

Form = dict[str, Any]

# As many of each as real forms have, and three of ten on a condition.
_MIX = (
    *("text", "boolean", "select", "text", "date", "select", "number", "country", "text", "textarea"),
    *("text", "money", "select", "boolean", "date", "text", "phone", "address", "number", "multi_select"),
)
_ON_CONDITION = (2, 5, 8)
_PORTALS = {"country": "select", "money": "currency_amount"}
_CURRENCIES = ["CHF", "EUR", "GBP", "USD", "SGD", "HKD", "AED", "JPY", "CAD", "AUD"]


def neutral_form(size: int) -> Form:
    """So many fields; the first decides nothing, and the third follows from the second."""
    fields: list[dict[str, Any]] = [
        {"id": "company_name", "type": "text", "label": "Proposed company name", "required": True},
        {"id": "is_regulated", "type": "boolean", "label": "The company will carry on a regulated activity"},
        {
            "id": "regulator_name",
            "type": "text",
            "label": "Name of the regulator",
            "required": True,
            "show_if": {"field": "is_regulated", "equals": True},
        },
    ]
    controller = "is_regulated"
    for number in range(len(fields), size):
        kind = _MIX[number % len(_MIX)]
        made = {"id": f"f{number}", "type": kind, "label": f"{kind.replace('_', ' ').capitalize()} {number + 1}"}
        if number % 4 == 0:
            made["help"] = "A short line that explains what is asked."
        if kind in ("select", "multi_select"):
            made["options"] = "industries"
        if number % 10 in _ON_CONDITION:
            made["show_if"] = {"field": controller, "equals": True}
        elif kind == "boolean":
            controller = made["id"]
        fields.append(made | {"required": number % 3 == 0 and kind != "boolean"})
    words = "Accounting Agriculture Arts Banking Construction Consulting Education Energy Food Health Insurance Law"
    return {
        "id": f"form-{size}",
        "title": f"A form of {size} fields",
        "option_sets": {
            "industries": [[one.lower(), one] for one in words.split()],
            "countries": [[code, country_name(code, "en")] for code in COUNTRIES],
            "currencies": [[code, code] for code in _CURRENCIES],
        },
        "sections": [{"title": "The company", "fields": fields}],
    }


def all_fields(form: Form) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field as often as it is asked, and what its id begins with there."""
    for section in form["sections"]:
        fields = section.get("fields") or form[section["fields_ref"]]
        for place in range(section.get("repeat", 1)):
            prefix = f"{section['id']}{place + 1}_" if section.get("repeat", 1) > 1 else ""
            for one in fields:
                yield prefix, one


def product(form: Form) -> dict[str, Any]:
    """A catalog item with one section that asks for all of it."""
    return item(f"neutral-{form['id']}", form["title"], list(_specs(form)))


def _specs(form: Form) -> Iterator[dict[str, Any]]:
    for prefix, one in all_fields(form):
        key = prefix + one["id"]
        spec = {
            "key": key,
            "csp_field_key": f"bench.{key}",
            "label": one["label"],
            "required": bool(one.get("required")),
            "help": one.get("help", ""),
            "field_type": _PORTALS.get(one["type"], one["type"]),
        }
        if one["type"] in ("select", "multi_select", "country"):
            offered = form["option_sets"][one.get("options", "countries")]
            spec["options"] = [words for _, words in offered]
        elif one["type"] == "money":
            spec["allowed_currencies"] = [code for code, _ in form["option_sets"]["currencies"]]
        if condition := one.get("show_if"):
            spec["depends_on"] = {"field": prefix + condition["field"], "value": _answer(form, prefix, condition)}
        yield spec


def _answer(form: Form, prefix: str, condition: dict[str, Any]) -> Any:
    """What the portal calls the answer that is asked for: an option by its words."""
    asked = next(one for begin, one in all_fields(form) if (begin, one["id"]) == (prefix, condition["field"]))
    if asked["type"] in ("select", "multi_select", "country"):
        words = dict(form["option_sets"][asked.get("options", "countries")])
        return words[condition["equals"]]
    return condition["equals"]
