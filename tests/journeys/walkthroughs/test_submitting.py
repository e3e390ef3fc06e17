"""Before and after submitting: the check, the receipt, the record, the tracker, what came back, and taking it back."""

from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import Delivery, DeliveryState
from tests.journeys.actors.interactions import Hands
from tests.journeys.actors.keyboard import Keys
from tests.journeys.walkthroughs.conftest import Sit
from tests.journeys.walkthroughs.drafts import complete, now, root
from tests.journeys.walkthroughs.modes import in_every_way, in_every_way_and_one_always
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def is_said(hands: Hands, words: str) -> None:
    """At once, where the reader is: the message has the focus."""
    message = hands.tab.locator("#messages > :first-child")
    expect(message).to_contain_text(words)
    expect(message).to_be_focused()


def submitted() -> Draft:
    draft = complete()
    services.submit(draft, by=draft.application.owner)
    return now(draft)


def come_back(draft: Draft) -> Draft:
    """The service asks for another name."""
    said = {"field": "entity.name", "section": "the-company", "code": "taken", "message": "Choose another name"}
    rows = Delivery.objects.filter(application=draft.application)
    rows.filter(kind="entity").update(state=DeliveryState.REFUSED, problems=[said])
    rows.exclude(kind="entity").update(state=DeliveryState.DONE)
    found = now(draft)
    services.reopen(found, reason="The formation service asks for a change")
    return found


@in_every_way
def test_answers_are_checked_changed_and_submitted_and_the_receipt_follows(sit: Sit) -> None:
    draft = complete()
    ida = sit(draft.application.owner, f"{root(draft)}check/")
    ida.follow("Change the answer to “Purpose”")
    ida.field("Purpose", "Cold fish")
    ida.follow("Save and continue")
    row = ida.tab.locator("dl.summary > div:target")
    expect(row).to_contain_text("Cold fish")
    expect(row).to_be_in_viewport()
    if isinstance(ida, Keys):
        # Whoever goes by keys goes on from that row.
        assert "Purpose" in ida.to("Change the ").words
    ida.follow("Submit")
    ida.see("Not submitted yet")
    ida.tick("agree")
    ida.follow("Submit")
    is_said(ida, "has been submitted. Your reference is")
    assert now(draft).application.status is State.SUBMITTED_FOR_REVIEW

    ida.see("Our reviewer checks people and documents")
    ida.see(draft.application.reference)
    ida.look_around()
    assert ida.download("Save as PDF").path().read_bytes().startswith(b"%PDF")
    assert b"Cold fish" in ida.download("Download as JSON").path().read_bytes()
    ida.follow("View what you submitted")
    ida.see_heading("What you submitted")
    ida.see("Cold fish")


@in_every_way_and_one_always
def test_what_came_back_is_corrected_and_sent_in_one_go(sit: Sit, site: str) -> None:
    draft = come_back(submitted())
    ida = sit(draft.application.owner, f"{root(draft)}status/")
    ida.see("“Choose another name”")
    ida.follow("Change it: Name")
    ida.field("Name", "Larkspur")
    ida.follow("Save and continue")
    assert "/status/" in ida.tab.url
    ida.follow("Check and send corrections")
    ida.see("Changed since it was returned")
    ida.tick("agree")
    ida.follow("Send corrections")
    is_said(ida, "Your corrections for Larkspur have been sent")
    assert now(draft).application.status is State.SUBMITTED_FOR_REVIEW


@in_every_way
def test_an_application_is_withdrawn(sit: Sit) -> None:
    draft = submitted()
    user: Any = draft.application.owner
    ida = sit(user, "/applications/")
    ida.follow(draft.title)
    ida.follow("Withdraw this application")
    ida.follow("Cancel")
    ida.follow("Withdraw this application")
    ida.follow(f"Withdraw {draft.title}")
    assert now(draft).application.status is State.WITHDRAWN
    expect(ida.tab.get_by_role("link", name="Withdraw this application")).to_have_count(0)
