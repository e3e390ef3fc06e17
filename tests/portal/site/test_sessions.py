"""Pages say when the session ends, warn five minutes before, and let it be extended with one press."""

from typing import Any

import pytest
from django.test import Client

from tests.accounts.test_sessions import minutes_left, used
from tests.markup import Markup

pytestmark = pytest.mark.django_db

BY_ITSELF = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _an_hour(settings: Any) -> None:
    settings.SESSION_COOKIE_AGE = 3600


def delay(markup: Markup) -> int:
    """In how many seconds the page asks again."""
    trigger = markup.one("p", id="session-clock").attributes["hx-trigger"]
    return int(trigger.removeprefix("load delay:").removesuffix("s"))


def test_a_page_says_when_the_session_ends_and_asks_again_five_minutes_before(as_owner: Client) -> None:
    page = Markup(as_owner.get("/applications/").content.decode())
    assert "You stay signed in until" in page.one("p", id="session-clock").text
    assert 54 * 60 <= delay(page) <= 55 * 60
    assert page.one("div", id="session").text == ""


def test_in_the_last_five_minutes_one_is_warned_and_extends_it_with_one_press(as_owner: Client) -> None:
    used(as_owner, minutes_ago=56)
    answer = Markup(as_owner.get("/session/", headers=BY_ITSELF).content.decode())
    assert "You will be signed out on" in answer.one("div", id="session").text
    assert "Stay signed in" in answer.one("button").text
    assert 0 < len(answer.one("p", id="announcer").text) < 100
    assert 4 * 60 <= delay(answer) <= 4 * 60 + 2
    answer = Markup(as_owner.post("/session/extension/", headers=BY_ITSELF).content.decode())
    assert "You stay signed in until" in answer.one("div", id="session").text
    assert minutes_left(as_owner) == 60
    assert as_owner.get("/applications/").status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_after_the_end_that_is_said_and_nothing_is_opened(as_nobody: Client, method: str) -> None:
    path = "/session/" if method == "get" else "/session/extension/"
    answer = Markup(getattr(as_nobody, method)(path, headers=BY_ITSELF).content.decode())
    assert "You have been signed out" in answer.one("div", id="session").text
    assert "hx-get" not in answer.one("p", id="session-clock").attributes
    assert 0 < len(answer.one("p", id="announcer").text) < 100
    assert getattr(as_nobody, method)(path)["Location"] == "/accounts/login/"
