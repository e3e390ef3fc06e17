"""A session that nobody uses ends, and pages know when; forms posted too late are kept; guests have their own."""

import datetime as dt
import time
from typing import Any

import pytest
from django.contrib.sessions.backends.cache import SessionStore as CachedSession
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from formation_portal.accounts import guest_sessions, sessions, unsent_forms
from formation_portal.accounts.guest_sessions import GuestSession
from formation_portal.accounts.sessions import SessionExpiry, mark_as_background
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.core import encryption
from formation_portal.core.encryption import encrypt

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _an_hour(settings: Any) -> None:
    settings.SESSION_COOKIE_AGE = 3600


def used(client: Client, *, minutes_ago: float) -> None:
    """Make the session look as if it had last been used then."""
    session = client.session
    session["used_at"] = (timezone.now() - dt.timedelta(minutes=minutes_ago)).timestamp()
    session.save()
    stored = Session.objects.get(session_key=sessions.key_digest(session.session_key))
    stored.expire_date = timezone.now() + dt.timedelta(minutes=60 - minutes_ago)
    stored.save()


def minutes_left(client: Client) -> int:
    stored = Session.objects.get(session_key=sessions.key_digest(client.session.session_key))
    return round((stored.expire_date - timezone.now()).total_seconds() / 60)


@pytest.mark.parametrize(
    ("status", "by_itself", "is_use"),
    [(200, False, True), (422, False, True), (500, False, False), (200, True, False)],
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


@pytest.mark.parametrize(
    ("seconds_ago", "is_used", "left"),
    [(3000, True, 3600), (3000, False, 600), (60, True, 3600), (59, True, 3541)],
)
def test_what_is_left_of_a_session_counts_the_present_use(
    as_owner: Client, owner: Any, monkeypatch: pytest.MonkeyPatch, seconds_ago: int, is_used: bool, left: int
) -> None:
    now = int(timezone.now().timestamp())
    monkeypatch.setattr(sessions, "_now", lambda: now)
    request = RequestFactory().get("/")
    request.session, request.user = as_owner.session, owner
    request.session["used_at"] = now - seconds_ago
    assert sessions.seconds_left(request, is_used=is_used) == left


def test_pages_that_ask_by_themselves_and_visitors_cost_nothing(
    as_owner: Client, as_nobody: Client, django_assert_num_queries: Any
) -> None:
    as_nobody.get("/accounts/login/")
    assert Session.objects.count() == 1, "the owner's"
    used(as_owner, minutes_ago=50)
    as_owner.get("/session/", headers={"HX-Request": "true"})
    assert minutes_left(as_owner) == 10
    used(as_owner, minutes_ago=0.5)
    as_owner.get("/session/")
    with django_assert_num_queries(2):
        as_owner.get("/session/")


def test_a_session_is_encrypted_in_its_row(as_owner: Client, owner: Any) -> None:
    as_owner.get("/accounts/2fa/totp/activate/")
    kept, row, cookie = as_owner.session.load(), Session.objects.get(), as_owner.cookies["sessionid"].value
    assert kept["_auth_user_id"] == str(owner.pk)
    assert encryption.has_newest_key(row.session_data)
    assert dict(sessions.SessionStore.from_row(row.session_key).items()) == kept
    # Whatever is not encrypted by a key that we have is no session.
    for data in ("00000000:" + row.session_data.partition(":")[2], SessionStore().encode(kept)):
        Session.objects.update(session_data=data)
        assert as_owner.get("/applications/").status_code == 302
        as_owner.cookies["sessionid"] = cookie


def test_keys_are_rotated_in_sessions_and_nobody_is_signed_out(as_owner: Client, monkeypatch: Any) -> None:
    before = Session.objects.get().session_data
    older, newer = encryption.key_ring().text, encryption.new_key()
    monkeypatch.setattr(encryption, "_ring", encryption.KeyRing(f"{newer} {older}"))
    sessions.reencrypt()
    after = Session.objects.get().session_data
    assert after != before
    sessions.reencrypt()
    assert Session.objects.get().session_data == after
    monkeypatch.setattr(encryption, "_ring", encryption.KeyRing(newer))
    monkeypatch.setattr(encryption, "read_ring_again", encryption.key_ring)
    assert as_owner.get("/applications/").status_code == 200


_PATH = "/applications/AB12/?row=1"


def _posted(method: str = "post", path: str = _PATH) -> Any:
    request = getattr(RequestFactory(), method)(path)
    request.session = CachedSession()
    controls = encrypt(b'[["q:name", ["Larkfield", ""]]]', f"unsent form\x1f{_PATH}")
    request.session["unsent"] = {"path": _PATH, "controls": controls, "had_files": True}
    return request


@pytest.mark.parametrize(
    ("status", "is_kept"),
    [(200, False), (399, False), (400, True), (409, True), (422, False), (503, True)],
)
def test_an_unsent_form_is_dropped_once_it_was_taken_or_can_be_read_on_its_page(status: int, is_kept: bool) -> None:
    request = _posted()
    response = HttpResponse(status=status)
    assert unsent_forms.forget_if_sent(request, response) is response
    assert (unsent_forms.unsent_form(request) is not None) is is_kept


@pytest.mark.parametrize(("method", "path"), [("get", _PATH), ("post", "/applications/AB12/")])
def test_reading_its_page_or_posting_elsewhere_keeps_an_unsent_form(method: str, path: str) -> None:
    request = _posted(method, path)
    unsent_forms.forget_if_sent(request, HttpResponse())
    assert unsent_forms.unsent_form(request) == UnsentForm(_PATH, (("q:name", ("Larkfield", "")),), True)


def _found(cookie: str, reference: str) -> GuestSession | None:
    request = RequestFactory().get("/")
    request.COOKIES["part"] = cookie
    return guest_sessions.find_guest_session(request, reference)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_guests_session_is_found_as_it_was_given_and_for_its_part_alone(is_known: bool) -> None:
    given = GuestSession("AB12", 3, is_known, epoch=8)
    cookie = guest_sessions.start_guest_session(HttpResponse(), given).cookies["part"]
    assert _found(cookie.value, "AB12") == given
    assert _found(cookie.value, "AB13") is None
    assert _found(cookie.value.replace("AB12", "AB13"), "AB13") is None
    assert _found("", "AB12") is None


def test_a_guests_session_ends_after_half_a_day_whatever_the_browser_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = guest_sessions.start_guest_session(HttpResponse(), GuestSession("AB12", 1)).cookies["part"]
    now = time.time()
    for later, is_there in ((43_190, True), (43_210, False)):
        with monkeypatch.context() as patched:
            patched.setattr("django.core.signing.time.time", lambda later=later: now + later)
            assert (_found(cookie.value, "AB12") is not None) is is_there


def test_the_browser_sends_a_guests_session_to_the_parts_own_addresses_alone_until_it_is_taken_back() -> None:
    response = guest_sessions.start_guest_session(HttpResponse(), GuestSession("AB12", 1))
    cookie = response.cookies["part"]
    path = cookie["path"]
    assert path.endswith("/AB12/")
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 43_200)
    guest_sessions.end_guest_session(response, "AB12")
    cookie = response.cookies["part"]
    assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", 0, path)
