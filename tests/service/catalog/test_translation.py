"""The catalog in German, French and Spanish: whole, without leftovers, and with the same keys, values and rules."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.service.catalog.loader import CATALOG, read_blocks, read_catalog
from formation_portal.service.catalog.translation import (
    FIELD_LISTS,
    Translation,
    options_in_words,
    translation_of,
)

OTHERS = ("de", "es", "fr")
Texts = Iterator[tuple[str, str, str]]


@cache
def catalog() -> list[dict[str, Any]]:
    return read_catalog()


@cache
def names_endings() -> frozenset[str]:
    return frozenset(read_blocks(CATALOG / "words" / "unchanged.yaml"))


def texts(item: dict[str, Any]) -> Texts:
    """Everything of an item that people read: product, field or nothing, and the words."""
    slug, schema = item["product"]["slug"], item["schema"]
    said = [item["jurisdiction"]["name"], item["jurisdiction"]["region"], item["product"]["name"]]
    said += [item["product"]["description"], item["estimated_timeline"], schema["form_name"]]
    for section in schema["sections"]:
        said += [section["title"], section.get("help", ""), section.get("bound_message", "")]
        for slots in section.get("documents", {}).values():
            said += [words for slot in slots for words in (slot["name"], slot.get("help", ""))]
        for field in (field for name in FIELD_LISTS for field in section.get(name, [])):
            name = field.get("canonical_field") or field["csp_field_key"]
            own = (field["label"], *(field.get(member, "") for member in ("help", "group", "bound_message")))
            yield from ((slug, name, words) for words in (*own, *options_in_words(field)) if words)
    yield from ((slug, "", words) for words in said if words)


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_of_the_catalog_is_translated(language: str) -> None:
    words = translation_of(language).texts
    said = {words for item in catalog() for _, _, words in texts(item)}
    assert said - words.keys() - names_endings() == set()


def figures(text: str) -> list[str]:
    """Numbers, in whatever notation, and what stands in a place's own script."""
    return sorted(re.findall(r"\d+|[\u4e00-\u9fff]+", re.sub(r"(?<=\d)[.,\u202f](?=\d)", "", text)))


@pytest.mark.parametrize("language", OTHERS)
def test_figures_are_the_same(language: str) -> None:
    for english, said in translation_of(language).texts.items():
        assert figures(english) == figures(said), english


def shape(value: Any) -> Any:
    """An item without the words that people read."""
    if isinstance(value, list):
        return [shape(one) for one in value]
    if not isinstance(value, dict):
        return value
    words = {
        "label", "help", "title", "description", "option_labels", "group", "bound_message", "form_name",
        "estimated_timeline",
    }  # fmt: skip
    is_named = "slug" in value
    return {
        name: shape(one)
        for name, one in value.items()
        if name not in words and not (is_named and name in ("name", "region"))
    }


@pytest.mark.parametrize("language", OTHERS)
def test_keys_values_and_rules_are_the_same_in_every_language(language: str) -> None:
    for item in catalog():
        said = translation_of(language).item(item)
        assert shape(said) == shape(item)
        assert said["product"]["description"] != item["product"]["description"]
        assert isinstance(parse_catalog([said])[0], CatalogItem)


def test_labels_go_with_options_and_codes_have_none() -> None:
    item = next(one for one in catalog() if one["product"]["slug"] == "delaware-llc")
    said = translation_of("de").item(item)
    lists = [section.get(name, []) for section in said["schema"]["sections"] for name in FIELD_LISTS]
    labelled = [field for fields in lists for field in fields if "option_labels" in field]
    assert not [field for field in labelled if field["options"] == list(COUNTRIES)]
    [income] = [field for field in labelled if field.get("canonical_field") == "entity.bank_preference"]
    assert income["option_labels"]["Both"] == "Beides"


def test_a_word_may_mean_something_else_in_a_product_or_a_field() -> None:
    own = Translation(
        [
            {"Title": "Titel", "Other": "Anderes"},
            {"in_product": {"here": {"Title": "Überschrift"}}, "in_field": {"xy.sex": {"Other": "Divers"}}},
        ]
    )
    fields = [
        {"key": "a", "csp_field_key": "xy.a", "label": "Title", "options": ["Other", "Mine"]},
        {"key": "sex", "csp_field_key": "xy.sex", "label": "No words", "options": ["Other"]},
    ]
    sections = [{"scope": "entity", "title": "Title", "fields": fields}]

    def said(slug: str) -> dict[str, Any]:
        product = {"name": "", "slug": slug, "description": ""}
        place = {"name": "", "region": ""}
        schema = {"form_name": "", "sections": sections}
        item = {"jurisdiction": place, "product": product, "schema": schema, "estimated_timeline": ""}
        section: dict[str, Any] = own.item(item)["schema"]["sections"][0]
        return section

    assert (said("here")["title"], said("there")["title"]) == ("Überschrift", "Titel")
    first, second = said("there")["fields"]
    assert (first["label"], first["option_labels"]) == ("Titel", {"Other": "Anderes"})
    assert (second["label"], second["option_labels"]) == ("No words", {"Other": "Divers"})
