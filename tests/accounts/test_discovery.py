"""Nobody learns who has an account: by text, status, headers, hashes or queries. `make discovery` measures the time."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.accounts import forms
from formation_portal.accounts.models import User
from formation_portal.mail.models import Email
from tests.accounts.people import EMAIL, PASSWORD, is_in, person, sign_in, signed_in
from tests.accounts.test_addresses import confirm, kinds
from tests.encrypted_rows import rows_with

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("codes_by_email")]

UNKNOWN = "eve@example.com"
NEW = {"first_name": "Ada", "last_name": "Byron", "password1": PASSWORD}


def sign_up(email: str, client: Client | None = None) -> Any:
    return (client or Client()).post("/accounts/signup/", NEW | {"email": email})


def code_sent_to(email: str) -> str:
    [message] = rows_with(Email.objects, to=email)
    assert message.kind == "signup_code"
    return str(re.findall(r"\n([A-Z]{4}-[A-Z]{4})\n", message.text)[0])


ASKED = {
    "sign in": lambda email: sign_in(Client(), "wrong", email),
    "sign up": sign_up,
    "reset": lambda email: Client().post("/accounts/password/reset/", {"email": email}),
}

# What differs from request to request, whoever asks: a number, a length with the address in it, the time.
_EACH_ITS_OWN = ("X-Request-Id", "Content-Length", "Expires")
_NONCE = re.compile(r"nonce[-=]\"?[\w-]{22}")
_CHANGING = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')


def seen(answer: Any, email: str) -> tuple[Any, ...]:
    """What a stranger sees of an answer, but for the address that they have typed themselves."""
    headers = {name: _NONCE.sub("", value) for name, value in answer.headers.items() if name not in _EACH_ITS_OWN}
    cookies = {name: {**one, "expires": ""} for name, one in answer.cookies.items()}
    text = _CHANGING.sub("", _NONCE.sub("", answer.content.decode())).replace(email, "…")
    return answer.status_code, headers, cookies, text


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_text_status_and_headers_are_the_same(ask: Any) -> None:
    person()
    assert seen(ask(EMAIL), EMAIL) == seen(ask(UNKNOWN), UNKNOWN)


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_as_much_is_hashed_and_asked_of_the_database(ask: Any, hashed: list[str]) -> None:
    person()
    ask("warm@example.com")
    counts = []
    for email in (EMAIL, UNKNOWN):
        hashed.clear()
        with CaptureQueriesContext(connection) as queries:
            ask(email)
        counts.append((len(hashed), len(queries)))
    assert counts[0] == counts[1]
    assert len(hashed) == 1


def test_whoever_signs_up_enters_the_code_of_the_letter_in_the_same_browser() -> None:
    client = Client()
    assert sign_up(UNKNOWN, client)["Location"] == "/accounts/confirm-email/"
    assert not is_in(client)
    code = code_sent_to(UNKNOWN)
    elsewhere = Client()
    assert elsewhere.post("/accounts/confirm-email/", {"code": code})["Location"] == "/accounts/login/"
    assert client.post("/accounts/confirm-email/", {"code": "AAAA-AAAA"}).status_code == 200
    assert client.post("/accounts/confirm-email/", {"code": code}).status_code == 302
    assert is_in(client)
    user = User.objects.get(email=UNKNOWN)
    assert user.emailaddress_set.get().verified


def test_the_holder_of_an_account_is_told_and_the_page_is_the_same() -> None:
    person()
    known, other = Client(), Client()
    sign_up(EMAIL, known)
    sign_up(UNKNOWN, other)
    path, wrong = "/accounts/confirm-email/", {"code": "AAAA-AAAA"}
    assert seen(known.get(path), EMAIL) == seen(other.get(path), UNKNOWN)
    assert kinds(EMAIL) == ["account_exists"]
    for _ in range(5):
        assert seen(known.post(path, wrong), EMAIL) == seen(other.post(path, wrong), UNKNOWN)
    assert User.objects.get(email=EMAIL).check_password(PASSWORD)
    assert User.objects.count() == 2
    assert [is_in(one) for one in (known, other)] == [False] * 2


def test_a_code_has_five_tries_also_from_copies_of_the_browser() -> None:
    client = Client()
    sign_up(UNKNOWN, client)
    code = code_sent_to(UNKNOWN)
    session = dict(client.session.items())
    for _ in range(5):
        client.post("/accounts/confirm-email/", {"code": "AAAA-AAAA"})
    copied = client.session
    copied.update(session)
    copied.save()
    client.cookies["sessionid"] = copied.session_key
    answer = client.post("/accounts/confirm-email/", {"code": code})
    assert not is_in(client)
    assert answer.status_code in (200, 302, 429)


def test_an_address_that_is_taken_in_this_moment_is_told_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    save = forms.SignUpForm.save

    def after_another(form: Any, request: Any) -> Any:
        User.objects.create_user(UNKNOWN)
        return save(form, request)

    monkeypatch.setattr(forms.SignUpForm, "save", after_another)
    assert sign_up(UNKNOWN)["Location"] == "/accounts/confirm-email/"
    assert kinds(UNKNOWN) == ["account_exists"]
    assert User.objects.count() == 1


def test_another_address_is_confirmed_by_a_link_as_before() -> None:
    person()
    client = signed_in()
    where = client.post("/accounts/email/", {"action_add": "", "email": "new@example.com"})["Location"]
    answer = client.post(where, {"password": PASSWORD, "next": "/accounts/email/"})
    assert answer["Location"] == "/accounts/email/"
    assert confirm(client, "new@example.com").status_code == 302
    assert User.objects.get().email == "new@example.com"
