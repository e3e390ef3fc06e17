"""Privacy, terms and accessibility: on every page's foot, true, and an operator's to replace."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project_settings
from django.test import Client
from pytest_django.fixtures import Settings

from formation_portal.accounts import guesses, guest_sessions, time_zones
from formation_portal.accounts.languages import THEME_COOKIE
from formation_portal.applications.draft import Draft
from formation_portal.invitations import codes, parts
from tests.invitations import mailbox
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SETTINGS = (project_settings.SESSION_COOKIE_NAME, project_settings.CSRF_COOKIE_NAME, "messages")


def page_of(client: Client, name: str, **headers: str) -> Markup:
    return Markup(client.get(f"/{name}/", headers=headers).content.decode())


def test_what_they_say_of_days_and_of_whom_to_write_to_is_what_is_set(as_nobody: Client, settings: Settings) -> None:
    settings.LETTER_DAYS, settings.SESSION_COOKIE_AGE = 12, 45 * 60
    settings.OPERATOR_NAME, settings.HELP_EMAIL = "Kite", "hello@kite.example"
    text = " ".join(page_of(as_nobody, "privacy").one("main").text.split())
    for words in (
        "Kite decides how your details are used.",
        "The content of e-mails: 12 days.",
        "for 45 minutes after",
        "Write to hello@kite.example",
    ):
        assert words in text
    settings.HELP_EMAIL = ""
    assert "Write to" not in page_of(as_nobody, "privacy").one("main").text


def test_every_cookie_that_is_set_is_listed_and_no_other(
    as_owner: Client, as_nobody: Client, complete: Draft, owner: Any
) -> None:
    """What a browser has after signing in, choosing the display, a message and opening a part by its code."""
    for choice in ({"language": "de"}, {"theme": "dark"}):
        as_owner.post("/display/", {**choice, "page": "/"})
    as_owner.get("/accounts/email/")
    party = complete.parties[0]
    invitation = parts.invite(complete, party, email="ada@example.com", by=owner, language="en")
    as_nobody.get(mailbox.latest_link("invitation"))
    codes.send_code(invitation)
    as_owner.post("/accounts/password/change/", {"oldpassword": "x"})
    as_owner.post("/accounts/logout/")
    set_ = {*as_owner.cookies, *as_nobody.cookies}
    assert {"language", THEME_COOKIE, guest_sessions._GUEST_COOKIE, *SETTINGS} <= set_
    listed = {name.strip() for one in page_of(Client(), "privacy").all("dt") for name in one.text.split(",")}
    assert set_ <= listed
    # That of a known device comes with a password, and the page's script names the time zone.
    later = {guesses._cookie_name(), time_zones.COOKIE}
    assert listed == {*SETTINGS, "language", THEME_COOKIE, guest_sessions._GUEST_COOKIE, *later}


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.OPERATOR_TEXTS = str(tmp_path)
    return tmp_path


def test_an_operators_text_takes_the_place_of_ours_in_its_language(as_nobody: Client, folder: Path) -> None:
    (folder / "privacy.html").write_text("<h2>Whom to ask</h2><p>Us.</p>")
    (folder / "privacy.de.html").write_text("<p>Uns.</p>")
    english = page_of(as_nobody, "privacy")
    assert "Whom to ask" in english.one("main").text
    assert "What we keep" not in english.one("main").text
    assert "Uns." in page_of(as_nobody, "privacy", **{"accept-language": "de"}).one("main").text
    # In a language that it was not written in, it is marked with its own.
    french = as_nobody.get("/privacy/", headers={"accept-language": "fr"}).content.decode()
    assert re.search(r'<div class="entry-body stack" lang="en"><h2>Whom to ask', french)
    # The others stay ours.
    assert "What the portal does" in page_of(as_nobody, "terms").one("main").text
