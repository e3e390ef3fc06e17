"""A whole review: claimed, checked, returned, corrected, checked again, approved by two, incorporated.

Written once, and done without script, and by keyboard alone.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import Query
from tests.desk.factories import submitted_ones
from tests.documents import sample_files
from tests.journeys.actors.interactions import Interactions, Keyboard, Pointer
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.desk.cases import in_review
from tests.reviews.deciding import let_decisions_take_effect

NAME, EXTRACT = "Last name", "Register extract"
MODES = [
    pytest.param((Pointer, False), id="without script", marks=pytest.mark.long),
    pytest.param((Keyboard, True), id="by keys"),
]


@dataclass
class Actors:
    """Who takes part, each with a tab of their own."""

    customer: Interactions
    agent: Interactions
    colleague: Interactions
    reference: str

    @property
    def application(self) -> Application:
        return Application.objects.get(reference=self.reference)

    @property
    def status(self) -> State:
        return self.application.status


@pytest.fixture
def actors(open_tab: OpenTab, settings: Any, request: pytest.FixtureRequest) -> Actors:
    """The small product's application with two people and a company, submitted, and another case behind it."""
    settings.FOUR_EYES = True
    interactions, has_script = request.param
    people = [new_user(), new_user(is_agent=True), new_user(is_agent=True)]
    draft = in_review(people[0])
    submitted_ones(people[0], 1)
    tabs = [interactions(open_tab(person, has_script=has_script)) for person in people]
    return Actors(*tabs, draft.application.reference)


def ask(actor: Interactions, about: str, text: str) -> None:
    """Draft a question: the form opens in its place, or on a page of its own."""
    if actor.browser.has_script:
        actor.press(f"Ask about {about}")
        actor.expect_text("Message to the customer")
    else:
        actor.follow(f"Ask about {about}")
    actor.fill("Message to the customer", text)
    actor.press("Save query")
    actor.expect_text(text)


def accept(actor: Interactions, button: str, words: str) -> None:
    actor.follow(button)
    if actor.tab.get_by_role("button", name="Accept without opening").count():
        actor.follow("Accept without opening")
    actor.expect_text(words)


def check(actors: Actors) -> None:
    """Two people and a company: one field and one document are asked about, everything else is in order."""
    agent = actors.agent
    agent.go(f"/desk/{actors.reference}/")
    agent.press("Claim")
    agent.expect_text("You have claimed this case.")
    assert actors.status is State.IN_REVIEW
    for token, about, text in (
        ("ada", NAME, "The passport has another name."),
        ("kestrel", EXTRACT, "It is older than three months."),
        ("ingrid", "", ""),
    ):
        agent.go(f"/desk/{actors.reference}/parties/{token}/")
        if about:
            ask(agent, about, text)
        accept(agent, "Accept all remaining", "accepted.")


def send_back(actors: Actors) -> None:
    agent = actors.agent
    agent.go(f"/desk/{actors.reference}/")
    agent.choose_radio("Decision", "Return")
    agent.fill("Message to the customer", "Two things are left.")
    agent.follow("Return to ")
    agent.expect_text("This takes effect in 10 seconds.")
    let_decisions_take_effect()
    assert actors.status is State.RETURNED_FOR_CHANGES


def correct(actors: Actors, document: Path) -> None:
    customer = actors.customer
    customer.go(f"/applications/{actors.reference}/")
    customer.expect_text("Two things are left.")
    customer.expect_text("It is older than three months.")
    customer.follow("Change it: Last name")
    customer.expect_text("The passport has another name.")
    customer.fill(NAME, "King")
    customer.follow("Save and continue")
    customer.go(f"/applications/{actors.reference}/documents/")
    customer.choose_file(f"New file for “{EXTRACT}”", document)
    if not customer.browser.has_script:
        customer.follow("Replace")
    # What is only on its way is not on the next page, and would be news to it.
    customer.expect_text(f"“{EXTRACT}” was uploaded.")
    customer.go(f"/applications/{actors.reference}/check/")
    customer.expect_text("Changed since it was returned")
    customer.check("agree")
    customer.follow("Send corrections")
    customer.expect_text("Your corrections for Larkfield Holdings have been sent")
    assert actors.status is State.SUBMITTED_FOR_REVIEW


def check_again(actors: Actors) -> None:
    """The second round shows what changed and nothing else; then everything is in order."""
    agent = actors.agent
    agent.go(f"/desk/{actors.reference}/")
    agent.expect_text("King")
    agent.expect_text("1 answer changed")
    agent.expect_text(actors.application.documents.in_use().get(slot=EXTRACT).name)
    shown = agent.tab.locator(".entry-body")
    expect(shown.get_by_role("link", name="Kestrel Capital B.V.", exact=True)).to_have_count(1)
    expect(shown.get_by_role("link", name="Ingrid Solheim", exact=True)).to_have_count(0)
    for token, name in (("ada", NAME), ("kestrel", EXTRACT)):
        agent.go(f"/desk/{actors.reference}/parties/{token}/")
        agent.check(name)
        accept(agent, "Accept selected", "1 fact accepted.")
    assert not [query for query in Query.objects.filter(application=actors.application) if query.is_open]
    agent.go(f"/desk/{actors.reference}/")
    for own in ("The company", "Funds", "the shares"):
        agent.follow(f"Accept {own}")


def approve(actors: Actors) -> None:
    agent, colleague = actors.agent, actors.colleague
    agent.follow("Approve and open the next case")
    answer_if_asked(agent)
    agent.expect_text("You have not opened every document")
    agent.follow("Approve without opening")
    agent.expect_text("is awaiting second approval")
    assert actors.reference not in agent.tab.url
    assert actors.status is State.IN_REVIEW
    colleague.go("/desk/")
    colleague.follow("To confirm")
    colleague.follow("Larkfield Holdings")
    colleague.follow("Confirm")
    answer_if_asked(colleague)
    colleague.follow("Confirm without opening")
    let_decisions_take_effect()
    assert actors.status is State.SUBMITTED_TO_CSP


def answer_if_asked(actor: Interactions) -> None:
    """Keys, and a browser without script, are asked once more."""
    is_asked = isinstance(actor, Keyboard) or not actor.browser.has_script
    assert actor.tab.get_by_role("button", name="Yes, approve").count() == is_asked
    if is_asked:
        actor.follow("Yes, approve")


def incorporate(actors: Actors) -> None:
    actors.agent.go(f"/desk/{actors.reference}/")
    actors.agent.fill("Registration number", "HRB 1234")
    actors.agent.tab.get_by_label("Date of registration").fill("2026-11-20")
    actors.agent.check("The number and date are as the registry has them")
    actors.agent.follow("Record the incorporation")
    let_decisions_take_effect()
    assert actors.status is State.INCORPORATED
    actors.customer.go(f"/applications/{actors.reference}/status/")
    actors.customer.expect_text("The company is incorporated")
    actors.customer.expect_text("HRB 1234")


@pytest.mark.parametrize("actors", MODES, indirect=True)
def test_a_case_is_returned_corrected_and_approved_by_two(actors: Actors, tmp_path: Path) -> None:
    document = tmp_path / "extract-new.pdf"
    document.write_bytes(sample_files.pdf(2))
    check(actors)
    send_back(actors)
    correct(actors, document)
    check_again(actors)
    approve(actors)
    incorporate(actors)
    assert [*actors.customer.faults, *actors.agent.faults, *actors.colleague.faults] == []
