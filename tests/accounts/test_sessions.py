"""A session ends when nobody uses it, and pages know when."""

import datetime as dt
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from formation_portal.accounts.sessions import SessionExpiry, mark_as_background

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _an_hour(settings: Any) -> None:
    settings.SESSION_COOKIE_AGE = 3600


def used(client: Client, *, minutes_ago: float) -> None:
    """Make the session look as if it had last been used then."""
    session = client.session
    session["used_at"] = (timezone.now() - dt.timedelta(minutes=minutes_ago)).timestamp()
    session.save()
    stored = Session.objects.get(session_key=session.session_key)
    stored.expire_date = timezone.now() + dt.timedelta(minutes=60 - minutes_ago)
    stored.save()


def minutes_left(client: Client) -> int:
    stored = Session.objects.get(session_key=client.session.session_key)
    return round((stored.expire_date - timezone.now()).total_seconds() / 60)


def test_each_use_moves_the_end_ahead(as_owner: Client) -> None:
    used(as_owner, minutes_ago=50)
    assert as_owner.get("/applications/").status_code == 200
    assert minutes_left(as_owner) == 60


@pytest.mark.parametrize(
    ("status", "by_itself", "is_use"),
    [(200, False, True), (422, False, True), (500, False, False), (503, False, False), (200, True, False)],
)
def test_what_is_answered_is_a_use(as_owner: Client, status: int, by_itself: bool, is_use: bool) -> None:
    used(as_owner, minutes_ago=50)
    request = RequestFactory().get("/")
    request.session = as_owner.session
    last = request.session["used_at"]
    if by_itself:
        mark_as_background(request)
    SessionExpiry(lambda _: HttpResponse(status=status))(request)
    assert (request.session["used_at"] > last) is is_use


def test_a_request_that_does_not_look_into_its_session_is_no_use(as_owner: Client) -> None:
    used(as_owner, minutes_ago=50)
    request = RequestFactory().get("/")
    request.session = SessionStore(as_owner.session.session_key)
    SessionExpiry(lambda _: HttpResponse())(request)
    assert not request.session.accessed


def test_a_session_that_nobody_uses_ends(as_owner: Client) -> None:
    used(as_owner, minutes_ago=61)
    assert as_owner.get("/applications/").status_code == 302


def test_a_use_right_after_another_writes_nothing(as_owner: Client, django_assert_num_queries: Any) -> None:
    used(as_owner, minutes_ago=0.5)
    as_owner.get("/session/")
    with django_assert_num_queries(2):
        as_owner.get("/session/")


def test_a_page_that_asks_by_itself_keeps_no_session_alive(as_owner: Client) -> None:
    used(as_owner, minutes_ago=50)
    as_owner.get("/session/", headers={"HX-Request": "true"})
    assert minutes_left(as_owner) == 10


def test_whoever_asked_to_stay_signed_in_stays_for_weeks(owner: Any) -> None:
    owner.set_password("quite-a-long-one")
    owner.save()
    client = Client()
    client.post("/accounts/login/", {"login": owner.email, "password": "quite-a-long-one", "remember": "on"})
    assert minutes_left(client) > 14 * 24 * 60
    assert "session-clock" not in client.get("/applications/").content.decode()


def test_nobody_has_no_session(as_nobody: Client) -> None:
    page = as_nobody.get("/accounts/login/")
    assert "session-clock" not in page.content.decode()
    assert not Session.objects.exists()
