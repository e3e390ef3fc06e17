"""The catalog in German, French and Spanish: whole, without leftovers, and with the same keys, values and rules."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.service.catalog.loader import CATALOG, read_blocks
from formation_portal.service.catalog.translation import FIELD_LISTS, Translation, options_in_words, translation_of

from .conftest import Json, asked_in

OTHERS = ("de", "es", "fr")


def texts(item: Json) -> Iterator[str]:
    """Everything of an item that people read."""
    schema = item["schema"]
    yield from (item["jurisdiction"]["name"], item["jurisdiction"]["region"], item["product"]["name"])
    yield from (item["product"]["description"], item["estimated_timeline"], schema["form_name"])
    yield from (stated["message"] for stated in schema["validations"])
    for section in schema["sections"]:
        yield from (section["title"], section.get("help", ""), section.get("bound_message", ""))
        for slots in section.get("documents", {}).values():
            yield from (words for slot in slots for words in (slot["name"], slot.get("help", "")))
        for field in (field for name in FIELD_LISTS for field in section.get(name, [])):
            yield from (field["label"], *(field.get(member, "") for member in ("help", "group", "bound_message")))
            yield from options_in_words(field)


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_of_the_catalog_is_translated(language: str, catalog: list[Json]) -> None:
    words = {words for item in catalog for words in texts(item) if words}
    unchanged = set(read_blocks(CATALOG / "words" / "unchanged.yaml"))
    assert words - translation_of(language).texts.keys() - unchanged == set()


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
        "estimated_timeline", "message",
    }  # fmt: skip
    is_named = "slug" in value
    return {
        name: shape(one)
        for name, one in value.items()
        if name not in words and not (is_named and name in ("name", "region"))
    }


@pytest.mark.parametrize("language", OTHERS)
def test_keys_values_and_rules_are_the_same_in_every_language(language: str, catalog: list[Json]) -> None:
    for item in catalog:
        translated = translation_of(language).item(item)
        assert shape(translated) == shape(item)
        assert translated["product"]["description"] != item["product"]["description"]
        assert isinstance(parse_catalog([translated])[0], CatalogItem)


def test_labels_go_with_options_and_codes_have_none(by_slug: dict[str, Json]) -> None:
    german = translation_of("de").item(by_slug["delaware-llc"])
    labelled = [asked.field for asked in asked_in(german) if "option_labels" in asked.field]
    assert not [field for field in labelled if field["options"] == list(COUNTRIES)]
    [income] = [field for field in labelled if field.get("canonical_field") == "entity.bank_preference"]
    assert income["option_labels"]["Both"] == "Beides"


def test_a_word_may_mean_something_else_in_a_product_or_a_field(by_slug: dict[str, Json]) -> None:
    own = {"in_product": {"here": {"Title": "Überschrift"}}, "in_field": {"xy.sex": {"Other": "Divers"}}}
    translation = Translation([{"Title": "Titel", "Other": "Anderes"}, own])
    fields = [
        {"key": "a", "csp_field_key": "xy.a", "label": "Title", "options": ["Other", "Mine"]},
        {"key": "sex", "csp_field_key": "xy.sex", "label": "No words", "options": ["Other"]},
    ]
    item = deepcopy(by_slug["delaware-llc"])
    item["schema"]["sections"] = [{"scope": "entity", "title": "Title", "fields": fields}]
    here, there = (
        translation.item(item | {"product": item["product"] | {"slug": slug}})["schema"]["sections"][0]
        for slug in ("here", "there")
    )
    assert (here["title"], there["title"]) == ("Überschrift", "Titel")
    first, second = there["fields"]
    assert (first["label"], first["option_labels"]) == ("Titel", {"Other": "Anderes"})
    assert (second["label"], second["option_labels"]) == ("No words", {"Other": "Divers"})
