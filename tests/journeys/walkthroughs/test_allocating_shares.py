"""Shares that add up: classes, the grid, splitting, and the people behind companies."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from tests.journeys.actors.interactions import Interactions
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed
from tests.portal.share_limits import AT_MOST, limited, with_section
from tests.portal.shares.test_beneficial_owners import with_owners

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def cell(actor: Interactions, words: str) -> Locator:
    return actor.tab.get_by_label(words, exact=True)


def give(actor: Interactions, words: str, number: str) -> None:
    actor.fill(words, number)
    actor.update("Update totals")


@in_every_mode
def test_a_class_is_defined_too_many_shares_are_given_and_split_equally(open_as: OpenAs) -> None:
    draft = new_draft(schema=with_section("share_structure", fields=[AT_MOST]))
    user: Any = draft.application.owner
    for name in ("Ada", "Ben"):
        services.add_party(draft, "person", ["shareholder"], {"person.first_name": name}, by=user)
    ida = open_as(user, f"{address_of(draft)}shares/")
    ida.follow("Add a share class")
    for words, text in (("Name", "Ordinary"), ("Par value", "1"), ("Maximum shares", "10,000")):
        ida.fill(words, text)
    ida.select("Currency", "US")
    ida.follow("Save and continue")
    ida.go(f"{address_of(draft)}shares/")
    total = ida.tab.locator("tfoot")
    give(ida, "Ordinary, Ada", "6,000")
    expect(total).to_contain_text("4,000 of 10,000 not allocated")
    give(ida, "Ordinary, Ben", "6,000")
    expect(total).to_contain_text("2,000 more than the 10,000")
    ida.follow("Split Ordinary equally")
    ida.expect_text("5,000 each.")
    assert [cell(ida, f"Ordinary, {name}").input_value() for name in ("Ada", "Ben")] == ["5,000", "5,000"]
    ida.follow("Remove Ordinary, Ben")
    ida.follow("Remove")
    expect(total).to_contain_text("5,000 of 10,000 not allocated")
    ida.visit_all_controls()
    ida.follow("Save and continue")
    assert [*reloaded(draft).typed_holdings().values()] == ["5,000"]


def owned(owner: Any) -> Draft:
    """Ada and Kestrel B.V. in a form that asks for beneficial owners."""
    return limited(owner, schema=with_owners())


@in_every_mode
def test_a_company_is_followed_to_its_owners_and_one_becomes_a_beneficial_owner(open_as: OpenAs) -> None:
    draft = owned(new_draft().application.owner)
    ida = open_as(draft.application.owner, f"{address_of(draft)}shares/")
    give(ida, "Ordinary, Ada Lovelace", "2,000")
    give(ida, "Ordinary, Kestrel B.V.", "8,000")
    ida.follow("Add owners")
    ida.expect_heading("Who owns Kestrel B.V.")
    ida.select("Who is it?", "Ada")
    ida.fill("How much of Kestrel B.V. do they own?", "1/2")
    ida.follow("Save and go to shares")
    ida.expect_text("has 60% of the shares")
    expect(ida.tab.locator(".tree")).to_contain_text("50% of Kestrel B.V.")
    ida.visit_all_controls()
    ida.follow("Make Ada Lovelace a beneficial owner")
    ida.expect_text("Ada Lovelace is now a beneficial owner.")
    assert canonical.BENEFICIAL_OWNER in reloaded(draft).parties[0].roles
