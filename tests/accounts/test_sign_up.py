"""Signing up and in."""

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError
from django.test import Client

from tests.accounts.people import EMAIL, PASSWORD, person, sign_in

pytestmark = pytest.mark.django_db

NEW = {"first_name": "Ada", "last_name": "Byron", "email": EMAIL, "password1": PASSWORD}


@pytest.mark.parametrize(("is_agent", "address"), [(True, "/desk/"), (False, "/applications/")])
@pytest.mark.parametrize("wanted", ["", "http://[", "https://elsewhere.example/"])
def test_signing_in_leads_agents_to_the_desk_and_nobody_elsewhere(is_agent: bool, address: str, wanted: str) -> None:
    person(is_agent=is_agent)
    assert sign_in(Client(), next=wanted)["Location"] == address


# A name that nobody sees, a password that many have, and a short one.
WRONG = [{"first_name": "\u200e \u3164"}, {"password1": "qwertyuiop123"}, {"password1": "short-1"}]


@pytest.mark.parametrize("wrong", [*({name: ""} for name in NEW), *WRONG])
def test_what_is_wrong_opens_no_account_and_the_rest_is_kept(wrong: dict[str, str]) -> None:
    answer = Client().post("/accounts/signup/", NEW | wrong)
    page = answer.content.decode()
    assert not get_user_model().objects.exists()
    assert "error" in page
    assert all(value in page for name, value in NEW.items() if name not in wrong and name != "password1")
    assert NEW["password1"] not in page


def test_names_and_address_are_cleaned_and_the_password_is_not() -> None:
    password = "a long\u200b enough passphrase"
    typed = {"first_name": "Ada\tMary\u200b", "last_name": "\u202aByron\u202c", "email": "\u2060Ada@example.com\u200b"}
    client = Client()
    assert client.post("/accounts/signup/", typed | {"password1": password}).status_code == 302
    assert client.get("/applications/").status_code == 200
    user = get_user_model().objects.get(email="ada@example.com")
    assert (user.first_name, user.last_name, user.is_agent) == ("Ada Mary", "Byron", False)
    assert user.check_password(password)
    assert sign_in(Client(), password, f"{EMAIL}\u200b")["Location"] == "/applications/"


def test_who_has_one_name_only_ticks_it() -> None:
    Client().post("/accounts/signup/", NEW | {"one_name": "on", "first_name": "", "last_name": "Sukarno"})
    user = get_user_model().objects.get()
    assert (user.first_name, user.last_name, user.called) == ("", "Sukarno", "Sukarno")


def test_an_international_domain_opens_the_account_in_every_browser() -> None:
    Client().post("/accounts/signup/", NEW | {"email": "ada@bücher.example"})
    assert get_user_model().objects.get().email == "ada@xn--bcher-kva.example"
    for login in ("ada@bücher.example", "ada@xn--bcher-kva.example"):
        signed_in = Client().post("/accounts/login/", {"login": login, "password": NEW["password1"]})
        assert signed_in["Location"] == "/applications/"


def test_an_address_has_one_spelling_and_opens_one_account() -> None:
    assert get_user_model().objects.create_user(" Ada@Example.COM ").email == "ada@example.com"
    Client().post("/accounts/signup/", NEW | {"email": "ADA@example.com\u200b"})
    assert get_user_model().objects.count() == 1
    with pytest.raises(IntegrityError):
        get_user_model().objects.create_user("ADA@example.com")
