"""Questions that explain themselves: why they are asked, what a choice sets aside, and the way back."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from tests.applications import factories
from tests.journeys.actors.interactions import Hands
from tests.journeys.chromium.test_questions import started
from tests.journeys.walkthroughs.conftest import Sit
from tests.journeys.walkthroughs.drafts import begun, now, root
from tests.journeys.walkthroughs.modes import in_every_way
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

ACTIVITY = "Activity"
SETS_ASIDE = "No longer needed because of this answer: 1 section, 1 person"
HELD = {"xy.activity": "Trading", "xy.goods": "Cold fish"}


def choose(hands: Hands, label: str) -> None:
    hands.answer(ACTIVITY, label)
    hands.update("Update questions")


@in_every_way
def test_a_section_is_answered_and_saved(sit: Sit, site: str) -> None:
    made_one, owner = started("delaware-llc")
    address = f"/applications/{made_one.reference}/sections/name-and-activities/"
    ida = sit(owner, address)
    ida.field("First choice of name", "Kite LLC")
    ida.answer("licence or registration", "Yes")
    ida.update("Update questions")
    ida.field("Licence or registration", "Held in Delaware")
    ida.follow("Save and continue")
    ida.go(address)
    expect(ida.tab.get_by_label("First choice of name")).to_have_value("Kite LLC")
    expect(ida.tab.get_by_label("Licence or registration", exact=True)).to_have_value("Held in Delaware")
    assert ida.look_around() > 10


@in_every_way
def test_a_choice_opens_a_question_and_it_is_said_why_it_is_asked(sit: Sit) -> None:
    draft = begun()
    party: Any = services.add_party(draft, "person", ["director"], factories.ADA, by=draft.application.owner)
    ida = sit(draft.application.owner, f"{root(draft)}people/{party.token}/")
    ida.see_nowhere("Pep office")
    ida.answer("Is pep", "Yes")
    ida.update("Update questions")
    ida.see("Asked because you answered Yes to “Is pep”.")
    ida.field("Pep office", "Mayor")
    ida.answer("Is pep", "No")
    ida.update("Update questions")
    ida.see_nowhere("Pep office")
    ida.answer("Is pep", "Yes")
    ida.update("Update questions")
    expect(ida.tab.get_by_label("Pep office")).to_have_value("Mayor")
    ida.follow("Save and come back later")
    assert now(draft).parties[0].raw["xy.person.pep_office"] == "Mayor"
    ida.go(f"{root(draft)}people/")
    ida.see("Only asked if you answer Trading to “Activity”")


@in_every_way
def test_a_choice_sets_people_aside_is_undone_is_made_again_and_brings_them_back(sit: Sit) -> None:
    draft = begun()
    user: Any = draft.application.owner
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, factories.COMPANY | HELD, version=0, by=user)
    services.add_party(draft, "person", ["manager"], factories.ADA, by=user)
    address = f"{root(draft)}sections/the-company/"
    ida = sit(user, address)
    choose(ida, "Holding company")
    ida.see(SETS_ASIDE)
    ida.follow("Undo")
    ida.see("“Activity” has been changed back.")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")

    choose(ida, "Holding company")
    ida.see(SETS_ASIDE)
    ida.go(f"{root(draft)}check/")
    expect(ida.tab.get_by_role("region", name="No longer needed")).to_contain_text("Cold fish")
    ida.see("We restore them if you change “Activity” back.")
    ida.go(address)
    choose(ida, "Trading")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")
    ida.follow("Save and continue")
    ida.go(f"{root(draft)}check/")
    expect(ida.tab.get_by_role("region", name=re.compile("No longer needed"))).to_have_count(0)
    assert now(draft).entity_raw["xy.goods"] == "Cold fish"
