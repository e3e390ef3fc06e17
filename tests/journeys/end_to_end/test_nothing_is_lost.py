"""Nothing typed is ever lost: whatever is unreadable, refused, down, ended, stale, forged, too large or sent twice."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.journeys.clients import InProcessBrowser
from tests.journeys.page import Control, Form, Page
from tests.relay.conftest import _files_go_nowhere_else, service, transport
from tests.relay.flaky_transport import FlakyTransport

__all__ = ["_files_go_nowhere_else", "service", "transport"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NAME = "Lärk & “Field” <b>"
MOTTO = "To sell <i>&amp;</i> buy"
TEXT = "First line,\n\nsecond </textarea> line"
PASSWORD = "quite-a-long-one"


@pytest.fixture
def application(owner: Any, transport: FlakyTransport) -> Application:
    """An application for the small product, just begun, at the embedded service."""
    return services.start(owner=owner, product=factories.product())


@pytest.fixture
def browser(as_owner: Client) -> InProcessBrowser:
    """The owner's, without script."""
    return InProcessBrowser(as_owner)


def url(application: Application, more: str = "sections/the-company/") -> str:
    return f"/applications/{application.reference}/{more}"


def raw(application: Application) -> dict[str, Any]:
    """What the draft keeps of the answers about the company, as typed; a line end is one, however it is written."""
    stored = open_draft(Application.objects.get(pk=application.pk)).entity_raw
    return {name: text.replace("\r\n", "\n") if isinstance(text, str) else text for name, text in stored.items()}


def answers(page: Page) -> Form:
    """The form with the questions of a page."""
    return next(form for form in page.forms if form.has_button("Save"))


def control(form: Form, name: str) -> Control:
    return next(one for one in form.controls if one.name == f"q:{name}")


def fill(page: Page, **typed: str) -> Form:
    """The page's form with these answers typed, by the question's key; two underscores stand before a part."""
    form = answers(page)
    for name, value in typed.items():
        control(form, name.replace("__", ":")).filled = [value]
    return form


def trading(browser: InProcessBrowser, application: Application) -> Page:
    """The page of a company that trades, and so is asked for its goods."""
    form = fill(browser.get(url(application)), activity="Trading")
    return browser.send(form, form.button("Update"))


def save(browser: InProcessBrowser, form: Form) -> Page:
    return browser.send(form, form.button("Save"))


def test_a_session_that_has_ended_takes_nothing_with_it(browser: InProcessBrowser, application: Application) -> None:
    form = fill(trading(browser, application), name=NAME, goods=TEXT)
    browser.client.logout()
    sign_in = save(browser, form)
    assert sign_in.address.startswith("/accounts/login/")
    user = User.objects.get(email="owner@example.com")
    user.set_password(PASSWORD)
    user.save()
    signing = sign_in.form(button="Sign in")
    next(one for one in signing.controls if one.kind == "email").filled = [user.email]
    next(one for one in signing.controls if one.kind == "password").filled = [PASSWORD]
    kept = browser.send(signing, signing.button("Sign in"))
    assert kept.address == "/unsent/"
    assert NAME in kept.words
    again = kept.form(button="Send again")
    browser.send(again, again.button("Send again"))
    found = raw(application)
    assert (found["entity.name"], found["xy.activity"], found["xy.goods"]) == (NAME, "Trading", TEXT)


@pytest.mark.parametrize(("side", "kept"), [("mine", NAME), ("theirs", "Kestrel")])
def test_a_stale_tab_shows_both_texts_and_either_way_out_works(
    browser: InProcessBrowser, application: Application, side: str, kept: str
) -> None:
    mine, theirs = trading(browser, application), browser.get(url(application))
    save(browser, fill(theirs, name="Kestrel"))
    clash = save(browser, fill(mine, name=NAME, goods=TEXT))
    assert clash.status == 409
    # Only the answer in conflict waits.
    assert raw(application) == {"xy.activity": "Trading", "entity.name": "Kestrel", "xy.goods": TEXT}
    form = clash.form(button="Save these answers")
    labels = [option.label for one in form.controls for option in one.options]
    assert any(label.startswith(NAME) for label in labels)
    assert any(label.startswith("Kestrel") for label in labels)
    next(one for one in form.controls if one.name == "keep:q:name").filled = [side]
    assert browser.send(form, form.button("Save these answers")).status == 200
    found = raw(application)
    assert (found["entity.name"], found["xy.activity"], found["xy.goods"]) == (kept, "Trading", TEXT)


def test_a_form_whose_token_is_no_longer_good_is_kept_and_can_be_sent_again(
    application: Application, owner: Any
) -> None:
    client = Client(enforce_csrf_checks=True, headers={"origin": "http://testserver"})
    client.force_login(owner)
    browser = InProcessBrowser(client)
    form = fill(browser.get(url(application)), name=NAME, purpose=MOTTO)
    client.cookies["csrftoken"] = "x" * 32
    refused = save(browser, form)
    assert (refused.status, raw(application)) == (403, {})
    again = refused.form(button="Send again")
    assert browser.send(again, again.button("Send again")).status == 200
    assert raw(application) == {"entity.name": NAME, "charter.purpose": MOTTO}


@pytest.fixture
def complete(application: Application, owner: Any) -> Draft:
    """The application with nothing missing."""
    draft = open_draft(application)
    factories.fill_in(draft, by=owner)
    return draft


def test_what_is_typed_into_a_page_that_was_submitted_meanwhile_is_shown_and_changes_nothing(
    complete: Draft, browser: InProcessBrowser, owner: Any
) -> None:
    form = fill(browser.get(url(complete.application)), name=NAME)
    services.submit(complete, by=owner)
    late = save(browser, form)
    assert late.status == 409
    assert "You submitted this application" in late.words
    assert f"could no longer be changed when you sent this. You typed: Name {NAME}" in late.words
    assert raw(complete.application)["entity.name"] == factories.COMPANY["entity.name"]
