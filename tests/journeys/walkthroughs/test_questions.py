"""From the catalog to the answers: a product is read and started, and questions follow what is chosen."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from tests import factories
from tests.journeys.actors.interactions import Interactions
from tests.journeys.conftest import new_user
from tests.journeys.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.conftest import OpenAs, both_always, by_keys_and_without_script
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PASSWORD = "quite-a-long-one"
ACTIVITY = "Activity"
NO_LONGER_NEEDED = "No longer needed because of this answer: 1 section, 1 person"
HELD = {"xy.activity": "Trading", "xy.goods": "Cold fish"}


@by_keys_and_without_script
def test_a_product_is_read_with_its_checklist_and_started_after_signing_in(open_as: OpenAs) -> None:
    user = new_user(password=PASSWORD)
    ida = open_as(None, "/")
    ida.follow("Texas LLC")
    ida.expect_heading("Texas LLC")
    ida.expand("questions")
    ida.follow("Print a checklist")
    ida.expect_heading("What you will need")
    ida.visit_all_controls()
    ida.follow("Texas LLC")
    ida.follow("Start this application")
    ida.fill("E-mail", user.email)
    ida.fill("Password", PASSWORD)
    ida.move_to("Sign in", matches=lambda control: control.tag == "button")
    with ida.tab.expect_navigation():
        ida.activate()
    ida.expect_text("You are signed in. Start your application when you are ready.")
    ida.follow("Start this application")
    expect(ida.tab).to_have_url(re.compile("/applications/FP-[^/]+/$"))


def choose(actor: Interactions, label: str) -> None:
    actor.choose_radio(ACTIVITY, label)
    actor.update("Update questions")


@both_always
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
