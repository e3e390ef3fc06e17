"""Questions that explain themselves: why they are asked, what a choice makes inactive, and how to undo it."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from tests import factories
from tests.journeys.actors.interactions import Interactions
from tests.journeys.chromium.test_questions import started
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

ACTIVITY = "Activity"
NO_LONGER_NEEDED = "No longer needed because of this answer: 1 section, 1 person"
HELD = {"xy.activity": "Trading", "xy.goods": "Cold fish"}


def choose(actor: Interactions, label: str) -> None:
    actor.choose_radio(ACTIVITY, label)
    actor.update("Update questions")


@in_every_mode
def test_a_section_is_answered_and_saved(open_as: OpenAs, site: str) -> None:
    made_one, owner = started("delaware-llc")
    address = f"/applications/{made_one.reference}/sections/name-and-activities/"
    ida = open_as(owner, address)
    ida.fill("First choice of name", "Kite LLC")
    ida.choose_radio("licence or registration", "Yes")
    ida.update("Update questions")
    ida.fill("Licence or registration", "Held in Delaware")
    ida.follow("Save and continue")
    ida.go(address)
    expect(ida.tab.get_by_label("First choice of name")).to_have_value("Kite LLC")
    expect(ida.tab.get_by_label("Licence or registration", exact=True)).to_have_value("Held in Delaware")
    assert ida.visit_all_controls() > 10


@in_every_mode
def test_a_choice_opens_a_question_and_it_is_said_why_it_is_asked(open_as: OpenAs) -> None:
    draft = new_draft()
    party: Any = services.add_party(draft, "person", ["director"], factories.ADA, by=draft.application.owner)
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/{party.token}/")
    ida.expand("Change As director")
    ida.expect_no_text("Pep office")
    ida.choose_radio("Is pep", "Yes")
    ida.update("Update questions")
    ida.expect_text("Asked because you answered Yes to “Is pep”.")
    ida.fill("Pep office", "Mayor")
    ida.choose_radio("Is pep", "No")
    ida.update("Update questions")
    ida.expect_no_text("Pep office")
    ida.choose_radio("Is pep", "Yes")
    ida.update("Update questions")
    expect(ida.tab.get_by_label("Pep office")).to_have_value("Mayor")
    ida.follow("Save and come back later")
    assert reloaded(draft).parties[0].raw["xy.person.pep_office"] == "Mayor"
    ida.go(f"{address_of(draft)}people/")
    ida.expect_text("Only asked if you answer Trading to “Activity”")


@in_every_mode
def test_a_choice_makes_people_inactive_is_undone_is_made_again_and_restores_them(open_as: OpenAs) -> None:
    draft = new_draft()
    user: Any = draft.application.owner
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, factories.COMPANY | HELD, version=0, by=user)
    services.add_party(draft, "person", ["manager"], factories.ADA, by=user)
    address = f"{address_of(draft)}sections/the-company/"
    ida = open_as(user, address)
    choose(ida, "Holding company")
    ida.expect_text(NO_LONGER_NEEDED)
    ida.follow("Undo")
    ida.expect_text("“Activity” has been changed back.")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")

    choose(ida, "Holding company")
    ida.expect_text(NO_LONGER_NEEDED)
    ida.go(f"{address_of(draft)}check/")
    expect(ida.tab.get_by_role("region", name="No longer needed")).to_contain_text("Cold fish")
    ida.expect_text("We restore them if you change “Activity” back.")
    ida.go(address)
    choose(ida, "Trading")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")
    ida.follow("Save and continue")
    ida.go(f"{address_of(draft)}check/")
    expect(ida.tab.get_by_role("region", name=re.compile("No longer needed"))).to_have_count(0)
    assert reloaded(draft).entity_raw["xy.goods"] == "Cold fish"
