"""A party under review by keyboard: nothing is lost while an agent leafs through documents, and nothing done unseen."""

import json
import re
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.models import SharedText
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept, opened_documents
from formation_portal.reviews.models import DecisionOutcome, Query, ReviewDecision
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.identity_numbers import LONG, SHORT, submitted_with_numbers
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.desk.cases import in_review, press

_NAME = Target.of_field("ada", "person.last_name")


@pytest.fixture
def draft(site: str) -> Draft:
    return in_review(new_user())


@pytest.fixture
def tab(open_tab: OpenTab, draft: Draft) -> Tab:
    """An agent's tab at Ada's page, whose clock the test can move."""
    browser = open_tab(new_user(is_agent=True))
    browser.tab.clock.install()
    browser.get(f"/desk/{draft.application.reference}/parties/ada/")
    return browser.tab


def test_what_a_page_says_is_noted_by_keys_and_the_fact_in_hand_shows_that_page(tab: Tab) -> None:
    page = tab.locator("#viewer .viewer-page")
    press(tab, "?", "Escape", "o")
    expect(tab.locator("#viewer img")).to_be_visible()
    press(tab, "]")
    expect(page).to_have_accessible_name("Page 2 of 3")
    press(tab, "4", "e")
    expect(tab.get_by_label("This page shows")).to_have_value(str(_NAME))
    tab.keyboard.type("BYRON, ADA")
    # Nothing that is typed goes while one looks further; what is pointed at meanwhile is not meant.
    tab.locator("#fact-8").hover()
    tab.clock.run_for(600)
    expect(tab.locator("#viewer-title")).to_have_text("Passport")
    expect(tab.get_by_label("It says")).to_have_value("BYRON, ADA")
    with tab.expect_navigation():
        press(tab, "Enter")
    expect(tab.locator("#fact-4")).to_contain_text("Passport, page 2: BYRON, ADA")
    expect(tab.get_by_role("checkbox", name="Last name")).to_be_checked()
    press(tab, "[")
    expect(page).to_have_accessible_name("Page 1 of 3")
    # Back to the fact that the address leads to, and on from there.
    press(tab, "j", "k")
    expect(page).to_have_accessible_name("Page 2 of 3")
    # Pointing shows what was opened before, and records nothing. Of the letter there is no copy to open.
    tab.locator("#fact-8").hover()
    tab.clock.run_for(600)
    expect(tab.locator("#viewer-title")).to_have_text("Passport")
    tab.get_by_role("link", name="reference.pdf").click()
    expect(tab.locator("#viewer-title")).to_have_text("Letter")
    tab.reload()
    entries = Entry.objects.filter(action=AuditAction.LOOK).count()
    tab.locator("#fact-4").hover()
    expect(page).to_have_accessible_name("Page 2 of 3")
    assert Entry.objects.filter(action=AuditAction.LOOK).count() == entries


def test_neither_pointer_nor_focus_nor_a_prefetch_opens_a_document(tab: Tab, draft: Draft) -> None:
    for number in (8, 4, 8):
        tab.locator(f"#fact-{number}").hover()
        tab.clock.run_for(400)
    tab.get_by_role("link", name="reference.pdf").focus()
    tab.get_by_role("link", name="Open Passport").focus()
    opening = tab.get_by_role("link", name="Open Passport").get_attribute("hx-get")
    tab.evaluate(
        """(url) => new Promise((done) => {
          const link = Object.assign(document.createElement("link"), { rel: "prefetch", href: url });
          link.onload = link.onerror = done;
          document.head.append(link);
        })""",
        opening,
    )
    expect(tab.locator("#viewer img")).to_have_count(0)
    assert opened_documents(draft).accounts == {}
    tab.get_by_role("link", name="Open Passport").press("Enter")
    expect(tab.locator("#viewer img")).to_be_visible()
    assert len(opened_documents(draft).accounts) == 1


