"""A catalog that a hostile formation service might send: everything that it can say in words is a payload."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid5

from tests.factories import field

from .payloads import COUNT, Words

_NAMESPACE = UUID("6f0c6d0e-0000-4000-8000-000000000000")
# Of the types that need something to choose from, few enough for buttons and enough for a list.
_FEW, _TYPES = 5, ("boolean", "date", "number", "address", "phone", "nationality", "textarea", "share_class_ref", "x")


def hostile_items(words: Words) -> list[dict[str, Any]]:
    """Twelve products. The first asks for everything that a form can ask for; the others are to be chosen from."""
    return [_item(words, number) for number in range(12)]


def product_id(number: int) -> str:
    return str(uuid5(_NAMESPACE, f"product {number}"))


def answer_names(words: Words) -> list[str]:
    return [f"xy.{key}" for key in _keys(words, "key")]


def person_names(words: Words) -> list[str]:
    return [f"xy.person.{key}" for key in _keys(words, "personkey")]


def _keys(words: Words, kind: str) -> list[str]:
    """On one line, as a service's words about a field are read."""
    return [" ".join(text.split()) for text in words.every(kind)]


def _item(words: Words, number: int) -> dict[str, Any]:
    def said(kind: str) -> str:
        return words.joined(kind, 12)[number]

    return {
        "jurisdiction_product_id": product_id(number),
        "jurisdiction": {
            "id": said("placeid"),
            "name": said("place"),
            "slug": f"place-{number}",
            "iso_code": "VG" if number < 6 else said("iso"),
            "region": said("region"),
        },
        "product": {
            "id": said("productid"),
            "name": said("product"),
            "slug": f"product-{number}",
            "type": "Corporation",
            "description": said("description"),
        },
        "price": {"one_off": 1200 + number, "annual": 900, "currency": said("currency")},
        "estimated_timeline": said("timeline"),
        "schema": {
            "id": str(uuid5(_NAMESPACE, f"schema {number}")),
            "csp_name": said("provider"),
            "form_name": said("form"),
            "version": words.one("version", number)[:40],
            "agent_address": {part: words.one("agent", at) for at, part in enumerate(("street1", "city", "postcode"))},
            "sections": _sections(words) if number == 0 else _short_sections(words, number),
        },
    }


def _short_sections(words: Words, number: int) -> list[dict[str, Any]]:
    asked = field("name", canonical_field="entity.name") | {"label": words.one("label", number)}
    return [{"scope": "entity", "title": words.one("title", number), "fields": [asked]}]


def _sections(words: Words) -> list[dict[str, Any]]:
    titles, helps = words.joined("title", 15), words.joined("sectionhelp", 15)
    sections = [
        {"scope": "entity", "fields": [field("name", canonical_field="entity.name"), *_questions(words, "xy", "")]},
        {"scope": "entity", "fields": _choices(words)},
        {"scope": "role:director", "allows_corporate": True, "allows_foundation": True},
        {"scope": "role:shareholder", "allows_corporate": True, "minimum": 2},
        {"scope": "share_structure", "fields": [_typed(words, "textarea", "rights", 7)]},
        *({"scope": f"role:{text}", "minimum": 0} for text in words.joined("role", 6)),
        *({"scope": "entity", "fields": [_typed(words, "text", f"more{at}", at)]} for at in range(4)),
    ]
    sections[0]["documents"] = {"entity": _slots(words)}
    sections[2]["person_fields"] = [
        field("first_name", canonical_field="person.first_name"),
        field("last_name", canonical_field="person.last_name"),
        *_questions(words, "xy.person", "person"),
    ]
    sections[2]["documents"] = {"person": _slots(words)[:_FEW]}
    for section, title, text in zip(sections, titles, helps, strict=True):
        section |= {"title": title, "help": text}
    return sections


def _questions(words: Words, prefix: str, kind: str) -> list[dict[str, Any]]:
    said = (words.every(f"{kind}{one}") for one in ("label", "help", "group"))
    texts = zip(_keys(words, f"{kind}key"), *said, strict=True)
    return [
        {"key": key, "csp_field_key": f"{prefix}.{key}", "label": label, "help": text, "group": group}
        | {"field_type": "text", "required": False}
        for key, label, text, group in texts
    ]


def _choices(words: Words) -> list[dict[str, Any]]:
    options, labels = words.every("option"), words.every("optionlabel")
    more: dict[str, Callable[[], dict[str, Any]]] = {
        "select": lambda: {"options": options, "option_labels": dict(zip(options, labels, strict=True))},
        "multi_select": lambda: {"options": options, "exclusive_options": options[:1]},
    }
    long = [_typed(words, kind, f"long{kind}", at) | say() for at, (kind, say) in enumerate(more.items())]
    few = [
        _typed(words, kind, f"few{kind}{at}", at) | {"options": options[at : at + _FEW]}
        for kind in more
        for at in range(0, COUNT, 12)
    ]
    plain = [_typed(words, kind, f"typed{kind}", at) for at, kind in enumerate(_TYPES)]
    money = [_typed(words, "currency_amount", "money", 3) | {"allowed_currencies": ["USD", words.one("money", 3)]}]
    agents = [_typed(words, "address", "agents", 4) | {"provided_by_agent": True}]
    rule = {"depends_on": {"field": "long" + "select", "value": options[0]}}
    return [*long, *few, *plain, *money, *agents, _typed(words, "text", "depends", 5) | rule]


def _typed(words: Words, field_type: str, key: str, at: int) -> dict[str, Any]:
    said = {"label": words.one("typedlabel", at), "help": words.one("typedhelp", at)}
    return field(key, field_type, required=False) | said


def _slots(words: Words) -> list[dict[str, Any]]:
    texts = zip(*(words.every(kind) for kind in ("slot", "slotlabel", "slothelp")), strict=True)
    return [{"name": name, "label": label, "help": text, "required": False} for name, label, text in texts]
