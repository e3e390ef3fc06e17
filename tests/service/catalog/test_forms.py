"""Every form makes sense by itself: nothing is asked twice, rules lead somewhere, options are words."""

import re
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
import yaml

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.contract.schema_check import check_schema
from formation_portal.service.catalog.loader import CATALOG

from .conftest import Asked, Json, asked_in, name_of, sections_of

SLUG_LIKE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")


def rules_of(item: Json) -> list[tuple[str, Json]]:
    """Every rule of a form with the name of what it rules."""
    sections = [(s["title"], s[k]) for s in sections_of(item) for k in ("depends_on", "conditional_min") if k in s]
    return sections + [(name_of(a.field), a.field["depends_on"]) for a in asked_in(item) if "depends_on" in a.field]


def values_of(rule: Json) -> list[Any]:
    value = rule.get("value_in", rule.get("value"))
    return value if isinstance(value, list) else [value]


def test_the_schema_check_finds_nothing(catalog: list[Json]) -> None:
    found = []
    for item in parse_catalog(catalog):
        assert isinstance(item, CatalogItem)
        report = check_schema(item.form)
        found += [(item.product.slug, finding) for finding in (*report.faults, *report.warnings)]
    assert found == []


MOST_WITHOUT_HEADINGS = 8


def test_what_a_long_section_asks_stands_under_headings_each_of_them_once(catalog: list[Json]) -> None:
    for item in catalog:
        asked = sorted(asked_in(item), key=lambda one: (one.section["title"], one.group))
        for (title, _), run in groupby(asked, key=lambda one: (one.section["title"], one.group)):
            # What a role asks besides stands under the role's own heading.
            fields = [one.field for one in run if not name_of(one.field).startswith("party.")]
            headings = [heading for heading, _ in groupby(fields, key=lambda field: field.get("group", ""))]
            assert len(headings) == len(set(headings)), (title, headings)
            if len(fields) > MOST_WITHOUT_HEADINGS:
                assert len(headings) > 1, title


def test_every_heading_has_questions_that_some_form_asks(catalog: list[Json]) -> None:
    asked = {name_of(one.field) for item in catalog for one in asked_in(item)}
    groups = yaml.safe_load((CATALOG / "shared/groups.yaml").read_text())
    named = [name for names in groups.values() for name in names]
    assert set(named) <= asked
    assert len(named) == len(set(named))


def test_every_form_has_twenty_to_sixty_questions_about_the_entity(catalog: list[Json]) -> None:
    for item in catalog:
        asked = [a for a in asked_in(item) if a.group == "entity" and not a.field.get("provided_by_agent")]
        assert 20 <= len(asked) <= 60, item["product"]["slug"]


def test_no_page_about_the_entity_is_too_long_or_empty(catalog: list[Json]) -> None:
    for item in catalog:
        for section in sections_of(item):
            if section["scope"] == "entity":
                answered = [field for field in section["fields"] if not field.get("provided_by_agent")]
                assert 1 <= len(answered) <= 14, (item["product"]["slug"], section["title"])


def test_no_question_about_the_entity_is_asked_twice(catalog: list[Json]) -> None:
    for item in catalog:
        counts = Counter(name_of(a.field) for a in asked_in(item) if a.group in ("entity", "share_class"))
        assert [name for name, count in counts.items() if count > 1] == []


def test_a_party_with_all_roles_meets_one_question_of_a_name_with_one_meaning(catalog: list[Json]) -> None:
    for item in catalog:
        meanings: dict[tuple[str, str], Json] = {}
        for asked in asked_in(item):
            field = {k: v for k, v in asked.field.items() if k in ("label", "field_type", "options", "depends_on")}
            assert meanings.setdefault((asked.group, name_of(asked.field)), field) == field


def test_keys_are_unique_within_a_list(catalog: list[Json]) -> None:
    for item in catalog:
        counts = Counter((a.section["title"], a.group, a.field["key"]) for a in asked_in(item))
        assert [where for where, count in counts.items() if count > 1] == []


def test_titles_and_slot_names_are_unique(catalog: list[Json]) -> None:
    for item in catalog:
        titles = [section["title"] for section in sections_of(item)]
        assert len(titles) == len(set(titles))
        for section in sections_of(item):
            for slots in section.get("documents", {}).values():
                names = [slot["name"] for slot in slots]
                assert len(names) == len(set(names))


