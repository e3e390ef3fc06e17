"""Every form makes sense by itself: nothing is asked twice, rules lead somewhere, options are words."""

import re
from collections import Counter
from typing import Any

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.contract.schema_check import check_schema

from .conftest import Json, asked_in, name_of, sections_of


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


# Where a place has a word of its own for the same thing.
LOCAL_WORDS = {
    "party.shares_held": {"Number of shares", "Number of quotas"},
    "entity.initial_capital": {"Initial capital", "Initial patrimony"},
    "party.capacity": {"Connection to the foundation", "Connection to the association"},
}


def test_one_thing_has_one_label_in_all_products(catalog: list[Json]) -> None:
    labels: dict[str, set[str]] = {}
    for item in catalog:
        for asked in asked_in(item):
            labels.setdefault(name_of(asked.field), set()).add(asked.field["label"])
    assert {name: found for name, found in labels.items() if len(found) > 1} == LOCAL_WORDS


def test_no_question_about_the_entity_is_asked_twice(catalog: list[Json]) -> None:
    for item in catalog:
        asked = [a.field for a in asked_in(item) if a.group in ("entity", "share_class")]
        for counts in (Counter(map(name_of, asked)), Counter(field["label"] for field in asked)):
            assert [name for name, count in counts.items() if count > 1] == [], item["product"]["slug"]


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
            if question["field_type"] in ("multi_select", "nationality"):
                assert rule.get("operator") == "includes_any", target


def test_every_option_that_says_none_excludes_the_others(catalog: list[Json]) -> None:
    fields = [asked.field for item in catalog for asked in asked_in(item)]
    several = [field for field in fields if field["field_type"] == "multi_select"]
    assert any("exclusive_options" in field for field in several)
    for field in several:
        negative = [option for option in field["options"] if option.startswith(("None", "No ", "Not "))]
        assert negative == field.get("exclusive_options", []), field["key"]


def test_a_party_with_all_roles_meets_one_question_of_a_name_and_brings_one_passport(catalog: list[Json]) -> None:
    for item in catalog:
        meanings: dict[tuple[str, str], Json] = {}
        for asked in asked_in(item):
            field = {k: v for k, v in asked.field.items() if k in ("label", "field_type", "options", "depends_on")}
            assert meanings.setdefault((asked.group, name_of(asked.field)), field) == field
        slots = [s for section in sections_of(item) for s in section.get("documents", {}).get("person", ())]
        passports = {slot["name"] for slot in slots if re.match(r"Passport(,| or|$)", slot["name"])}
        assert len(passports) == 1, item["product"]["slug"]
