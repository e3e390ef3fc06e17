"""Every journey by keys alone: Tab, Space, Enter, arrows and letters; wide and narrow, with script and without."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import expect

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.keyboard import Hands
from tests.journeys.lifelike import Lifelike
from tests.journeys.stranger import PAPER
from tests.journeys.test_questions_in_chromium import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

WAYS = [(320, True), (1280, True), (320, False), (1280, False)]
ADA = {"person.first_name": "Ada", "person.last_name": "Byron"}
ORDINARY = {"share_class.name": "Ordinary", "share_class.currency": "USD", "share_class.par_value": "1"}

Sit = Callable[..., Hands]


@pytest.fixture
def sit(open_tab: OpenTab) -> Iterator[Sit]:
    """Somebody at the keys, before a page; in the end no stop was wrong."""
    seated: list[Hands] = []

    def at(user: Any, address: str, *, width: int, has_script: bool) -> Hands:
        browser = open_tab(user, width=width, has_script=has_script)
        browser.get(address)
        seated.append(Hands(browser))
        return seated[-1]

    yield at
    for hands in seated:
        assert not hands.faults, "\n".join(dict.fromkeys(hands.faults))


def company() -> tuple[Draft, Any, str]:
    """A new company with a holder and a class of shares: its draft, its owner, and its address."""
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    saving.add_party(draft, "person", ["shareholder"], ADA, by=owner)
    saving.add_share_class(draft, ORDINARY, by=owner)
    return draft, owner, f"/applications/{made.reference}/"


def test_a_person_is_added_removed_and_restored(sit: Sit, site: str) -> None:
    """The short one, which runs always."""
    _people(sit, width=320, has_script=True)


@pytest.mark.long
@pytest.mark.parametrize(("width", "has_script"), WAYS)
class TestEveryJourney:
    """One journey after another, in each of the four ways."""

    def test_the_catalog_is_narrowed_and_products_compared(
        self, sit: Sit, site: str, width: int, has_script: bool
    ) -> None:
        hands = sit(None, "/", width=width, has_script=has_script)
        hands.pick("Type", "Foundation")
        if not has_script:
            hands.follow("Apply")
        expect(hands.tab.locator("#catalog-count")).not_to_contain_text(re.compile("^ *32 "))
        for _ in range(2):
            hands.to("Compare", fits=lambda stop: stop.type == "checkbox" and not stop.checked)
            hands.press("Space")
        hands.follow("Compare")
        assert "/compare/" in hands.tab.url
        assert hands.go_around() > 5
        hands.follow("Switzerland" if hands.tab.get_by_text("Switzerland").count() else "Foundation")

    def test_a_section_is_answered_and_saved(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        made, owner = started("delaware-llc")
        address = f"/applications/{made.reference}/sections/name-and-activities/"
        hands = sit(owner, address, width=width, has_script=has_script)
        hands.field("First choice of name", "Kite LLC")
        hands.answer("licence or registration", "Yes")
        if not has_script:
            hands.follow("Update questions")
        hands.field("Licence or registration", "Held in Delaware")
        hands.follow("Save and continue")
        hands.browser.get(address)
        expect(hands.tab.get_by_label("Licence or registration", exact=True)).to_have_value("Held in Delaware")
        assert hands.go_around() > 10

    def test_people_come_go_and_come_back(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        _people(sit, width=width, has_script=has_script)

    def test_shares_are_given(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        draft, owner, root = company()
        hands = sit(owner, f"{root}shares/", width=width, has_script=has_script)
        hands.field("Ordinary, Ada Byron", "5,000")
        if not has_script:
            hands.follow("Update totals")
            hands.browser.get(f"{root}shares/")
        else:
            hands.press("Tab")
        expect(hands.tab.get_by_role("row", name=re.compile("^Given"))).to_contain_text("5,000")
        assert hands.go_around() > 5
        hands.follow("Save and continue")
        assert open_draft(draft.application).typed_holdings().values()

    def test_a_document_is_uploaded(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        draft, owner, root = company()
        hands = sit(owner, f"{root}documents/", width=width, has_script=has_script)
        paper = {"name": "Passport.pdf", "mimeType": "application/pdf", "buffer": PAPER % 1}
        hands.choose_file("File for", paper)
        if not hands.tab.get_by_text("Passport.pdf").count():
            hands.follow("Upload")
        expect(hands.tab.get_by_role("link", name=re.compile("Passport.pdf"))).to_be_visible()
        assert hands.go_around() > 5
        assert len(open_draft(draft.application).documents) == 1

    def test_answers_are_checked_and_submitted(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        owner = new_user()
        client = Client()
        client.force_login(owner)
        stranger = Lifelike(InProcessBrowser(client))
        check = stranger.complete(stranger.start(stranger.browser.get("/products/seychelles-ibc/")))
        hands = sit(owner, check.address, width=width, has_script=has_script)
        hands.follow("Change")
        hands.follow("Save and continue")
        assert "/check/" in hands.tab.url
        hands.tick("declare this")
        hands.follow("Submit")
        assert "/status/" in hands.tab.url
        assert hands.go_around() > 3

    def test_answers_are_carried_over(self, sit: Sit, site: str, width: int, has_script: bool) -> None:
        _, owner, root = company()
        hands = sit(owner, root, width=width, has_script=has_script)
        hands.follow("Carry the answers over")
        hands.pick("Which product", "Limited liability")
        hands.follow("See what fits")
        assert hands.go_around() > 3
        hands.follow("Start with what fits")
        assert hands.tab.url.rstrip("/") != f"{hands.browser.base}{root}".rstrip("/")


def _people(sit: Sit, *, width: int, has_script: bool) -> None:
    draft, owner, root = company()
    hands = sit(owner, f"{root}people/", width=width, has_script=has_script)
    hands.follow("Add someone new as Directors")
    hands.follow("Continue")
    hands.tick("This is me")
    hands.follow("Add and continue")
    hands.field("Last name", "Solheim")
    hands.follow("Save and come back later")
    hands.browser.get(f"{root}people/")
    hands.follow("Use Ada Byron as Directors")
    hands.follow("Remove")
    hands.follow("Remove")
    hands.follow("Restore")
    assert hands.go_around() > 5
    people = open_draft(draft.application).parties
    assert sorted(len(one.roles) for one in people) == [1, 2]
