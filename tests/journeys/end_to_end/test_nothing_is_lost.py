"""Nothing typed is ever lost: whatever is unreadable, refused, down, ended, stale, forged, too large or sent twice."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.worker import drain
from tests import factories
from tests.journeys.clients import InProcessBrowser
from tests.journeys.page import Control, Form, Page
from tests.journeys.page import words as words_of
from tests.relay.conftest import _files_go_nowhere_else, service, transport
from tests.relay.flaky_transport import FlakyTransport, refuses, unreachable

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


def error_at(page: Page, name: str) -> str:
    """What is said at a question, tied to it."""
    [question] = page.root.xpath("//*[@name=$name][not(@type='hidden')]", name=f"q:{name}")
    tied = question.xpath("ancestor-or-self::*/@aria-describedby")
    named = [one for ids in tied for one in ids.split() if one.endswith("-error")]
    return " ".join(page.root.get_element_by_id(one).text_content() for one in named)


def test_an_unreadable_answer_stays_as_typed(browser: InProcessBrowser, application: Application) -> None:
    page = browser.get(url(application))
    form = fill(page, name=NAME, started_on__day="31", started_on__month="Feb", started_on__year="24", purpose=MOTTO)
    refused = save(browser, form)
    assert refused.status == 422
    assert refused.title.startswith("Error: ")
    (line,) = refused.errors
    assert line == "Enter the year of “Started on” with four digits, like 1985"
    assert line in error_at(refused, "started_on:day")
    for shown in (refused, browser.get(url(application))):
        parts = [control(answers(shown), f"started_on:{part}").filled for part in ("day", "month", "year")]
        assert parts == [["31"], ["Feb"], ["24"]]
        assert control(answers(shown), "name").filled == [NAME]
    assert raw(application)["xy.started_on"] == {"day": "31", "month": "Feb", "year": "24"}
    assert raw(application)["entity.name"] == NAME


def test_what_the_service_refuses_is_kept_and_said_at_its_field(
    browser: InProcessBrowser, application: Application, transport: FlakyTransport, service: FormationService
) -> None:
    transport.fail_on("POST entities", refuses("name", "Choose a name that is free"), times=1)
    save(browser, fill(browser.get(url(application)), name=NAME, purpose=MOTTO))
    drain()
    shown = browser.get(url(application))
    assert shown.errors == ["Choose a name that is free"]
    assert "Choose a name that is free" in error_at(shown, "name")
    assert control(answers(shown), "name").filled == [NAME]
    assert raw(application)["entity.name"] == NAME
    assert "Choose a name that is free" in browser.get(url(application, "")).words

    save(browser, fill(shown, name="Larkspur"))
    drain()
    (entity,) = service.entities(client_reference=application.reference)
    assert (entity["name"], entity["charter"]["purpose"]) == ("Larkspur", MOTTO)
    assert browser.get(url(application)).errors == []


def test_while_the_service_is_down_everything_is_saved_here_and_sent_later(
    browser: InProcessBrowser, application: Application, transport: FlakyTransport, service: FormationService
) -> None:
    transport.fail_on("", unreachable)
    saved = save(browser, fill(browser.get(url(application)), name=NAME))
    drain()
    assert saved.status == 200
    for more in ("", "people/", "shares/", "documents/", "check/", "sections/funds/", "sections/the-company/"):
        assert browser.get(url(application, more)).status == 200
    assert "Waiting to retry" in browser.get(url(application, "")).words
    assert raw(application)["entity.name"] == NAME

    transport.clear()
    drain()
    (entity,) = service.entities(client_reference=application.reference)
    assert entity["name"] == NAME
    assert "Waiting to retry" not in browser.get(url(application, "")).words


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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (factories.PDF + b"0" * 10_000_000, "10 MB or smaller"),
        (b"", "This one is empty"),
        (b"MZ no document at all", "The file must be a PDF, JPEG or PNG"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_at_its_slot_and_all_else_is_kept(
    browser: InProcessBrowser, application: Application, content: bytes, words: str
) -> None:
    browser.client.post(
        url(application, "documents/"), {"slot": "/Business plan", "file": factories.upload(name="plan.pdf")}
    )
    save(browser, fill(browser.get(url(application)), name=NAME))
    page = browser.get(url(application, "documents/"))
    form = next(one for one in page.forms if any(control.kind == "file" for control in one.controls))
    file = next(control for control in form.controls if control.kind == "file")
    data = dict(form.data(form.buttons[0])) | {file.name: SimpleUploadedFile("new.pdf", content)}
    response = browser.client.post(url(application, "documents/"), data)
    refused = Page(response.content.decode(), page.address, response.status_code)
    assert refused.status == 422
    assert any(words in line for line in refused.errors)
    assert words in words_of(refused.root.get_element_by_id(f"{file.id}-error"))
    [document] = open_draft(application).documents
    assert document.name == "plan.pdf"
    assert raw(application) == {"entity.name": NAME}


@pytest.fixture
def complete(application: Application, owner: Any) -> Draft:
    """The application with nothing missing."""
    draft = open_draft(application)
    factories.fill_in(draft, by=owner)
    return draft


def test_submitting_twice_submits_once(
    complete: Draft, browser: InProcessBrowser, transport: FlakyTransport, service: FormationService
) -> None:
    form = browser.get(url(complete.application, "check/")).form(button="Submit")
    for one in form.controls:
        one.filled = [one.options[0].value]
    receipts = [browser.send(form, form.button("Submit")) for _ in range(2)]
    drain()
    drain()
    assert receipts[0].address == receipts[1].address
    assert "Submitted" in receipts[1].words
    (entity,) = service.entities(client_reference=complete.application.reference)
    assert entity["status"] == "submitted_for_review"
    assert transport.endpoints.count("POST entities/submit") == 1
    assert transport.endpoints.count("POST entities") == 1


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


def test_going_back_and_sending_once_more_makes_nothing_twice(
    browser: InProcessBrowser, application: Application, transport: FlakyTransport, service: FormationService
) -> None:
    form = fill(browser.get(url(application)), name=NAME)
    assert [save(browser, form).status for _ in range(2)] == [200, 200]

    adding = browser.get(url(application, "people/new/?kind=person&role=director")).form(button="Add and continue")
    party, once_more = (browser.send(adding, adding.button("Add")) for _ in range(2))
    assert party.address == once_more.address
    typed = answers(party)
    for words, value in (("First name", "Grace"), ("Last name", "Hopper"), ("E-mail", "grace@example.com")):
        typed.control(words).filled = [value]
    assert [save(browser, typed).status for _ in range(2)] == [200, 200]
    drain()
    assert [row.label for row in open_draft(application).parties] == ["Grace Hopper"]
    (entity,) = service.entities(client_reference=application.reference)
    assert len(service.records(entity["id"], Collection.PARTIES)) == 1
    assert transport.endpoints.count("POST entities/parties") == 1
    assert transport.endpoints.count("POST entities") == 1
