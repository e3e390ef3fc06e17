"""A whole review: claimed, checked, returned, corrected, checked again, approved by two, incorporated.

Told once, and gone with a pointer, without script, and by keyboard alone.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import Query
from tests.desk.factories import submitted_ones
from tests.documents import sample_files
from tests.journeys.actors.interactions import Hands
from tests.journeys.actors.keyboard import Keys
from tests.journeys.actors.pointer import Pointer
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.page_states.party_review import in_review
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

NAME, EXTRACT = "Last name", "Register extract"
WAYS = [
    pytest.param((Pointer, True), id="with script", marks=pytest.mark.long),
    pytest.param((Pointer, False), id="without script", marks=pytest.mark.long),
    pytest.param((Keys, True), id="by keys"),
]


@dataclass
class Cast:
    """Who takes part, each before a page of their own."""

    customer: Hands
    agent: Hands
    colleague: Hands
    draft: Draft

    @property
    def reference(self) -> str:
        return self.draft.application.reference

    @property
    def stands(self) -> State:
        return Application.objects.get(pk=self.draft.application.pk).status

    @property
    def faults(self) -> list[str]:
        return [*self.customer.faults, *self.agent.faults, *self.colleague.faults]


@pytest.fixture
def cast(open_tab: OpenTab, settings: Any, request: pytest.FixtureRequest) -> Cast:
    """The small product's application with two people and a company, handed in, and another case behind it."""
    settings.FOUR_EYES = True
    hands, has_script = request.param
    owner = new_user()
    draft = in_review(owner)
    submitted_ones(owner, 1)

    def at_page(user: Any) -> Hands:
        made: Hands = hands(open_tab(user, has_script=has_script))
        return made

    return Cast(at_page(owner), at_page(new_user(is_agent=True)), at_page(new_user(is_agent=True)), draft)


def party(cast: Cast, hands: Hands, token: str) -> None:
    hands.go(f"/desk/{cast.reference}/parties/{token}/")


def ask(hands: Hands, about: str, text: str) -> None:
    """Draft a question: the form opens in its place, or on a page of its own."""
    if hands.browser.has_script:
        hands.press_on(f"Ask about {about}")
        hands.see("Message to the customer")
    else:
        hands.follow(f"Ask about {about}")
    hands.field("Message to the customer", text)
    hands.press_on("Save query")
    hands.see(text)


def accept_the_rest(hands: Hands) -> None:
    hands.follow("Accept all remaining")
    if hands.tab.get_by_role("button", name="Accept without opening").count():
        hands.follow("Accept without opening")
    hands.see("accepted.")


def check(cast: Cast) -> None:
    """Two people and a company: one field and one document are asked about, everything else is in order."""
    agent = cast.agent
    agent.go(f"/desk/{cast.reference}/")
    agent.press_on("Claim")
    agent.see("You have claimed this case.")
    assert cast.stands is State.IN_REVIEW
    party(cast, agent, "ada")
    ask(agent, NAME, "The passport has another name.")
    accept_the_rest(agent)
    party(cast, agent, "kestrel")
    ask(agent, EXTRACT, "It is older than three months.")
    accept_the_rest(agent)
    party(cast, agent, "ingrid")
    accept_the_rest(agent)


def send_back(cast: Cast) -> None:
    agent = cast.agent
    agent.go(f"/desk/{cast.reference}/")
    agent.answer("Decision", "Return")
    agent.field("Message to the customer", "Two things are left.")
    agent.follow("Return to ")
    assert cast.stands is State.RETURNED_FOR_CHANGES


def correct(cast: Cast, paper: Path) -> None:
    """The customer reads each note at its place, mends both, and sends them together."""
    customer = cast.customer
    customer.go(f"/applications/{cast.reference}/")
    customer.see("Two things are left.")
    customer.see("It is older than three months.")
    customer.follow("Change it: Last name")
    customer.see("The passport has another name.")
    customer.field(NAME, "King")
    customer.follow("Save and continue")
    customer.go(f"/applications/{cast.reference}/documents/")
    customer.choose_file(f"New file for “{EXTRACT}”", paper)
    if not customer.browser.has_script:
        customer.follow("Replace")
    # What is only on its way is not on the next page, and would be news to it.
    customer.see(f"“{EXTRACT}” was uploaded.")
    customer.go(f"/applications/{cast.reference}/check/")
    customer.tick("agree")
    customer.follow("Send corrections")
    assert cast.stands is State.SUBMITTED_FOR_REVIEW


def check_again(cast: Cast) -> None:
    """The second round shows what changed and nothing else; then everything is in order."""
    agent = cast.agent
    agent.go(f"/desk/{cast.reference}/")
    agent.see("King")
    agent.see("Lovelace")
    agent.see(paper_name(cast))
    shown = agent.tab.locator(".entry-body")
    expect(shown.get_by_role("link", name="Kestrel Capital B.V.", exact=True)).to_have_count(1)
    expect(shown.get_by_role("link", name="Ingrid Solheim", exact=True)).to_have_count(0)
    for token, name in (("ada", NAME), ("kestrel", EXTRACT)):
        party(cast, agent, token)
        agent.tick(name)
        agent.press_on("Accept selected")
        agent.see("1 fact accepted.")
    assert not [one for one in Query.objects.filter(application=cast.draft.application) if one.is_open]
    agent.go(f"/desk/{cast.reference}/")
    for own in ("The company", "Funds", "the shares"):
        agent.follow(f"Accept {own}")


def paper_name(cast: Cast) -> str:
    return Application.objects.get(pk=cast.draft.application.pk).documents.in_use().get(slot=EXTRACT).name


def approve(cast: Cast) -> None:
    """One press leads on to the next case; a second agent confirms it."""
    agent, colleague = cast.agent, cast.colleague
    agent.follow("Approve and open the next case")
    agent.see("You have not opened every document")
    agent.follow("Approve without opening")
    agent.see("is awaiting second approval")
    assert cast.reference not in agent.tab.url
    assert cast.stands is State.IN_REVIEW
    colleague.go("/desk/")
    colleague.follow("To confirm")
    colleague.follow("Larkfield Holdings")
    colleague.follow("Confirm")
    colleague.follow("Confirm without opening")
    assert cast.stands is State.SUBMITTED_TO_CSP


def incorporate(cast: Cast) -> None:
    cast.agent.go(f"/desk/{cast.reference}/")
    cast.agent.field("Registration number", "HRB 1234")
    cast.agent.tab.get_by_label("Date of registration").fill("2026-11-20")
    cast.agent.tick("The number and date are as the registry has them")
    cast.agent.follow("Record the incorporation")
    assert cast.stands is State.INCORPORATED
    cast.customer.go(f"/applications/{cast.reference}/status/")
    cast.customer.see("The company is incorporated")
    cast.customer.see("HRB 1234")


@pytest.mark.parametrize("cast", WAYS, indirect=True)
def test_a_case_is_returned_corrected_and_approved_by_two(cast: Cast, tmp_path: Path) -> None:
    paper = tmp_path / "extract-new.pdf"
    paper.write_bytes(sample_files.pdf(2))
    check(cast)
    send_back(cast)
    correct(cast, paper)
    check_again(cast)
    approve(cast)
    incorporate(cast)
    assert cast.faults == []
