"""The catalog against the facts (facts.yaml). Where they part, an exception says why, and must still be needed."""

from pathlib import Path

import yaml

from .conftest import Json, asked_in, name_of, sections_of

FACTS: Json = yaml.safe_load((Path(__file__).parent / "facts.yaml").read_text("utf-8"))
PRODUCTS: dict[str, Json] = FACTS["products"]

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


def test_type_place_price_and_timeline_are_those_of_the_facts(by_slug: dict[str, Json]) -> None:
    assert set(PRODUCTS) == set(by_slug)
    for slug, item in by_slug.items():
        facts = PRODUCTS[slug]
        place = {name: value for name, value in item["jurisdiction"].items() if name != "id"}
        found = (item["product"]["type"], place, item["price"], item["estimated_timeline"])
        assert found == (facts["type"], facts["jurisdiction"], facts["price"], facts["timeline"])


def test_roles_have_the_minimums_and_kinds_of_party_of_the_facts(by_slug: dict[str, Json]) -> None:
    for slug, facts in PRODUCTS.items():
        sections = roles_of(by_slug[slug])
        assert list(sections) == [role["role"] for role in facts["roles"]]
        for role in facts["roles"]:
            section = sections[role["role"]]
            assert section["minimum"] == role["minimum"]
            assert section["allows_corporate"] == ("corporate" in role["allows"])
            assert section["allows_foundation"] == ("foundation" in role["allows"])
            assert section.get("depends_on", {}).get("field") == role.get("only_if")
            # The strictest of several.
            assert section.get("conditional_min", {}).get("minimum") == max(role.get("at_least", [None]))


def test_the_questions_about_the_entity_are_those_of_the_facts(by_slug: dict[str, Json]) -> None:
    for slug, item in by_slug.items():
        asked = {name_of(a.field): a.field for a in asked_in(item) if a.group == "entity"}
        assert set(asked) == questions_of(slug) - set(NOT_ASKED), slug
        endings, question = PRODUCTS[slug]["name_endings"], asked["entity.name_ending"]
        assert question["options"] == [ending for ending in endings if ending != NO_ENDING], slug
        assert question["required"] == (NO_ENDING not in endings), slug


def test_questions_depend_on_each_other_as_in_the_facts(by_slug: dict[str, Json]) -> None:
    for slug, item in by_slug.items():
        asked = {name_of(a.field): a.field for a in asked_in(item)}
        rules = FACTS["shown_if"] | PRODUCTS[slug]["shown_if"]
        for target, field in rules.items():
            question = asked.get(RENAMED.get(target, target))
            if question is not None and target not in OTHER_RULES:
                assert question.get("depends_on", {}).get("field") == field, target