def test_a_field_is_either_canonical_or_the_providers(catalog: list[Json]) -> None:
    canonical = {"entity", "person", "party", "corporate", "foundation", "share_class"}
    for item in catalog:
        for asked in asked_in(item):
            prefix = name_of(asked.field).partition(".")[0]
            assert ("canonical_field" in asked.field) == (prefix in canonical)
            assert ("csp_field_key" in asked.field) == (prefix not in canonical)


def test_every_rule_names_a_question_and_answers_that_it_has(catalog: list[Json]) -> None:
    for item in catalog:
        asked = {name_of(a.field): a.field for a in asked_in(item)}
        for target, rule in rules_of(item):
            question = asked[rule["field"]]
            allowed: list[Any] = question.get("options", [])
            if question["field_type"] == "boolean":
                allowed = [True, False]
            elif question["field_type"] == "nationality":
                allowed = list(COUNTRIES)
            assert all(value in allowed and type(value) in (str, bool) for value in values_of(rule)), target


def test_a_rule_on_several_choices_is_by_includes_any(catalog: list[Json]) -> None:
    for item in catalog:
        asked = {name_of(a.field): a.field for a in asked_in(item)}
        for target, rule in rules_of(item):
            if asked[rule["field"]]["field_type"] in ("multi_select", "nationality"):
                assert rule.get("operator") == "includes_any", target
            assert ("operator" in rule) == ("value_in" not in rule and isinstance(rule.get("value"), list)), target


def test_options_are_words(catalog: list[Json]) -> None:
    for item in catalog:
        for asked in asked_in(item):
            options = asked.field.get("options")
            chosen_from_a_list = asked.field["field_type"] in ("select", "multi_select")
            assert (options is not None) == chosen_from_a_list, asked.field
            if options:
                assert len(options) == len(set(options))
                assert all(isinstance(option, str) and not SLUG_LIKE.fullmatch(option) for option in options)


def test_labels_and_hints_are_sentences_for_people(catalog: list[Json]) -> None:
    for item in catalog:
        for text in _texts(item):
            assert text == text.strip()
            assert not SLUG_LIKE.search(text), text
            assert "  " not in text


def _texts(item: Json) -> list[str]:
    texts = [item["product"]["name"], item["product"]["description"], item["schema"]["form_name"]]
    for section in sections_of(item):
        slots = [slot for slots in section.get("documents", {}).values() for slot in slots]
        texts += [section["title"], section.get("help", ".")]
        texts += [text for slot in slots for text in (slot["name"], slot.get("help", "."))]
    for asked in asked_in(item):
        texts += [asked.field["label"], asked.field.get("help", ".")]
    return texts


def test_role_sections_say_who_may_hold_the_role(catalog: list[Json]) -> None:
    for item in catalog:
        for section in sections_of(item):
            if section["scope"].startswith("role:"):
                assert section.get("help"), (item["product"]["slug"], section["title"])


def test_only_kinds_of_party_that_a_role_allows_are_asked(catalog: list[Json]) -> None:
    for item in catalog:
        for section in sections_of(item):
            if section["scope"].startswith("role:"):
                assert ("corporate_fields" in section) == section["allows_corporate"]
                assert ("foundation_fields" in section) == section["allows_foundation"]
                assert ("entity" in section["documents"]) == section["allows_corporate"]
                assert ("foundation" in section["documents"]) == section["allows_foundation"]


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("person", ["person.first_name", "person.last_name", "person.email"]),
        ("corporate", ["corporate.name"]),
        ("foundation", ["foundation.name"]),
    ],
)
def test_a_party_is_asked_its_name_first(catalog: list[Json], group: str, names: list[str]) -> None:
    member = f"{group}_fields"
    for item in catalog:
        for section in sections_of(item):
            asked = [name_of(field) for field in section.get(member, ())]
            assert not asked or [n for n in asked if n in names] == names
            assert not asked or asked[0] == names[0]


def test_bvi_shareholders_are_not_asked_for_numbers(by_slug: dict[str, Json]) -> None:
    asked: list[Asked] = list(asked_in(by_slug["bvi-limited-company"]))
    assert {"party.shares_held", "party.ownership_percentage"}.isdisjoint(name_of(a.field) for a in asked)


def test_a_person_with_several_roles_brings_one_passport(catalog: list[Json]) -> None:
    for item in catalog:
        slots = [s for section in sections_of(item) for s in section.get("documents", {}).get("person", ())]
        passports = {slot["name"] for slot in slots if re.match(r"Passport(,| or|$)", slot["name"])}
        assert len(passports) == 1, item["product"]["slug"]
