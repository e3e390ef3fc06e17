"""When a session ends: unused, in any case, with its account; where it is listed; and what takes more than one."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from formation_portal.accounts import sessions
from tests import factories
from tests.accounts.people import EMAIL, PASSWORD, add_app, app_code, is_in, person, sign_in, signed_in
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

HOUR, DAY = 60, 24 * 60


@pytest.fixture(autouse=True)
def _as_without_settings(settings: Any) -> None:
    settings.SESSION_COOKIE_AGE, settings.AGENT_SESSION_AGE = 30 * 60, 15 * 60
    settings.SESSION_LIFETIME = 12 * 60 * 60


class Clock:
    """What time it is for sessions, and for the database that holds them."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def goes_on(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


def used_for(client: Client, clock: Clock, *, minutes: int, every: int) -> int:
    """Use it every so many minutes; after how many it was found ended, or `minutes`."""
    for passed in range(0, minutes, every):
        if not is_in(client):
            return passed
        clock.goes_on(every)
    return minutes


@pytest.mark.parametrize(
    ("is_agent", "remember", "minutes"), [(False, {}, 30), (True, {}, 15), (True, {"remember": "on"}, 15)]
)
def test_a_session_that_nobody_uses_ends_an_agents_sooner(
    clock: Clock, is_agent: bool, remember: dict[str, str], minutes: int
) -> None:
    person(is_agent=is_agent)
    for away, is_there in ((minutes - 1, True), (minutes + 1, False)):
        client = signed_in(**remember)
        clock.goes_on(away)
        assert is_in(client) is is_there


@pytest.mark.parametrize(
    ("is_agent", "remember", "minutes"),
    [(False, {}, 12 * HOUR), (True, {"remember": "on"}, 12 * HOUR), (False, {"remember": "on"}, 21 * DAY)],
)
def test_every_session_ends_however_much_it_is_used(
    clock: Clock, is_agent: bool, remember: dict[str, str], minutes: int
) -> None:
    person(is_agent=is_agent)
    client = signed_in(**remember)
    every = 12 * HOUR if minutes > DAY else 14 if is_agent else 29
    minutes -= minutes % every
    assert used_for(client, clock, minutes=minutes + DAY, every=every) in (minutes, minutes + every)


def test_pages_know_the_end_that_comes_first_and_offer_only_what_helps(clock: Clock) -> None:
    person()
    client = signed_in()
    used_for(client, clock, minutes=12 * HOUR - 20, every=20)
    assert is_in(client)
    clock.goes_on(16)
    page = client.get("/session/", headers={"HX-Request": "true"}).content.decode()
    assert "You will be signed out on" in page
    assert "Save your work before then" in page
    assert "Stay signed in" not in page
    extended = client.post("/session/extension/", headers={"HX-Request": "true"}).content.decode()
    assert "You stay signed in until" not in re.sub(r'<p id="session-clock".*?</p>', "", extended, flags=re.DOTALL)
    clock.goes_on(5)
    assert not is_in(client)


def test_signing_in_and_another_password_give_the_session_another_number() -> None:
    person()
    client, other = Client(), signed_in()
    client.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    before = client.session.session_key
    sign_in(client)
    signed = client.session.session_key
    assert signed != before
    assert not Session.objects.filter(session_key=sessions.key_digest(before)).exists()
    new = "another long passphrase"
    posted = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/accounts/password/change/", posted)
    assert is_in(client)
    assert client.session.session_key != signed
    assert not Session.objects.filter(session_key=sessions.key_digest(signed)).exists()
    assert not is_in(other)
    assert Session.objects.count() == 1, "those of others are gone, and not only shut"


def test_a_disabled_account_is_out_at_once_and_its_sessions_stay_dead(
    capsys: pytest.CaptureFixture[str],
) -> None:
    user = person()
    clients = [signed_in(), signed_in(remember="on"), factories.browser_of(user)]
    cookies = [client.cookies["sessionid"].value for client in clients]
    call_command("account", "disable", EMAIL)
    assert capsys.readouterr().out == f"{EMAIL} can't sign in any more, and is signed out everywhere.\n"
    assert [is_in(client) for client in clients] == [False] * 3
    answer = sign_in(Client(), follow=True)
    assert "This account is closed" in str(Client().get(answer["Location"]).content.decode())
    call_command("account", "enable", EMAIL)
    assert capsys.readouterr().out == f"{EMAIL} can sign in again.\n"
    for cookie in cookies:
        client = Client()
        client.cookies["sessionid"] = cookie
        assert not is_in(client)
    assert is_in(signed_in())


def test_logging_out_ends_the_session_also_for_who_has_copied_it() -> None:
    person()
    client, copy = signed_in(), Client()
    copy.cookies["sessionid"] = client.cookies["sessionid"].value
    assert is_in(copy)
    client.post("/accounts/logout/")
    assert not is_in(copy)


