"""Every page and state as the server draws it, fetched without a browser: each appearance of each page once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.utils.http import urlencode

from formation_portal.accounts.demo import PASSWORD, ensure_demo_accounts
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.ui.forms.form_data import recognised_answers
from tests.invitations import mailbox
from tests.journeys.accessibility import test_barriers as states
from tests.journeys.clients import FORM, InProcessBrowser
from tests.journeys.page import Control, Form
from tests.journeys.page_states.documents import document_states
from tests.journeys.page_states.mail_and_sessions import mail_and_session_states
from tests.journeys.page_states.people import people_states
from tests.journeys.page_states.privacy import privacy_states
from tests.journeys.page_states.screenshots import Shot, Story
from tests.journeys.page_states.sharing import sharing_states
from tests.journeys.page_states.workbench import workbench_states
from tests.other_service import schemas

_HEAD = '<!doctype html><html lang="en"><head><title>Parts</title></head>'
_AROUND_PARTS = _HEAD + '<body><form id="answers"></form>{}</body></html>'
_ERROR_PAGES = ("400.html", "500.html", "503.html")


@dataclass(frozen=True)
class SeenPage:
    """A document as it came."""

    address: str
    status: int
    html: str
    who: str
    # Regions that answer a change, in a document of our own.
    is_part: bool = False

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return f"{self.address} ({'parts, ' if self.is_part else ''}{self.status}, {self.who})"


class RecordingClient(Client):
    """Keeps each document that is drawn by other templates, by another view or with another status than any before."""

    def __init__(self, who: str, seen: dict[Any, SeenPage]) -> None:
        super().__init__()
        self._who = who
        self._seen = seen

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        is_html = response.get("Content-Type", "").startswith("text/html") and not response.streaming
        if is_html and response.content:
            is_part = "HX-Request" in response.wsgi_request.headers
            templates = frozenset(one.name for one in response.templates)
            match = response.wsgi_request.resolver_match
            look = (match and match.view_name, response.status_code, templates, is_part)
            html = response.content.decode()
            html = _AROUND_PARTS.format(html) if is_part else html
            self._seen.setdefault(look, SeenPage(request["PATH_INFO"], response.status_code, html, self._who, is_part))
        return response


def every_page() -> list[SeenPage]:
    """All of them: those of the story, the error pages, and the pages that only a fault of ours shows."""
    seen: dict[Any, SeenPage] = {}
    ensure_demo_accounts()
    browsers = {"nobody": InProcessBrowser(RecordingClient("nobody", seen))}
    for who, email in (("customer", "demo@example.com"), ("agent", "agent@example.com")):
        client = RecordingClient(who, seen)
        client.force_login(
            get_user_model().objects.get(email=email), backend="allauth.account.auth_backends.AuthenticationBackend"
        )
        # The page that deletes an account asks for the password first.
        client.post("/accounts/reauthenticate/", {"password": PASSWORD})
        browsers[who] = InProcessBrowser(client)
    for shot in _shots(browsers):
        browsers[shot.who].get(shot.address)
    return [*seen.values(), *_drawn_by_faults()]


def _shots(browsers: dict[str, InProcessBrowser]) -> Iterator[Shot]:
    """The pages to open, each while it is in the state that it is named for."""
    story = Story(browsers["customer"], browsers["agent"])
    for stage in (story.at_first, story.untouched, story.halfway, story.complete):
        for shot in stage():
            yield shot
            for mistake in _MISTAKES.get(shot.name, ()):
                mistake(browsers[shot.who], shot.address)
    yield from story.submitted()
    yield Shot("gallery", "/gallery/", who="nobody")
    yield from states._after_the_story()
    yield from people_states()
    yield from document_states()
    yield from privacy_states()
    for shot in workbench_states():
        yield shot
        for mistake in _MISTAKES.get(shot.name, ()):
            mistake(browsers[shot.who], shot.address)
    for shot in mail_and_session_states():
        # What takes a browser's script or time is looked at there.
        if shot.act is None:
            yield shot
    for shot in sharing_states():
        yield shot
        for mistake in _MISTAKES.get(shot.name, ()):
            mistake(browsers[shot.who], shot.address)
    yield Shot("not-found", "/applications/FP-0000-0000-0000/")
    yield Shot("not-found-outside", "/nowhere/", who="nobody")
    yield Shot("forbidden", "/desk/")
    yield Shot("interface", "/api/v1/docs", who="nobody")
    with states._no_service():
        yield Shot("no-catalog", "/", who="nobody")


def _mistyping(browser: InProcessBrowser, address: str, *, button: str, filled: dict[str, str]) -> None:
    """Fill in something that can't be taken, and send it."""
    form = browser.get(address).form(button=button)
    for words, typed in filled.items():
        for control in _called(form, words):
            control.filled = [typed]
    browser.send(form, form.button(button))


