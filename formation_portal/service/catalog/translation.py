"""The catalog's words in other languages: `words/<language>/*.yaml` beside the catalog, English words to theirs.

Only what people read is translated: labels, help, titles, descriptions, reasons of bounds, names of products and
places, how long it takes. Ids, keys, values, rules and the names of document slots are the same in every language; what
people read for an option stands in `option_labels`, and for a slot in its `label` (supplement, "Members that a schema
may add").

A file maps words to words; under `in_product` and `in_field` stand words that mean something else there, by the slug
and by the field's name. What has no translation stays English.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from formation_portal.contract.fields.iso_codes import is_country, is_currency

from .loader import CATALOG, read_blocks
from .product_syntax import FIELD_GROUPS, Block

FIELD_LISTS = ("fields", *FIELD_GROUPS.values())
ENGLISH = "en"


class Translation:
    """One language's words for the catalog."""

    def __init__(self, files: list[Block]) -> None:
        self.words: dict[str, str] = {}
        self.in_product: dict[str, dict[str, str]] = {}
        self.in_field: dict[str, dict[str, str]] = {}
        for words in files:
            self.in_product |= words.pop("in_product", {})
            self.in_field |= words.pop("in_field", {})
            self.words |= words

    def item(self, item: Block) -> Block:
        """The catalog item with its words in the language."""
        words = self.words | self.in_product.get(item["product"]["slug"], {})
        schema = item["schema"]
        return {
            **item,
            "jurisdiction": _translated(item["jurisdiction"], words, "name", "region"),
            "product": _translated(item["product"], words, "name", "description"),
            "schema": {
                **_translated(schema, words, "form_name"),
                "sections": [self._section(section, words) for section in schema["sections"]],
            },
            "estimated_timeline": words.get(item["estimated_timeline"], item["estimated_timeline"]),
        }

    def _section(self, section: Block, words: Mapping[str, str]) -> Block:
        said = _translated(section, words, "title", "help", "bound_message")
        for group in FIELD_LISTS:
            if group in section:
                said[group] = [self._field(field, words) for field in section[group]]
        if "documents" in section:
            said["documents"] = {
                kind: [_slot(slot, words) for slot in slots] for kind, slots in section["documents"].items()
            }
        return said

    def _field(self, field: Block, words: Mapping[str, str]) -> Block:
        here = {**words, **self.in_field.get(field.get("canonical_field") or field.get("csp_field_key", ""), {})}
        said = _translated(field, here, "label", "help", "group", "bound_message")
        labels = {option: here[option] for option in options_in_words(field) if option in here}
        return said | ({"option_labels": labels} if labels else {})


def options_in_words(field: Block) -> list[str]:
    """The options of a field that are words; codes of countries and currencies are none."""
    options: list[str] = field.get("options", [])
    is_coded = all(map(is_country, options)) or all(map(is_currency, options))
    return [] if is_coded else options


def _slot(slot: Block, words: Mapping[str, str]) -> Block:
    said = _translated(slot, words, "help")
    return said | ({"label": words[slot["name"]]} if slot["name"] in words else {})


def _translated(block: Block, words: Mapping[str, str], *members: str) -> Block:
    return {**block, **{name: words.get(block[name], block[name]) for name in members if name in block}}


@cache
def languages(*, root: Path = CATALOG) -> tuple[str, ...]:
    """English, and those that the catalog is translated into."""
    return (ENGLISH, *sorted(path.name for path in (root / "words").iterdir() if path.is_dir()))


@cache
def translation_of(language: str, *, root: Path = CATALOG) -> Translation:
    """The words of a language, read once."""
    paths = sorted((root / "words" / language).glob("*.yaml"))
    return Translation([read_blocks(path) for path in paths])
