"""What a review costs an agent, counted in clicks, keys and pages: everything is shown, every document opened and every
fact accepted.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page as Tab
from playwright.sync_api import Request, expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import opened_documents
from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.chromium.test_questions import started
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

_ADA = {"person.first_name": "Ada", "person.last_name": "Byron"}
_PERSON = ["director", "shareholder", "ubo"]


def submitted(parties: Iterable[tuple[str, list[str]]]) -> Draft:
    """A submitted company with seven sections, and these parties by kind and roles."""
    application, owner = started("bvi-limited-company")
    for kind, roles in parties:
        services.add_party(open_draft(application), kind, roles, _ADA if kind == "person" else {}, by=owner)
    client = Client()
    client.force_login(owner)
    customer = RealisticClient(InProcessBrowser(client))
    customer.declare(customer.complete(customer.browser.get(f"/applications/{application.reference}/")))
    return open_draft(Application.objects.get(pk=application.pk))


@dataclass
class Agent:
    """An agent at a tab, with what it has cost so far. A post and the page that it leads to are two loads."""

    tab: Tab
    loads: int = 0
    clicks: int = 0
    keys: int = 0

    def __post_init__(self) -> None:
        self.tab.on("request", self._count)

    def _count(self, request: Request) -> None:
        self.loads += request.is_navigation_request()

    def click(self, button: str) -> None:
        self.clicks += 1
        with self.tab.expect_navigation():
            self.tab.get_by_role("button", name=button).click()

    def open(self, document: str) -> None:
        self.clicks += 1
        self.tab.locator(".fact", has_text=document).locator("a[href*='open=1']").first.click()

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
        """The document stands in the viewer, with its picture."""
        expect(self.tab.locator("#viewer-title")).to_have_text(document)
        self.tab.wait_for_function("() => document.querySelector('#viewer img')?.complete")


def agent_at_queue(open_tab: OpenTab, settings: Any) -> Agent:
    """Somebody who decides alone."""
    settings.FOUR_EYES = False
    browser = open_tab(new_user(is_agent=True))
    at_queue = Agent(browser.tab)
    browser.get("/desk/")
    return at_queue


def documents_by_party(draft: Draft) -> list[list[str]]:
    """The documents of each party, as its page lists them."""
    parties = [holder for holder in load_checklist(draft).holders if holder.token]
    return [[fact.label for fact in party.facts if fact.document] for party in parties]


def assert_all_was_opened_and_approved(draft: Draft) -> None:
    let_decisions_take_effect()
    opened = opened_documents(draft).accounts
    assert [one.slot for one in draft.documents if one.pk not in opened] == []
    assert Application.objects.get(pk=draft.application.pk).status is State.SUBMITTED_TO_CSP


def test_a_review_takes_a_click_for_each_document_and_five_more_on_twenty_pages(
    open_tab: OpenTab, settings: Any
) -> None:
    """Documents are opened by their links, and not by pointing at them."""
    draft = submitted([("person", _PERSON), ("corporate", ["director"])])
    agent = agent_at_queue(open_tab, settings)
    agent.click("Next case")
    agent.click("Accept all remaining")
    for documents in documents_by_party(draft):
        for document in documents:
            agent.open(document)
            agent.sees(document)
        agent.click("Accept all remaining")
    expect(agent.tab).to_have_url(re.compile("#decide$"))
    agent.click("Approve and open the next case")
    assert_all_was_opened_and_approved(draft)
    assert agent.clicks <= 5 + sum(map(len, documents_by_party(draft)))
    assert agent.loads <= 20


_DIRECTOR = ("person", ["director"])


@pytest.mark.parametrize(
    ("people", "most"),
    [
        pytest.param([("person", _PERSON)], 25, id="two"),
        pytest.param(
            [("person", _PERSON), ("person", _PERSON), _DIRECTOR, _DIRECTOR],
            47,
            marks=pytest.mark.long,
            id="five",
        ),
    ],
)
def test_parties_are_reviewed_with_few_keys(
    open_tab: OpenTab, settings: Any, people: list[tuple[str, list[str]]], most: int
) -> None:
    draft = submitted([*people, ("corporate", ["director"])])
    own = load_checklist(draft).of_holder("")
    assert own is not None
    assert len(own.facts) == 7
    agent = agent_at_queue(open_tab, settings)
    agent.press("?", "Escape")
    agent.press_on("x", "Enter")
    agent.press_on("a", "Enter")
    every = documents_by_party(draft)
    assert len(every) == len(people) + 1
    for first, *others in every:
        agent.press("o")
        agent.sees(first)
        for document in others:
            agent.press("d")
            agent.sees(document)
        agent.press_on("a", "Enter")
    agent.press_on("p", "Enter")
    agent.press_on("Tab", "Enter")
    assert_all_was_opened_and_approved(draft)
    assert agent.keys <= most
