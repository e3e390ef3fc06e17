"""What it costs to form a company and to review it, counted in pages, presses and keys instead of asked of people."""

from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import opened_documents
from tests.journeys.actors.generic_client import is_update_button
from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.clients import NO_FILES, Files, InProcessBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.drafts import started
from tests.journeys.page import Button, Form, Page
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = pytest.mark.long

PARTIES = {"Add a person": ["director", "shareholder", "ubo"], "Add a company": ["director"]}


class CountingBrowser:
    """A browser that counts what is done with it. To open a page is a press, but where the last press has led there.
    With script a file goes, and questions follow a choice, without one."""

    def __init__(self, browser: InProcessBrowser) -> None:
        self._browser = browser
        self._current_address = ""
        self.pages = 0
        self.choices = 0

    @property
    def page(self) -> Page:
        return self._browser.get(self._current_address)

    def get(self, address: str) -> Page:
        page = self._browser.get(address)
        self.pages += page.address != self._current_address
        self._current_address = page.address
        return page

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        chosen = {control.name for control in form.controls if control.options and control.filled != control.found}
        self.choices += len(chosen)
        page = self._browser.send(form, button, files=files)
        if not files and not is_update_button(button):
            self.pages += 1
            self._current_address = page.address
        return page


@pytest.mark.django_db(databases=["default", "service"])
def test_a_person_and_a_company_form_a_company_on_twenty_pages(browser: InProcessBrowser) -> None:
    """From the product to the status, by the buttons that lead on. Text is typed by Tab; each role is ticked."""
    counting_browser = CountingBrowser(browser)
    client = RealisticClient(counting_browser)
    page = client.start(counting_browser.get("/products/bvi-limited-company/"))
    page = through_sections(client, counting_browser, client.follow(page, "Continue with"))
    for link, roles in PARTIES.items():
        form = client.follow(page, link).form(button="Add and continue")
        next(control for control in form.controls if control.name == "roles").filled = roles
        client.complete_page(counting_browser.send(form, form.button("Add and continue")))
        page = counting_browser.page
    client.complete_page(client.follow(page, "Continue to"))
    client.complete_page(counting_browser.page)
    page = through_sections(client, counting_browser, counting_browser.page)
    assert page.needs == []
    assert "/status/" in client.declare(page).address
    assert counting_browser.pages <= 20
    more_roles = sum(len(roles) - 1 for roles in PARTIES.values())
    assert counting_browser.pages + counting_browser.choices + more_roles <= 60


def through_sections(client: RealisticClient, browser: Any, page: Page) -> Page:
    """Answer one section after the other; gives the page that follows them."""
    while "/sections/" in page.address:
        client.complete_page(page)
        page = browser.page
    return page


_ADA = {"person.first_name": "Ada", "person.last_name": "Byron"}


def submitted() -> Draft:
    """A submitted company with seven sections, of a person and a company."""
    application, owner = started("bvi-limited-company")
    services.add_party(open_draft(application), "person", ["director", "shareholder", "ubo"], _ADA, by=owner)
    services.add_party(open_draft(application), "corporate", ["director"], {}, by=owner)
    client = Client()
    client.force_login(owner)
    customer = RealisticClient(InProcessBrowser(client))
    customer.declare(customer.complete(customer.browser.get(f"/applications/{application.reference}/")))
    return open_draft(Application.objects.get(pk=application.pk))


class Agent:
    """An agent at a tab, who decides alone, with how many keys it has cost so far."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.keys = 0

    def press(self, *keys: str) -> None:
        self.keys += len(keys)
        for key in keys:
            self.tab.keyboard.press(key)

    def press_on(self, *keys: str) -> None:
        *first, last = keys
        self.press(*first)
        with self.tab.expect_navigation():
            self.press(last)

    def sees(self, document: str) -> None:
        expect(self.tab.locator("#viewer-title")).to_have_text(document)
        self.tab.wait_for_function("() => document.querySelector('#viewer img')?.complete")


def documents_by_party(draft: Draft) -> list[list[str]]:
    parties = [holder for holder in load_checklist(draft).holders if holder.token]
    return [[fact.label for fact in party.facts if fact.document] for party in parties]


def test_a_person_and_a_company_are_reviewed_with_25_keys(open_tab: OpenTab, settings: Any) -> None:
    settings.FOUR_EYES = False
    draft = submitted()
    browser = open_tab(new_user(is_agent=True))
    browser.get("/desk/")
    agent = Agent(browser.tab)
    agent.press("?", "Escape")
    agent.press_on("x", "Enter")
    agent.press_on("a", "Enter")
    every = documents_by_party(draft)
    assert len(every) == 2
    for first, *others in every:
        agent.press("o")
        agent.sees(first)
        for document in others:
            agent.press("d")
            agent.sees(document)
        agent.press_on("a", "Enter")
    agent.press_on("p", "Enter")
    agent.press_on("Tab", "Enter")
    let_decisions_take_effect()
    opened = opened_documents(draft).accounts
    assert [document.slot for document in draft.documents if document.pk not in opened] == []
    assert Application.objects.get(pk=draft.application.pk).status is State.SUBMITTED_TO_CSP
    assert agent.keys <= 25
