"""No cache keeps a page that is somebody's, also where nobody has a session."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.core.background import run_hourly_tasks
from formation_portal.invitations.models import Invitation
from formation_portal.portal import urls
from tests.invitations.conftest import ada, invitation
from tests.portal.sharing.test_part import url

__all__ = ["ada", "invitation"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def is_kept_nowhere(response: Any) -> bool:
    b"".join(response)  # a file is read to its end, and so closed
    return "no-store" in response.headers.get("Cache-Control", "")


def addresses_of(draft: Draft) -> dict[str, str]:
    """Return every address of an application by its name, with numbers and tokens that are there."""
    tokens = {"token": "ada", "party": "ada", "share_class": "ordinary", "key": "the-company"}
    arguments = tokens | {"number": draft.application.documents.get().pk}
    addresses = {}
    for pattern in urls.application:
        named = {name: arguments.get(name, 1) for name in pattern.pattern.converters}
        named["reference"] = draft.application.reference
        if pattern.name in ("share_class", "share_class_removal"):
            named["token"] = "ordinary"
        addresses[pattern.name] = reverse(f"portal:{pattern.name}", kwargs=named)
    return addresses


def test_no_page_of_an_application_is_kept(as_owner: Client, complete: Draft) -> None:
    kept = [name for name, address in addresses_of(complete).items() if not is_kept_nowhere(as_owner.get(address))]
    assert kept == []


def test_what_was_typed_at_a_part_that_is_shut_is_kept_nowhere(invitation: Invitation, as_nobody: Client) -> None:
    typed = {"q:person.first_name": "Ada"}
    for more in ("", "code/", "renewal/", "leave/"):
        assert is_kept_nowhere(as_nobody.get(url(invitation, more))), more
        assert is_kept_nowhere(as_nobody.post(url(invitation, more), typed)), more


def test_pages_of_accounts_and_a_form_that_is_shown_again_are_kept_nowhere(as_nobody: Client) -> None:
    for path in ("/accounts/confirm-email/x/", "/accounts/password/reset/", "/accounts/login/"):
        assert is_kept_nowhere(as_nobody.get(path)), path
    browser = Client(enforce_csrf_checks=True, headers={"Origin": "http://testserver"})
    response = browser.post("/applications/FP-0000-0000-0000/people/new/", {"q:person.first_name": "Ada"})
    assert response.status_code == 403
    assert "Ada" in response.content.decode()
    assert is_kept_nowhere(response)


def test_what_was_typed_goes_with_the_session_once_that_is_over(db: None) -> None:
    for days in (-1, 1):
        session = SessionStore()
        session["unsent"] = {"controls": [["q:person.first_name", ["Ada"]]]}
        session.set_expiry(timezone.now() + timedelta(days=days))
        session.save()
    run_hourly_tasks()
    assert [one.expire_date > timezone.now() for one in Session.objects.all()] == [True]
