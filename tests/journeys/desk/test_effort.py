"""What a review costs an agent, counted in keys: every document is opened and every fact accepted."""

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
from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.drafts import started
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = pytest.mark.long

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
        """Keys of which the last one leads to another page."""
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
