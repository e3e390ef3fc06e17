"""Complete applications made by chance, and what becomes of a rule that is tried on them."""

import pytest

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.examples import Examples, try_validations
from formation_portal.contract.needs import needs
from tests.embedded_catalog import catalog_items

from .builders import TODAY, entity, form, question, role

# What an answer alone, or a missing one, would need.
UNANSWERED = {"required", "incomplete", "unreadable", "share_class", "holding", "party_type_not_allowed"}


@pytest.mark.parametrize("slug", ["bvi-limited-company", "delaware-llc", "panama-foundation"])
def test_an_example_answers_every_question_and_differs_from_the_others(slug: str) -> None:
    [document] = [item for item in catalog_items() if item["product"]["slug"] == slug]
    [item] = parse_catalog([document])
    assert isinstance(item, CatalogItem)
    examples = Examples(item.form, today=TODAY)
    records = [examples.record() for _ in range(5)]

    assert {need.code for record in records for need in needs(item.form, record)} & UNANSWERED == set()
    assert len({repr(record) for record in records}) == 5
    assert repr(Examples(item.form, today=TODAY).record()) == repr(records[0])


def test_examples_have_the_parties_that_roles_need_of_the_kinds_that_they_allow() -> None:
    schema = form(role("director", minimum=2), role("shareholder", allows_corporate=True, allows_foundation=True))
    examples = Examples(schema, today=TODAY)
    parties = [examples.record().parties for _ in range(60)]
    directors = [[party.kind for party in record if "director" in party.roles] for record in parties]
    shareholders = {party.kind for record in parties for party in record if party.roles == ("shareholder",)}

    assert {2, 3, 4} <= {len(kinds) for kinds in directors}
    assert min(len(kinds) for kinds in directors) == 2
    assert {kind for kinds in directors for kind in kinds} == {"person"}
    assert shareholders == {"person", "corporate", "foundation"}
    assert any(party.roles == ("director", "shareholder") for record in parties for party in record)


def test_a_rule_is_tried_on_as_many_examples_as_are_asked_for() -> None:
    rules = ["true", "false", 'entity["xx.town"] == "Zug"', "entity.nothing == 1", "1 / 0 == 1", "not CEL"]
    schema = form(
        entity(question("town", "select", options=["Zug", "Bern"])),
        validations=[{"rule": rule, "message": rule, "field": "town"} for rule in rules],
    )
    always, never, sometimes, unasked, failing = try_validations(schema, 50, today=TODAY)

    assert (always.successes, always.failures, always.reasons.total()) == (50, 0, 0)
    assert (never.successes, never.failures) == (0, 50)
    assert sometimes.successes + sometimes.failures == 50
    assert 10 < sometimes.successes < 40
    assert unasked.reasons == {'"nothing" is missing': 50}
    assert failing.reasons == {"divide by zero": 50}
