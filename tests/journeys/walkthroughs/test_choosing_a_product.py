"""From the catalog to an application: narrowing the list, comparing, reading about a product, starting."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.actors.interactions import Hands
from tests.journeys.conftest import new_user
from tests.journeys.walkthroughs.conftest import Sit
from tests.journeys.walkthroughs.modes import in_every_way
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PASSWORD = "quite-a-long-one"


def narrow(hands: Hands, words: str, label: str) -> None:
    hands.pick(words, label)
    hands.update("Apply")


@in_every_way
def test_the_list_is_narrowed_and_two_products_are_compared(sit: Sit) -> None:
    somebody = sit(None, "/")
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
        somebody.tick(name)
    somebody.follow("Compare")
    assert somebody.tab.url.endswith("/compare/?product=texas-llc&product=wyoming-llc")
    expect(somebody.tab.get_by_role("columnheader")).to_have_count(2)
    somebody.look_around()
    somebody.follow("All company types")
    expect(somebody.tab.get_by_role("checkbox", checked=True)).to_have_count(2)


@in_every_way
def test_a_product_is_read_with_its_checklist_and_started_after_signing_in(sit: Sit) -> None:
    user = new_user(password=PASSWORD)
    ida = sit(None, "/")
    ida.follow("Texas LLC")
    ida.see_heading("Texas LLC")
    ida.unfold("questions")
    ida.follow("Print a checklist")
    ida.see_heading("What you will need")
    ida.look_around()
    ida.follow("Texas LLC")
    ida.follow("Start this application")
    ida.field("E-mail", user.email)
    ida.field("Password", PASSWORD)
    ida.to("Sign in", fits=lambda stop: stop.tag == "button")
    with ida.tab.expect_navigation():
        ida.use()
    ida.see("You are signed in. Start your application when you are ready.")
    ida.follow("Start this application")
    expect(ida.tab).to_have_url(re.compile("/applications/FP-[^/]+/$"))
