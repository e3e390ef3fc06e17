"""Translate the catalog's texts for people with the files `words/<language>/*.yaml`.

The translation of an option goes to `option_labels`, that of a slot to its `label`. `in_product` and `in_field` of a
file have texts with another meaning in a product (by its slug) or a field (by its name).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from formation_portal.contract.fields.iso_codes import is_country, is_currency

from .loader import CATALOG, read_blocks
from .product_syntax import FIELD_GROUPS, Block

FIELD_LISTS = ("fields", *FIELD_GROUPS.values())
ENGLISH = "en"


class Translation:
    def __init__(self, files: Iterable[Block]) -> None:
        self.texts: dict[str, str] = {}
        self.in_product: dict[str, dict[str, str]] = {}
        self.in_field: dict[str, dict[str, str]] = {}
        for texts in files:
            self.in_product |= texts.pop("in_product", {})
            self.in_field |= texts.pop("in_field", {})
            self.texts |= texts

    def item(self, item: Block) -> Block:
        texts = self.texts | self.in_product.get(item["product"]["slug"], {})
        schema = item["schema"]
        rules = {}
        if "validations" in schema:
            rules["validations"] = [_translated(stated, texts, "message") for stated in schema["validations"]]
        return {
            **item,
            "jurisdiction": _translated(item["jurisdiction"], texts, "name", "region"),
            "product": _translated(item["product"], texts, "name", "description"),
            "schema": {
                **_translated(schema, texts, "form_name"),
                "sections": [self._section(section, texts) for section in schema["sections"]],
                **rules,
            },
            "estimated_timeline": texts.get(item["estimated_timeline"], item["estimated_timeline"]),
        }

    def _section(self, section: Block, texts: Mapping[str, str]) -> Block:
        translated = _translated(section, texts, "title", "help", "bound_message")
        for group in FIELD_LISTS:
            if group in section:
                translated[group] = [self._field(field, texts) for field in section[group]]
        if "documents" in section:
            translated["documents"] = {}
            for kind, slots in section["documents"].items():
                translated["documents"][kind] = [_slot(slot, texts) for slot in slots]
        return translated

    def _field(self, field: Block, texts: Mapping[str, str]) -> Block:
        name = field.get("canonical_field") or field.get("csp_field_key", "")
        texts = {**texts, **self.in_field.get(name, {})}
        translated = _translated(field, texts, "label", "help", "group", "bound_message")
        labels = {option: texts[option] for option in options_in_words(field) if option in texts}
        if labels:
            translated["option_labels"] = labels
        return translated


def options_in_words(field: Block) -> list[str]:
    """Return a field's options, or an empty list if they are codes of countries or currencies."""
    options: list[str] = field.get("options", [])
    if all(map(is_country, options)) or all(map(is_currency, options)):
        return []
    return options


def _slot(slot: Block, texts: Mapping[str, str]) -> Block:
    translated = _translated(slot, texts, "help")
    if slot["name"] in texts:
        translated["label"] = texts[slot["name"]]
    return translated


def _translated(block: Block, texts: Mapping[str, str], *members: str) -> Block:
    translated = dict(block)
    for name in members:
        if name in block:
            translated[name] = texts.get(block[name], block[name])
    return translated


@cache
def languages(*, root: Path = CATALOG) -> tuple[str, ...]:
    return (ENGLISH, *sorted(path.name for path in (root / "words").iterdir() if path.is_dir()))


@cache
def translation_of(language: str, *, root: Path = CATALOG) -> Translation:
    paths = sorted((root / "words" / language).glob("*.yaml"))
    return Translation(map(read_blocks, paths))
