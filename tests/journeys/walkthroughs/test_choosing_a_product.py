"""From the catalog to an application: narrowing the list, comparing, reading about a product, starting."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.actors.interactions import Interactions
from tests.journeys.conftest import new_user
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PASSWORD = "quite-a-long-one"


def narrow(actor: Interactions, words: str, label: str) -> None:
    actor.select(words, label)
    actor.update("Apply")


@in_every_mode
def test_the_list_is_narrowed_and_two_products_are_compared(open_as: OpenAs) -> None:
    somebody = open_as(None, "/")
    count = somebody.tab.locator("#catalog-count")
    narrow(somebody, "Type", "Foundation")
    expect(count).not_to_contain_text(re.compile("^ *(32|0) "))
    narrow(somebody, "Country", "British")
    expect(count).to_contain_text("0 of 32 company types")
    somebody.follow("Without “")
    expect(count).not_to_contain_text(re.compile("^ *0 "))
    assert "?" in somebody.tab.url
    somebody.go("/")
    for name in ("Texas LLC", "Wyoming LLC"):
        somebody.check(name)
    somebody.follow("Compare")
    assert somebody.tab.url.endswith("/compare/?product=texas-llc&product=wyoming-llc")
    expect(somebody.tab.get_by_role("columnheader")).to_have_count(2)
    somebody.visit_all_controls()
    somebody.follow("All company types")
    expect(somebody.tab.get_by_role("checkbox", checked=True)).to_have_count(2)


@in_every_mode
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
