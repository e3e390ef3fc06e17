"""Nothing typed is ever lost: in a stale tab, with a token that is no longer good, or after the submission.

After the end of a session: tests/portal/site/test_unsent.py.
"""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.journeys.clients import InProcessBrowser
from tests.journeys.page import Form, Page

NAME = "Lärk & “Field” <b>"
MOTTO = "To sell <i>&amp;</i> buy"
TEXT = "First line,\n\nsecond </textarea> line"


@pytest.fixture
def browser(as_owner: Client) -> InProcessBrowser:
    return InProcessBrowser(as_owner)


def section(browser: InProcessBrowser, draft: Draft) -> Page:
    return browser.get(f"/applications/{draft.application.reference}/sections/the-company/")


def raw(draft: Draft) -> dict[str, Any]:
    """The answers about the company, as typed; a line end is one, however it is written."""
    stored = factories.again(draft).entity_raw
    return {name: text.replace("\r\n", "\n") if isinstance(text, str) else text for name, text in stored.items()}


def fill(page: Page, **typed: str) -> Form:
    form = page.form(button="Save")
    for name, value in typed.items():
        next(control for control in form.controls if control.name == f"q:{name}").filled = [value]
    return form


def save(browser: InProcessBrowser, form: Form) -> Page:
    return browser.send(form, form.button("Save"))


@pytest.mark.parametrize(("side", "kept"), [("mine", NAME), ("theirs", "Kestrel")])
def test_a_stale_tab_shows_both_texts_and_either_way_out_works(
    browser: InProcessBrowser, draft: Draft, side: str, kept: str
) -> None:
    trading = fill(section(browser, draft), activity="Trading")
    mine, theirs = browser.send(trading, trading.button("Update")), section(browser, draft)
    save(browser, fill(theirs, name="Kestrel"))
    clash = save(browser, fill(mine, name=NAME, goods=TEXT))
    assert clash.status == 409
    # Only the answer in conflict waits.
    assert raw(draft) == {"xy.activity": "Trading", "entity.name": "Kestrel", "xy.goods": TEXT}
    form = clash.form(button="Save these answers")
    labels = [option.label for control in form.controls for option in control.options]
    assert any(label.startswith(NAME) for label in labels)
    assert any(label.startswith("Kestrel") for label in labels)
    next(control for control in form.controls if control.name == "keep:q:name").filled = [side]
    assert browser.send(form, form.button("Save these answers")).status == 200
    assert raw(draft) == {"xy.activity": "Trading", "entity.name": kept, "xy.goods": TEXT}


def test_a_form_whose_token_is_no_longer_good_is_kept_and_can_be_sent_again(draft: Draft, owner: Any) -> None:
    client = Client(enforce_csrf_checks=True, headers={"origin": "http://testserver"})
    client.force_login(owner)
    browser = InProcessBrowser(client)
    form = fill(section(browser, draft), name=NAME, purpose=MOTTO)
    client.cookies["csrftoken"] = "x" * 32
    refused = save(browser, form)
    assert (refused.status, raw(draft)) == (403, {})
    again = refused.form(button="Send again")
    assert browser.send(again, again.button("Send again")).status == 200
    assert raw(draft) == {"entity.name": NAME, "charter.purpose": MOTTO}


def test_what_is_typed_into_a_page_that_was_submitted_meanwhile_is_shown_and_changes_nothing(
    complete: Draft, browser: InProcessBrowser, owner: Any
) -> None:
    form = fill(section(browser, complete), name=NAME)
    services.submit(complete, by=owner)
    late = save(browser, form)
    assert late.status == 409
    assert "You submitted this application" in late.words
    assert f"could no longer be changed when you sent this. You typed: Name {NAME}" in late.words
    assert raw(complete)["entity.name"] == factories.COMPANY["entity.name"]