def test_the_keys_that_accept_a_party_approve_no_case(open_tab: OpenTab, draft: Draft, settings: Any) -> None:
    settings.FOUR_EYES = False
    user = new_user(is_agent=True)
    facts = load_checklist(draft)
    others = [fact.target for fact in facts if fact.target.holder != "kestrel"]
    accept(draft, others, by=user, version=current_version(draft.application))
    browser = open_tab(user)
    tab = browser.tab
    browser.get(f"/desk/{draft.application.reference}/parties/kestrel/")
    press(tab, "?", "Escape", "o")
    expect(tab.locator("#viewer img")).to_be_visible()
    press(tab, "a")
    # Enter is held down: it repeats while the next page comes.
    tab.keyboard.down("Enter")
    expect(tab).to_have_url(re.compile("#decide$"))
    for _ in range(5):
        tab.keyboard.down("Enter")
    tab.keyboard.up("Enter")
    press(tab, "a", "Enter", "a", "Enter")
    assert not ReviewDecision.objects.exists()
    press(tab, "p", "Enter")
    expect(tab.get_by_role("heading", name="Approve this application?")).to_be_visible()
    tab.keyboard.down("Enter")
    tab.keyboard.down("Enter")
    tab.keyboard.up("Enter")
    assert not ReviewDecision.objects.exists()
    tab.get_by_role("button", name="Yes, approve").press("Enter")
    tab.get_by_role("button", name="Approve without opening").press("Enter")
    undo = tab.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_be_visible()
    assert ReviewDecision.objects.get().outcome == DecisionOutcome.SCHEDULED
    undo.press("Enter")
    expect(tab.get_by_text("Your decision has been undone.")).to_be_visible()
    assert ReviewDecision.objects.get().outcome == DecisionOutcome.UNDONE


def test_a_key_shows_numbers_and_a_clean_party_takes_four(open_tab: OpenTab) -> None:
    draft, browser = submitted_with_numbers(new_user()), open_tab(new_user(is_agent=True))
    tab, address = browser.tab, f"{browser.base}/desk/{draft.application.reference}/parties/ada/"
    tab.goto(f"{address}?zoom=150")
    press(tab, "?")
    expect(tab.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Ask about this fact")
    press(tab, "Escape", "1", "r")
    words = tab.locator("#fact-1").get_by_label("To the customer")
    words.fill("half a sentence")
    tab.locator("h1").click()
    tab.keyboard.press("v")
    expect(tab.locator("#announcer")).to_have_text("Numbers shown. Recorded in the audit log.")
    expect(tab.get_by_text(LONG)).to_be_visible()
    expect(tab.get_by_text(SHORT)).to_be_visible()
    expect(tab.get_by_role("checkbox", name="Roles")).to_be_checked()
    expect(words).to_have_value("half a sentence")
    expect(tab).to_have_url(f"{address}?zoom=150")
    tab.keyboard.press("v")
    expect(tab.get_by_text(LONG)).to_have_count(0)
    expect(words).to_have_value("half a sentence")
    tab.goto(address)
    press(tab, "o")
    tab.wait_for_url("**open=1**")
    press(tab, "v")
    expect(tab.get_by_text(LONG)).to_be_visible()
    press(tab, "a", "Enter")
    expect(tab.locator("#messages")).to_contain_text("9 facts accepted.")
    expect(tab.locator("h1")).to_have_text("Unnamed company")
    shown = Entry.objects.filter(action=AuditAction.REVEAL)
    fields = ["person.passport_number", "person.tax_number"]
    assert [json.loads(entry.detail)["fields"] for entry in shown] == [fields, fields]


def test_a_shared_text_is_inserted_where_one_writes(open_tab: OpenTab) -> None:
    owner, agent = new_user(), new_user(is_agent=True)
    draft = factories.submitted_draft(owner)
    SharedText.objects.create(title="Certified", text="Certify it, {customer}.", by=agent, at=timezone.now())
    browser = open_tab(agent)
    tab, address = browser.tab, f"{browser.base}/desk/{draft.application.reference}/"
    for opened, form in (("Ask about Purpose", ".ask-form"), ("", ".decision")):
        tab.goto(address)
        if opened:
            tab.get_by_role("link", name=opened).click()
        message = tab.locator(form).get_by_label("Message to the customer")
        message.fill("One thing.")
        tab.locator(form).get_by_label("Shared text").select_option("Certified")
        tab.locator(form).get_by_role("button", name="Insert").click()
        expect(message).to_have_value(f"One thing.\n\nCertify it, {owner.get_full_name()}.")
        expect(message).to_be_focused()
        assert tab.url == address
        # Enter sends, and inserts nothing more.
        assert not Query.objects.filter(application=draft.application).exists()
