"""A guest's pass opens one part, in the browser that has opened its link, for half a day."""

import time

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from formation_portal.accounts import guest_sessions
from formation_portal.accounts.guest_sessions import GuestSession


def _found(cookie: str, reference: str) -> GuestSession | None:
    request = RequestFactory().get("/")
    request.COOKIES["part"] = cookie
    return guest_sessions.find(request, reference)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_pass_is_found_as_it_was_given_and_for_its_part_alone(is_known: bool) -> None:
    given = GuestSession("AB12", 3, is_known)
    cookie = guest_sessions.start(HttpResponse(), given).cookies["part"]
    assert _found(cookie.value, "AB12") == given
    assert _found(cookie.value, "AB13") is None
    assert _found(cookie.value.replace("AB12", "AB13"), "AB13") is None
    assert _found("", "AB12") is None


def test_the_browser_sends_it_to_the_parts_own_addresses_alone_and_shows_it_to_no_script() -> None:
    cookie = guest_sessions.start(HttpResponse(), GuestSession("AB12", 1)).cookies["part"]
    assert cookie["path"].endswith("/AB12/")
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 43_200)


def test_it_ends_after_half_a_day_whatever_the_browser_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = guest_sessions.start(HttpResponse(), GuestSession("AB12", 1)).cookies["part"]
    now = time.time()
    for later, is_there in ((43_190, True), (43_210, False)):
        with monkeypatch.context() as patched:
            patched.setattr("django.core.signing.time.time", lambda later=later: now + later)
            assert (_found(cookie.value, "AB12") is not None) is is_there


def test_an_ended_pass_is_taken_back_where_it_was_put() -> None:
    response = guest_sessions.start(HttpResponse(), GuestSession("AB12", 1))
    path = response.cookies["part"]["path"]
    guest_sessions.end(response, "AB12")
    cookie = response.cookies["part"]
    assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", 0, path)