def _called(form: Form, words: str) -> list[Control]:
    return [one for one in form.controls if words in one.words and one.kind not in ("radio", "checkbox", "file")]


def _saving_what_is_old(browser: InProcessBrowser, address: str) -> None:
    form = browser.get(address).form(button="Save")
    form.fixed = [(name, "0" if name in ("version", "drawn") else value) for name, value in form.fixed]
    form.control("First choice of name").filled = ["Larkfield Group"]
    browser.send(form, form.button("Save"))


def _changing(browser: InProcessBrowser, address: str) -> None:
    """Choose something else, as script posts it, one question after another."""
    form = browser.get(address).form(button="Save")
    for control in form.controls:
        offered = [one.value for one in control.options if one.value and [one.value] != control.filled]
        if control.kind != "file":
            control.filled = offered[:1] or control.filled or ["12"]
            body = urlencode(form.data())
            browser.client.post(address, body, content_type=FORM, headers={"HX-Request": "true"})


def _trying_out(browser: InProcessBrowser, address: str) -> None:
    """Change something at the workbench, as script posts it; then compare with what is wrong, and add somebody."""
    form = browser.get(address).form(button="Show")
    body = urlencode([*form.data(), ("add", "person:director")])
    browser.client.post("/workbench/", body, content_type=FORM, headers={"HX-Request": "true"})
    browser.client.post("/workbench/", f"{body}&other_schema=%7B", content_type=FORM)
    circle = urlencode({"schema": json.dumps(schemas.FAULTY[0])})
    browser.client.post("/workbench/", circle, content_type=FORM)


def _entering_the_code(browser: InProcessBrowser, address: str) -> None:
    form = browser.get(address).form(button="Open your part")
    form.control("Code").filled = [mailbox.latest_code()]
    browser.send(form, form.button("Open your part"))


def _being_done(browser: InProcessBrowser, address: str) -> None:
    form = browser.get(address).form(button="I have finished")
    browser.send(form, form.button("I have finished"))


_MISTAKES: dict[str, tuple[Any, ...]] = {
    "section": (_changing,),
    "party-company": (_changing,),
    "section-top": (_changing,),
    "sign-in": (partial(_mistyping, button="Sign in", filled={"E-mail": "ida@example.com", "Password": "not this"}),),
    "sign-up": (partial(_mistyping, button="", filled={}),),
    "section-addresses": (partial(_mistyping, button="Save", filled={"": "9" * 600}),),
    "section-conflict": (_saving_what_is_old,),
    "party": (partial(_mistyping, button="Save", filled={"Date of birth": "99"}),),
    "shares": (_changing, partial(_mistyping, button="Save", filled={"": "many"})),
    "share-class": (
        _changing,
        partial(_mistyping, button="Save", filled={"": "many " * 120}),
    ),
    "party-new-kind": (partial(_mistyping, button="", filled={}),),
    "invitation": (partial(_mistyping, button="Send", filled={"e-mail": "ada"}),),
    "part-code-wrong": (partial(_mistyping, button="Open your part", filled={"Code": "12"}),),
    "part": (_entering_the_code, _changing),
    "part-missing": (_being_done,),
    "part-completion": (_being_done,),
    "workbench": (partial(_mistyping, button="Show", filled={"Schema": "{"}),),
    "workbench-product": (partial(_mistyping, button="Show", filled={}), _trying_out),
    "part-errors": (partial(_mistyping, button="Save", filled={"Date of birth": "99"}),),
    "access": (partial(_mistyping, button="Send invitation", filled={"e-mail": "ada"}),),
    "check-complete": (partial(_mistyping, button="Submit", filled={}),),
}


def _drawn_by_faults() -> Iterator[SeenPage]:
    request = RequestFactory().get("/")
    for name in _ERROR_PAGES:
        yield SeenPage(name, int(name[:3]), render_to_string(name, {}, request=request), "nobody")
    controls = (("q:name", ("Larkfield Holdings and Sons " * 5,)), ("q:purpose", ("x" * 200,)))
    kept = {
        "unsent": UnsentForm("/", controls, had_files=True),
        "typed": recognised_answers(controls),
        "csrf_token": "t",
    }
    html = render_to_string("503.html", {"outage": "full", **kept}, request=request)
    yield SeenPage("503.html with a form", 503, html, "nobody")
