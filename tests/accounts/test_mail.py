"""The e-mails of allauth go into the outbox, with addresses of the portal's own."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client

from formation_portal.mail.models import Email

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("to", "kind", "link"),
    [
        ("owner@example.com", "password_reset", "https://portal.example/accounts/password/reset/key/"),
        ("nobody@example.com", "account_unknown", "https://portal.example/accounts/signup/"),
    ],
)
def test_a_forgotten_password_gets_an_email_whatever_a_request_calls_this_host(
    owner: Any, settings: Any, to: str, kind: str, link: str
) -> None:
    settings.PORTAL_URL, settings.ALLOWED_HOSTS = "https://portal.example", ["*"]
    Client(headers={"host": "evil.example"}).post("/accounts/password/reset/", {"email": to})
    email = Email.objects.get()
    assert (email.kind, email.to) == (kind, to)
    assert link in email.text
    assert link in email.html
    assert "evil.example" not in email.text + email.html
    assert mail.outbox == []
