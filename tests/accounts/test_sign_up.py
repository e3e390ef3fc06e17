"""Signing up and in, in the portal's words."""

import re
from typing import Any

import pytest
from allauth.account.forms import SignupForm
from django.contrib.auth import get_user_model
from django.test import Client

from formation_portal.accounts import addresses

pytestmark = pytest.mark.django_db

NEW = {
    "first_name": "Ada",
    "last_name": "Byron",
    "email": "ada@example.com",
    "password1": "a long enough passphrase",
}


def test_signing_up_makes_an_account_with_its_names_and_signs_in() -> None:
    client = Client()
    answer = client.post("/accounts/signup/", NEW)
    assert answer.status_code == 302
    user = get_user_model().objects.get(email="ada@example.com")
    assert (user.first_name, user.last_name, user.is_agent) == ("Ada", "Byron", False)
    assert client.get("/applications/").status_code == 200


@pytest.mark.parametrize(("is_agent", "address"), [(True, "/desk/"), (False, "/applications/")])
@pytest.mark.parametrize("wanted", ["", "http://[", "https://elsewhere.example/"])
def test_signing_in_leads_agents_to_the_desk_and_nobody_elsewhere(is_agent: bool, address: str, wanted: str) -> None:
    addresses.confirm(get_user_model().objects.create_user("ada@example.com", NEW["password1"], is_agent=is_agent))
    posted = {"login": "ada@example.com", "password": NEW["password1"], "next": wanted}
    assert Client().post("/accounts/login/", posted)["Location"] == address


@pytest.mark.parametrize("missing", NEW)
def test_what_is_missing_is_said_at_its_field_and_the_rest_is_kept(missing: str) -> None:
    answer = Client().post("/accounts/signup/", NEW | {missing: ""})
    page = answer.content.decode()
    assert not get_user_model().objects.exists()
    assert "error" in page
    kept = [value for name, value in NEW.items() if name not in (missing, "password1")]
    assert all(value in page for value in kept)


def complaint(address: str) -> str:
    """What a failed sign-in says, but for the address itself."""
    page = Client().post("/accounts/login/", {"login": address, "password": "wrong"}).content.decode()
    (words,) = set(re.findall(r"[^<>]*is wrong[^<>]*", page))
    return str(words)


def test_an_address_that_is_taken_meanwhile_ends_as_one_that_was_taken_before(monkeypatch: pytest.MonkeyPatch) -> None:
    page_of = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"| nonce=[\w-]+')
    get_user_model().objects.create_user(NEW["email"])
    known = Client().post("/accounts/signup/", NEW)
    get_user_model().objects.all().delete()
    try_save = SignupForm.try_save

    def after_another(form: Any, request: Any) -> Any:
        get_user_model().objects.create_user(NEW["email"])
        return try_save(form, request)

    monkeypatch.setattr(SignupForm, "try_save", after_another)
    client = Client()
    meanwhile = client.post("/accounts/signup/", NEW)
    assert meanwhile.status_code == known.status_code == 200
    assert page_of.sub("", meanwhile.content.decode()) == page_of.sub("", known.content.decode())
    assert "_auth_user_id" not in client.session
    assert get_user_model().objects.count() == 1


def test_no_word_tells_whether_an_address_is_known(owner: Any) -> None:
    assert complaint(owner.email) == complaint("nobody@example.com")


def test_the_words_are_the_portals() -> None:
    page = Client().get("/accounts/login/").content.decode()
    assert "E-mail address" in page
    assert "Keep me signed in on this device" in page


def test_what_a_password_must_be_is_said_before_it_is_typed(settings: Any) -> None:
    rule = "Don’t use your name, your address or a common password."
    assert f"Use at least 12 characters. {rule}" in Client().get("/accounts/signup/").content.decode()
    settings.AUTH_PASSWORD_VALIDATORS = []
    page = Client().get("/accounts/signup/").content.decode()
    assert rule in page
    assert "Use at least" not in page


def test_names_and_address_are_cleaned_and_the_password_is_not() -> None:
    password = "a long\u200b enough passphrase"
    typed = {"first_name": "Ada\tMary\u200b", "last_name": "\u202aByron\u202c", "email": "\u2060Ada@example.com\u200b"}
    assert Client().post("/accounts/signup/", typed | {"password1": password}).status_code == 302
    user = get_user_model().objects.get(email="ada@example.com")
    assert (user.first_name, user.last_name) == ("Ada Mary", "Byron")
    assert user.check_password(password)
    signed_in = Client().post("/accounts/login/", {"login": "ada@example.com\u200b", "password": password})
    assert signed_in["Location"] == "/applications/"


@pytest.mark.parametrize("name", ["\u200b", "\u2800", "\u200e \u3164"])
def test_a_name_that_nobody_sees_is_missing(name: str) -> None:
    answer = Client().post("/accounts/signup/", NEW | {"first_name": name})
    assert answer.status_code == 200
    assert not get_user_model().objects.exists()


def test_an_address_differs_in_more_than_capitals_and_what_nobody_sees() -> None:
    get_user_model().objects.create_user(NEW["email"])
    Client().post("/accounts/signup/", NEW | {"email": "ADA@example.com\u200b"})
    assert get_user_model().objects.count() == 1
