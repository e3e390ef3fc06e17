"""The e-mail address is the login."""

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError
from django.test import Client

from formation_portal.accounts.models import User

pytestmark = pytest.mark.django_db


def test_an_address_has_one_spelling() -> None:
    user = User.objects.create_user(" Ada@Example.COM ", "a-long-password")
    assert user.email == "ada@example.com"


def test_an_address_opens_one_account() -> None:
    User.objects.create_user("ada@example.com")
    with pytest.raises(IntegrityError):
        User.objects.create_user("ADA@example.com")


def test_a_user_needs_an_address() -> None:
    with pytest.raises(ValueError, match="e-mail"):
        User.objects.create_user("")


def test_a_customer_is_no_agent() -> None:
    assert not User.objects.create_user("ada@example.com").is_agent


def test_one_signs_up_and_is_signed_in() -> None:
    client = Client()
    names = {"first_name": "Ada", "last_name": "Byron"}
    credentials = {"email": "new@example.com", "password1": "quite-a-long-one", **names}
    response = client.post("/accounts/signup/", credentials)
    assert response.status_code == 302
    assert client.get("/applications/").status_code == 200
    assert authenticate(email="new@example.com", password="quite-a-long-one")
