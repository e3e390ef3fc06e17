"""The e-mails of allauth go into the outbox, in our own layout, with addresses of the portal's own."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from formation_portal.mail.models import Email

from .test_sign_up import NEW

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _address(settings: Any) -> None:
    settings.PORTAL_URL = "https://portal.example"


def link(letter: Email) -> str:
    """The path that the e-mail's link leads to."""
    found = re.findall(r"https://portal\.example(/accounts/\S+)", letter.text)
    assert len(found) == 1
    assert f"https://portal.example{found[0]}" in letter.html
    return str(found[0])


def test_signing_up_asks_for_a_confirmation_whose_link_works() -> None:
    client = Client()
    client.post("/accounts/signup/", NEW)
    letter = Email.objects.get()
    assert (letter.kind, letter.to) == ("confirmation", "ada@example.com")
    assert "Ada" not in letter.text + letter.html
    assert client.get(link(letter)).status_code == 200
    assert mail.outbox == []


def test_a_forgotten_password_gets_a_link_that_works(owner: Any) -> None:
    client = Client()
    client.post("/accounts/password/reset/", {"email": owner.email})
    letter = Email.objects.get()
    assert (letter.kind, letter.to) == ("password_reset", owner.email)
    page = client.get(link(letter), follow=True)
    assert "New password" in page.content.decode()


def test_a_password_that_nobody_has_is_told_too() -> None:
    Client().post("/accounts/password/reset/", {"email": "nobody@example.com"})
    letter = Email.objects.get()
    assert letter.kind == "account_unknown"
    assert link(letter) == "/accounts/signup/"


def test_no_address_in_an_email_is_what_a_request_calls_this_host(owner: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    Client(headers={"host": "evil.example"}).post("/accounts/password/reset/", {"email": owner.email})
    letter = Email.objects.get()
    assert "evil.example" not in letter.text + letter.html