def test_sessions_are_listed_and_ended_one_or_all_others() -> None:
    user = person()
    client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
    sign_in(client)
    phone = Client(
        headers={"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1"},
        REMOTE_ADDR="203.0.113.7",
    )
    sign_in(phone)
    third = factories.browser_of(user)  # in no list
    stranger = person("grace@example.com")
    hers = signed_in(email=stranger.email)
    page = client.get("/accounts/sessions/").content.decode()
    assert Markup(page).faults == []
    assert [one in page for one in ("Firefox, Linux", "Safari, iPhone", "203.0.113.7", "This device")] == [True] * 4
    client.post("/accounts/sessions/", {"session": UserSession.objects.get(user=stranger).pk})
    own = sessions.key_digest(client.session.session_key)
    client.post("/accounts/sessions/", {"session": UserSession.objects.get(session_key=own).pk})
    assert [is_in(one) for one in (client, phone, third, hers)] == [True] * 4
    client.post("/accounts/sessions/", {"session": Markup(page).one("button", name="session").attributes["value"]})
    assert [is_in(one) for one in (client, phone, third, hers)] == [True, False, True, True]
    client.post("/accounts/sessions/", {"all": "1"})
    assert [is_in(one) for one in (client, phone, third, hers)] == [True, False, False, True]
    assert client.post("/accounts/sessions/", {"session": "x"}).status_code == 302
    # Those that have ended are in the list no longer, nor in its table.
    own = sessions.key_digest(client.session.session_key)
    assert [one.session_key for one in sessions.listed_sessions(user)] == [own]
    assert {one.user: one.session_key == own for one in UserSession.objects.all()} == {user: True, stranger: False}
    assert UserSession.objects.count() == 2


def test_the_list_says_when_a_session_was_used_and_forgets_those_that_ended(clock: Clock) -> None:
    person()
    client = signed_in()
    clock.goes_on(10)
    assert is_in(client)
    assert UserSession.objects.get().last_seen_at == clock.now
    clock.goes_on(2 * HOUR)
    sessions.delete_expired_sessions()
    assert not UserSession.objects.exists()
    assert not Session.objects.exists()


# What takes more than a session: after a quarter of an hour somebody else may sit there.


@pytest.fixture
def late_agent(clock: Clock) -> Client:
    """Signed in for long enough to be asked."""
    person(is_agent=True)
    client = signed_in()
    clock.goes_on(14)
    assert is_in(client)
    clock.goes_on(2)
    return client


def test_a_link_to_a_file_leads_back_to_its_page_and_is_open_then(late_agent: Client) -> None:
    path = "/desk/audit/entries.csv"
    where = late_agent.get(path, headers={"Referer": "http://testserver/desk/audit/?page=2"})["Location"]
    assert where == "/accounts/reauthenticate/?next=%2Fdesk%2Faudit%2F%3Fpage%3D2"
    foreign = late_agent.get(path, headers={"Referer": "https://evil.example/desk/"})["Location"]
    assert foreign.endswith(f"?next={path.replace('/', '%2F')}")
    assert late_agent.post(where, {"password": "wrong", "next": "/desk/audit/"}).status_code == 200
    assert late_agent.get(path).status_code == 302
    late_agent.post(where, {"password": PASSWORD, "next": "/desk/audit/"})
    assert late_agent.get(path).status_code == 200


def test_to_show_numbers_asks_who_it_is_and_comes_back_to_the_page(late_agent: Client) -> None:
    page = "http://testserver/desk/FP-1/parties/p1/"
    answer = late_agent.post("/desk/FP-1/parties/p1/numbers/", headers={"HX-Request": "true", "HX-Current-URL": page})
    assert answer["HX-Redirect"] == "/accounts/reauthenticate/?next=%2Fdesk%2FFP-1%2Fparties%2Fp1%2F"
    plain = late_agent.post("/desk/FP-1/parties/p1/numbers/")
    assert plain["Location"].endswith("?next=%2Fdesk%2FFP-1%2Fparties%2Fp1%2Fnumbers%2F")


def test_what_was_posted_is_done_once_it_is_known_who_it_is(clock: Clock) -> None:
    person()
    client, other = signed_in(), signed_in()
    clock.goes_on(16)
    assert is_in(client)
    where = client.post("/accounts/sessions/", {"all": "1"})["Location"]
    assert where == "/accounts/reauthenticate/?next=%2Faccounts%2Fsessions%2F"
    assert is_in(other)
    assert "sessionid" not in str(dict(client.session)["account_reauthentication_state"])
    answer = client.post(where, {"password": PASSWORD, "next": "/accounts/sessions/"})
    assert answer["Location"] == "/accounts/sessions/"
    assert not is_in(other)
    assert is_in(client)


def test_a_code_confirms_who_it_is_where_no_password_is_at_hand(clock: Clock) -> None:
    user = person()
    secret = add_app(user)
    user.set_unusable_password()
    user.save()
    client, other = factories.browser_of(user), factories.browser_of(user)
    digest = sessions.key_digest(other.session.session_key)
    UserSession.objects.create(user=user, session_key=digest, ip="203.0.113.7", user_agent="x")
    clock.goes_on(16)
    where = client.post("/accounts/sessions/", {"all": "1"})["Location"]
    assert where == "/accounts/2fa/reauthenticate/?next=%2Faccounts%2Fsessions%2F"
    client.post(where, {"code": app_code(secret, time.time()), "next": "/accounts/sessions/"})
    assert not is_in(other)
