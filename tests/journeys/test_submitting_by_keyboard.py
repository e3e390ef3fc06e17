"""Checking, submitting, reading what came back and sending corrections, by keys alone, wide and narrow."""

from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import Delivery, DeliveryState
from tests.applications import made
from tests.journeys.conftest import chromium, new_user, open_tab, site
from tests.journeys.keyboard import Hands
from tests.journeys.test_by_keyboard import WAYS, Sit, sit
from tests.needed import has_chromium, needed

__all__ = ["chromium", "open_tab", "sit", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def complete_draft() -> tuple[Draft, Any]:
    """Somebody's application that needs nothing more."""
    user = new_user()
    draft = open_draft(saving.start(owner=user, product=made.product()))
    for key, raw in (("the-company", made.COMPANY), ("funds", made.FUNDS)):
        section = draft.schema.section(key)
        assert section is not None
        saving.save_section(draft, section, raw, version=draft.version(key), by=user)
    ada = saving.add_party(draft, "person", ["director", "shareholder"], made.ADA, by=user)
    ordinary = saving.add_share_class(draft, made.ORDINARY, by=user)
    saving.save_holdings(draft, {(ada.token, ordinary.token): "10,000"}, by=user)
    saving.add_document(draft, ada, "Passport", made.upload(), by=user)
    assert draft.needs == ()
    return draft, user


def come_back(draft: Draft) -> Draft:
    """The service asks for another name."""
    said = {"field": "entity.name", "section": "the-company", "code": "taken", "message": "Choose another name"}
    rows = Delivery.objects.filter(application=draft.application)
    rows.filter(kind="entity").update(state=DeliveryState.REFUSED, problems=[said])
    rows.exclude(kind="entity").update(state=DeliveryState.DONE)
    now = fresh(draft)
    saving.reopen(now, reason="The formation service asks for a change")
    return now


def fresh(draft: Draft) -> Draft:
    return open_draft(Application.objects.get(pk=draft.application.pk))


def test_before_and_after_submitting(sit: Sit, site: str) -> None:
    """The short one, which runs always."""
    _go_the_whole_way(sit, width=320, has_script=True)


@pytest.mark.long
@pytest.mark.parametrize(("width", "has_script"), WAYS[1:])
def test_before_and_after_submitting_in_every_other_way(sit: Sit, site: str, width: int, has_script: bool) -> None:
    _go_the_whole_way(sit, width=width, has_script=has_script)


def _go_the_whole_way(sit: Sit, *, width: int, has_script: bool) -> None:
    draft, user = complete_draft()
    root = f"/applications/{draft.application.reference}/"
    hands = sit(user, f"{root}check/", width=width, has_script=has_script)
    _change_and_come_back_to_the_row(hands)
    hands.tick("declare this")
    hands.follow("Submit")
    _is_said(hands, "is submitted. Your reference is")
    assert fresh(draft).application.stands is State.SUBMITTED_FOR_REVIEW

    now = come_back(draft)
    hands.browser.get(f"{root}status/")
    hands.follow("Change it: Name")
    hands.field("Name", "Larkspur")
    hands.follow("Save and continue")
    assert "/status/" in hands.tab.url
    hands.follow("Check and send corrections")
    hands.tick("declare this")
    hands.follow("Send corrections")
    _is_said(hands, "Your corrections for Larkspur are sent")
    assert fresh(now).application.stands is State.SUBMITTED_FOR_REVIEW


def _change_and_come_back_to_the_row(hands: Hands) -> None:
    hands.follow("Change the answer to “Purpose”")
    hands.field("Purpose", "Cold fish")
    hands.follow("Save and continue")
    row = hands.tab.locator("dl.summary > div:target")
    expect(row).to_contain_text("Cold fish")
    expect(row).to_be_in_viewport()
    hands.press("Tab")
    expect(row.get_by_role("link")).to_be_focused()


def _is_said(hands: Hands, words: str) -> None:
    message = hands.tab.locator("#messages > :first-child")
    expect(message).to_contain_text(words)
    expect(message).to_be_focused()
