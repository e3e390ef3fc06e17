"""A form that was posted without a session is kept until it has arrived."""

from typing import Any

import pytest
from django.contrib.sessions.backends.cache import SessionStore
from django.http import HttpResponse
from django.test import RequestFactory

from formation_portal.accounts import sign_in
from formation_portal.accounts.sign_in import UnsentForm

_PATH = "/applications/AB12/?row=1"
_KEPT = {"path": _PATH, "controls": [["q:name", ["Larkfield", ""]]], "had_files": True}


def _request(method: str = "post", path: str = _PATH) -> Any:
    request = getattr(RequestFactory(), method)(path)
    request.session = SessionStore()
    request.session["unsent"] = _KEPT
    return request


@pytest.mark.parametrize(
    ("status", "is_kept"),
    [(200, False), (302, False), (399, False), (400, True), (403, True), (409, True), (422, False), (503, True)],
)
def test_it_is_dropped_once_it_was_taken_or_can_be_read_on_its_page(status: int, is_kept: bool) -> None:
    request = _request()
    response = HttpResponse(status=status)
    assert sign_in.forget_if_sent(request, response) is response
    assert (sign_in.unsent_form(request) is not None) is is_kept


@pytest.mark.parametrize("other", [{"method": "get"}, {"path": "/applications/AB12/"}, {"path": "/"}])
def test_reading_its_page_or_posting_elsewhere_keeps_it(other: dict[str, Any]) -> None:
    request = _request(**other)
    sign_in.forget_if_sent(request, HttpResponse())
    assert sign_in.unsent_form(request) == UnsentForm(_PATH, (("q:name", ("Larkfield", "")),), True)


def test_nothing_is_offered_where_nothing_was_kept() -> None:
    request = _request()
    sign_in.forget_unsent_form(request)
    assert sign_in.unsent_form(request) is None
    sign_in.forget_unsent_form(request)
    assert sign_in.forget_if_sent(request, HttpResponse()).status_code == 200
