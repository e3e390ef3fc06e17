"""Before and after submitting: the check, the receipt, the record, the progress, a return, and a withdrawal."""

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import Delivery, DeliveryState
from tests.encrypted_rows import update_each
from tests.journeys.actors.interactions import Interactions
from tests.journeys.actors.keyboard import Keyboard
from tests.journeys.drafts import address_of, complete_draft, reloaded
from tests.journeys.walkthroughs.conftest import OpenAs, both_always, by_keys_and_without_script
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def is_said(actor: Interactions, words: str) -> None:
    """At once, where the reader is: the message has the focus."""
    message = actor.tab.locator("#messages > :first-child")
    expect(message).to_contain_text(words)
    expect(message).to_be_focused()


def submitted() -> Draft:
    draft = complete_draft()
    services.submit(draft, by=draft.application.owner)
    return reloaded(draft)


def come_back(draft: Draft) -> Draft:
    """The service asks for another name."""
    problem = {"field": "entity.name", "section": "the-company", "code": "taken", "message": "Choose another name"}
    rows = Delivery.objects.filter(application=draft.application)
    update_each(rows.filter(kind="entity"), state=DeliveryState.REFUSED, problems=[problem])
    rows.exclude(kind="entity").update(state=DeliveryState.DONE)
    found = reloaded(draft)
    services.reopen(found, reason="The formation service asks for a change")
    return found


@both_always
def test_answers_are_checked_changed_and_submitted_and_the_receipt_follows(open_as: OpenAs) -> None:
    draft = complete_draft()
    ida = open_as(draft.application.owner, f"{address_of(draft)}check/")
    ida.follow("Purpose")
    ida.fill("Purpose", "Cold fish")
    ida.follow("Save and continue")
    row = ida.tab.locator("dl.summary > div:target")
    expect(row).to_contain_text("Cold fish")
    expect(row).to_be_in_viewport()
    if isinstance(ida, Keyboard):
        # Whoever goes by keys goes on from that row.
        assert "Purpose" in ida.move_to("Change the ").words
    ida.follow("Submit")
    ida.expect_text("Not submitted yet")
    ida.check("agree")
    ida.follow("Submit")
    is_said(ida, "has been submitted. Your reference is")
    assert reloaded(draft).application.status is State.SUBMITTED_FOR_REVIEW

    ida.expect_text("Our reviewer checks people and documents")
    ida.expect_text(draft.application.reference)
    ida.visit_all_controls()
    assert ida.download("Save as PDF").path().read_bytes().startswith(b"%PDF")
    assert b"Cold fish" in ida.download("Download as JSON").path().read_bytes()
    ida.follow("View what you submitted")
    ida.expect_heading("What you submitted")
    ida.expect_text("Cold fish")


@by_keys_and_without_script
def test_what_came_back_is_corrected_and_sent_in_one_go(open_as: OpenAs, site: str) -> None:
    draft = come_back(submitted())
    ida = open_as(draft.application.owner, f"{address_of(draft)}status/")
    ida.expect_text("“Choose another name”")
    ida.follow("Change it: Name")
    ida.fill("Name", "Larkspur")
    ida.follow("Save and continue")
    assert "/status/" in ida.tab.url
    ida.follow("Check and send corrections")
    ida.expect_text("Changed since it was returned")
    ida.check("agree")
    ida.follow("Send corrections")
    is_said(ida, "Your corrections for Larkspur have been sent")
    assert reloaded(draft).application.status is State.SUBMITTED_FOR_REVIEW
