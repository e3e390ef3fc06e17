"""The catalog against the facts (facts.yaml). Where they part, an exception says why, and must still be needed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import Json, asked_in, name_of, sections_of

FACTS: Json = yaml.safe_load((Path(__file__).parent / "facts.yaml").read_text("utf-8"))
PRODUCTS: dict[str, Json] = FACTS["products"]

every_product = pytest.mark.parametrize("slug", PRODUCTS)

# The facts' word for a name without an ending. Here the question is optional: an option would be read as an ending.
NO_ENDING = "none"

# The facts' name of a question, and ours.
RENAMED = {"entity.proposed_name_1": "entity.name"}  # the interface's canonical name of the first choice

# Questions about the entity that are not asked of it, with the reason.
NOT_ASKED = {
    "anjouan.registered_agent": "only addresses are agent-provided; the agent simply does it",
    "cayman.secretary": "only addresses are agent-provided; the agent simply does it",
    "delaware.registered_agent": "only addresses are agent-provided; the agent simply does it",
    "florida.registered_agent": "only addresses are agent-provided; the agent simply does it",
    "texas.registered_agent": "only addresses are agent-provided; the agent simply does it",
    "wyoming.registered_agent": "only addresses are agent-provided; the agent simply does it",
    "meydan.has_corporate_shareholder": "nothing is asked twice: the shareholders themselves say it",
    "meydan.corporate_shareholder_documents_ready": "asked of each corporate shareholder instead",
}

# Rules that read another question than in the facts, or none, with the reason.
OTHER_RULES = {
    "bvi.class_par_value": "the property share_class.par_value of the interface takes its place, under the same rule",
    "bvi.class_special_rights": "votes are a boolean, so special rights hang on a yes/no of their own",
    "meydan.corporate_shareholder_documents_ready": "asked of corporate shareholders only, by being their question",
}


def roles_of(item: Json) -> dict[str, Json]:
    return {s["scope"].removeprefix("role:"): s for s in sections_of(item) if s["scope"].startswith("role:")}


def questions_of(slug: str) -> set[str]:
    """The questions about the entity that the facts list, by our names."""
    facts = PRODUCTS[slug]
    names = [name for bundle in facts["takes"] for name in FACTS["bundles"][bundle]] + facts["asks"]
    return {RENAMED.get(name, name) for name in names}


def test_the_facts_are_about_the_same_products(by_slug: dict[str, Json]) -> None:
    assert set(PRODUCTS) == set(by_slug)


@every_product
def test_type_place_price_and_timeline_are_those_of_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    item, facts = by_slug[slug], PRODUCTS[slug]
    assert item["product"]["type"] == facts["type"]
    assert {k: v for k, v in item["jurisdiction"].items() if k != "id"} == facts["jurisdiction"]
    assert item["price"] == facts["price"]
    assert item["estimated_timeline"] == facts["timeline"]


@every_product
def test_roles_have_the_minimums_and_kinds_of_party_of_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    sections = roles_of(by_slug[slug])
    assert list(sections) == [role["role"] for role in PRODUCTS[slug]["roles"]]
    for role in PRODUCTS[slug]["roles"]:
        section = sections[role["role"]]
        assert section["minimum"] == role["minimum"]
        assert section["allows_corporate"] == ("corporate" in role["allows"])
        assert section["allows_foundation"] == ("foundation" in role["allows"])
        assert section.get("depends_on", {}).get("field") == role.get("only_if")


@every_product
def test_a_conditional_minimum_is_the_strictest_of_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    for role in PRODUCTS[slug]["roles"]:
        rule: dict[str, Any] = roles_of(by_slug[slug])[role["role"]].get("conditional_min", {})
        assert rule.get("minimum") == max(role.get("at_least", [None]))


@every_product
def test_name_endings_are_those_of_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    asked = {name_of(a.field): a.field for a in asked_in(by_slug[slug])}
    endings, question = PRODUCTS[slug]["name_endings"], asked["entity.name_ending"]
    assert question["options"] == [ending for ending in endings if ending != NO_ENDING]
    assert question["required"] == (NO_ENDING not in endings)


@every_product
def test_the_questions_about_the_entity_are_those_of_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    asked = {name_of(a.field) for a in asked_in(by_slug[slug]) if a.group == "entity"}
    assert asked == questions_of(slug) - set(NOT_ASKED)


@every_product
def test_questions_depend_on_each_other_as_in_the_facts(slug: str, by_slug: dict[str, Json]) -> None:
    asked = {name_of(a.field): a.field for a in asked_in(by_slug[slug])}
    rules = FACTS["shown_if"] | PRODUCTS[slug]["shown_if"]
    for target, field in rules.items():
        question = asked.get(RENAMED.get(target, target))
        if question is not None and target not in OTHER_RULES:
            assert question.get("depends_on", {}).get("field") == field, target


def test_no_exception_is_idle(by_slug: dict[str, Json]) -> None:
    endings = {ending for facts in PRODUCTS.values() for ending in facts["name_endings"]}
    listed = {name for slug in PRODUCTS for name in questions_of(slug)}
    ruled = {target for facts in PRODUCTS.values() for target in facts["shown_if"]}
    assert NO_ENDING in endings
    assert set(NOT_ASKED) <= listed
    assert set(OTHER_RULES) <= ruled
