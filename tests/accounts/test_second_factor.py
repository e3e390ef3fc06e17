"""Second factors: set up, used once, guessed five times, needed by agents, and never passed by."""

import json
import runpy
import time
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.core.context import request_context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory

from formation_portal.accounts import second_factor
from formation_portal.accounts.models import User
from formation_portal.accounts.unsent_forms import unsent_form
from formation_portal.core import encryption
from formation_portal.core.encryption import new_key
from formation_portal.mail.models import Email
from tests import factories
from tests.accounts.people import (
    CODE,
    EMAIL,
    add_app,
    app_code,
    enter,
    is_in,
    person,
    recovery_codes,
    sign_in,
    signed_in,
)
from tests.accounts.test_addresses import reset
from tests.encrypted_rows import rows_with
from tests.markup import Markup

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("noted_templates")]

PROJECT = Path(__file__).parents[2]


def now(secret: str, later: int = 0) -> str:
    """What the app shows now, or so many seconds later."""
    return app_code(secret, time.time() + later)


def signed_in_with(secret: str, *, email: str = EMAIL) -> Client:
    client = signed_in(email=email)
    assert enter(client, now(secret)).status_code == 302
    return client


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_an_app_is_set_up_by_its_first_code_and_then_asked_for() -> None:
    person()
    client = signed_in()
    before = client.session.session_key
    secret = client.get("/accounts/2fa/totp/activate/").context["form"].secret
    assert client.post("/accounts/2fa/totp/activate/", {"code": "000000"}).status_code == 200
    code = now(secret)
    answer = client.post("/accounts/2fa/totp/activate/", {"code": code})
    assert answer["Location"] == "/accounts/2fa/recovery-codes/"
    assert client.session.session_key != before, "a session that may do more has another number"
    codes = client.get(answer["Location"])
    assert len(codes.context["unused_codes"]) == 10
    assert [one.subject for one in rows_with(Email.objects, to=EMAIL)] == [
        "Your recovery codes were viewed",
        "Your two-step sign-in has changed",
    ]
    other = Client()
    assert sign_in(other)["Location"] == CODE
    assert not is_in(other), "a password alone opens nothing"
    assert enter(other, code).status_code == 200, "the code that has set it up is used"
    before = other.session.session_key
    assert enter(other, codes.context["unused_codes"][0]).status_code == 302
    assert is_in(other)
    assert other.session.session_key != before


def test_a_code_works_once_and_within_half_a_minute() -> None:
    secret = add_app(person())
    began = time.time()
    signed_in_with(secret)
    for at in (0, -30, -90, 90):
        client = signed_in()
        assert enter(client, app_code(secret, began + at)).status_code == 200
        assert not is_in(client)
    assert enter(client, app_code(secret, began + 30)).status_code == 302, "a clock that is half a minute ahead"


def test_a_sign_in_has_five_tries_and_begins_with_the_password_then() -> None:
    secret = add_app(person())
    client = signed_in()
    assert [enter(client, "000000").status_code for _ in range(5)] == [200] * 5
    sixth = enter(client, now(secret))
    assert sixth["Location"] == "/accounts/login/"
    assert "Too many attempts" in client.get("/accounts/login/").content.decode()
    assert not is_in(client)
    assert enter(client, now(secret))["Location"] == "/accounts/login/", "the password counts no more"
    sign_in(client)
    assert enter(client, now(secret)).status_code == 302
    assert not is_in(client), "the account has five in five minutes, too"


def test_a_session_that_was_taken_over_guesses_five_codes() -> None:
    client = signed_in_with(add_app(person()))
    answers = [client.post("/accounts/2fa/reauthenticate/", {"code": "000000"}) for _ in range(7)]
    assert [one.status_code for one in answers] == [200] * 5 + [429] * 2
    assert int(answers[6]["Retry-After"]) <= 300


def test_whoever_has_the_password_keeps_a_known_device_from_nothing() -> None:
    secret = add_app(person())
    owner = signed_in_with(secret)
    owner.post("/accounts/logout/")
    thief = Client()
    for _ in range(3):
        sign_in(thief)
        for _ in range(6):
            enter(thief, "000000")
    sign_in(owner)
    assert enter(owner, now(secret, 30)).status_code == 302
    assert is_in(owner)


def test_a_recovery_code_works_once() -> None:
    user = person()
    add_app(user)
    code = recovery_codes(user)[3]
    client = signed_in()
    assert enter(client, code).status_code == 302
    again = signed_in()
    assert enter(again, code).status_code == 200
    assert len(recovery_codes(user)) == 9


def test_a_new_password_by_email_gives_no_fresh_count_of_codes() -> None:
    secret = add_app(person())
    for password, guesses in (("first long passphrase", 3), ("second long passphrase", 2)):
        thief = reset(EMAIL, password)
        assert [enter(thief, "000000").status_code for _ in range(guesses)] == [200] * guesses
    thief = reset(EMAIL, "third long passphrase")
    assert enter(thief, now(secret))["Location"] == "/accounts/login/", "five of the account are used"
    assert not is_in(thief)


def test_a_browser_that_was_known_keeps_its_count_of_codes_with_a_new_password() -> None:
    secret = add_app(person())
    owner = signed_in_with(secret)
    owner.post("/accounts/logout/")
    thief = signed_in()
    for _ in range(5):
        enter(thief, "000000")
    reset(EMAIL, "another long passphrase", owner)
    assert [enter(owner, "000000").status_code for _ in range(3)] == [200] * 3
    device, owner = owner.cookies["device"].value, Client()
    owner.cookies["device"] = device
    reset(EMAIL, "a third long passphrase", owner)
    assert [enter(owner, "000000").status_code for _ in range(2)] == [200] * 2
    assert enter(owner, now(secret, 30))["Location"] == "/accounts/login/", "five of the browser"
    assert not is_in(owner)


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_what_they_rest_on_is_encrypted_and_another_key_takes_its_place(settings: Any) -> None:
    user = person()
    secret = add_app(user)
    stored = dict(Authenticator.objects.values_list("type", "data"))
    assert secret not in json.dumps(stored)
    assert [encryption.has_newest_key(data) for data in stored.values()] == [True, True]
    codes = recovery_codes(user)
    settings.FIELD_KEYS = [new_key(), *settings.FIELD_KEYS]
    try:
        encryption.read_ring_again()
        assert recovery_codes(user) == codes
        second_factor.reencrypt()
        renewed = dict(Authenticator.objects.values_list("type", "data"))
        second_factor.reencrypt()
        assert dict(Authenticator.objects.values_list("type", "data")) == renewed, "once is enough"
        settings.FIELD_KEYS = settings.FIELD_KEYS[:1]
        encryption.read_ring_again()
        assert Authenticator.objects.get(type="totp").data == {"secret": secret}
        assert recovery_codes(user) == codes
        Authenticator.objects.filter(type="totp").update(data=stored["totp"])
        with pytest.raises(second_factor.UnreadableFactorError):
            Authenticator.objects.get(type="totp")
    finally:
        encryption._ring = None


@pytest.mark.usefixtures("agents_need_a_factor")
class TestAgents:
    def test_who_has_none_sets_one_up_and_comes_back(self) -> None:
        user = person(is_agent=True)
        client = signed_in()
        assert client.get("/desk/?place=Kite")["Location"] == "/accounts/2fa/"
        secret = add_app(user)
        where = client.get("/desk/")["Location"]
        assert where == "/accounts/2fa/reauthenticate/?next=%2Fdesk%2F", "not used"
        client.post(where, {"code": now(secret)})
        assert 'href="/desk/?place=Kite"' in client.get("/accounts/2fa/").content.decode()

    def test_what_was_posted_is_kept_for_after(self) -> None:
        user = person(is_agent=True)
        secret = add_app(user)
        client = factories.browser_of(user)
        where = client.post("/desk/FP-1/remarks/", {"message": "Well done"})["Location"]
        assert where == "/accounts/2fa/reauthenticate/?next=%2Funsent%2F"
        client.post(where, {"code": now(secret), "next": "/unsent/"})
        kept = unsent_form(SimpleNamespace(session=client.session))
        assert kept.controls == (("message", ("Well done",)),)

    def test_a_page_that_asks_by_itself_is_led_there_whole(self) -> None:
        client = factories.browser_of(person(is_agent=True))
        answer = client.get("/desk/", headers={"HX-Request": "true"})
        assert answer["HX-Redirect"] == "/accounts/2fa/"
        assert client.post("/desk/FP-1/remarks/", headers={"HX-Request": "true"}).status_code == 401
        assert client.get("/desk/FP-1/news/", headers={"HX-Request": "true"}).status_code == 204

    def test_another_accounts_second_factor_opens_nothing(self) -> None:
        client = signed_in_with(add_app(person("grace@example.com")), email="grace@example.com")
        client.force_login(person(is_agent=True))
        assert client.get("/desk/").status_code == 302

    def test_the_last_one_can_not_be_removed(self) -> None:
        user = person(is_agent=True)
        client = signed_in_with(add_app(user))
        answer = client.post("/accounts/2fa/totp/deactivate/")
        assert answer.status_code == 200
        key = Authenticator.objects.create(user=user, type="webauthn", data={"name": "Key", "credential": {}})
        assert client.post("/accounts/2fa/totp/deactivate/").status_code == 302
        client.post(f"/accounts/2fa/webauthn/keys/{key.pk}/remove/", follow=True)
        assert Authenticator.objects.filter(pk=key.pk).exists()


def test_whoever_runs_the_portal_takes_a_lost_one_away_and_all_sessions_end() -> None:
    user = person()
    client = signed_in_with(add_app(user))
    out = StringIO()
    call_command("account", "forget-second-factor", EMAIL.upper(), stdout=out)
    assert out.getvalue() == f"{EMAIL} has no second factor any more.\n"
    assert not is_in(client)
    assert sign_in(Client())["Location"] == "/applications/"
    with pytest.raises(CommandError, match=r"There is no account x@example\.com"):
        call_command("account", "forget-second-factor", "x@example.com")


@pytest.mark.parametrize(
    ("setting", "demo", "is_needed"),
    [("auto", "true", False), ("auto", "false", True), ("yes", "true", True), ("no", "false", False)],
)
def test_the_setting_decides_whether_agents_need_one(
    setting: str, demo: str, is_needed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"AGENT_SECOND_FACTOR": setting, "DEMO": demo, "DATA_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    assert runpy.run_path(str(PROJECT / "formation_portal/settings.py"))["AGENT_SECOND_FACTOR"] is is_needed


@pytest.mark.parametrize("path", ["/accounts/2fa/webauthn/login/", CODE])
def test_what_is_no_passkey_opens_nothing_and_breaks_nothing(path: str) -> None:
    add_app(person())
    client = signed_in()
    for credential in ("", "5", "null", '{"response": 5}', '{"id": "x", "rawId": 7}'):
        client.get(path, headers={"Accept": "application/json"})
        assert client.post(path, {"credential": credential}).status_code in (200, 302)
        assert not is_in(client)


@pytest.mark.parametrize("page", ["login", "authenticate", "reauthenticate", "add"])
def test_a_credential_that_cannot_be_read_is_a_bad_request(page: str) -> None:
    secret = add_app(person())
    client = Client()
    path = CODE if page == "authenticate" else f"/accounts/2fa/webauthn/{page}/"
    if page != "login":
        sign_in(client)
    if page in ("reauthenticate", "add"):
        enter(client, now(secret))
        key = {"name": "Telephone", "credential": {}}
        Authenticator.objects.create(user=User.objects.get(), type="webauthn", data=key)
    for credential in ("[" * 5_000, '{"id":' * 5_000, "[" * 700 + "]" * 700, "7" * 5_000):
        assert client.post(path, {"name": "Key", "credential": credential}).status_code == 400
    assert is_in(client) == (page in ("reauthenticate", "add"))


def test_codes_are_shown_by_one_page_and_made_by_another() -> None:
    client = signed_in_with(add_app(person()))
    page = Markup(client.get("/accounts/2fa/").content.decode())
    links = {link.text: link.attributes["href"] for link in page.all("a")}
    assert links["Show the codes"] == "/accounts/2fa/recovery-codes/"
    assert links["Make new codes"] == "/accounts/2fa/recovery-codes/generate/"
    for path in ("recovery-codes/", "recovery-codes/generate/", "totp/deactivate/", "webauthn/", "webauthn/add/"):
        assert client.get(f"/accounts/2fa/{path}").status_code == 200, path


def test_a_customer_may_remove_the_last_one(agents_need_a_factor: None) -> None:
    app = Authenticator(user=person(), type=Authenticator.Type.TOTP)
    assert get_adapter().can_delete_authenticator(app)


def test_nothing_is_told_that_the_audit_log_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    user, request = person(), RequestFactory().get("/")
    with request_context(request):
        second_factor.report(request, user, "recovery_codes_shown")
        monkeypatch.setattr(second_factor.chain, "append", fail)
        with pytest.raises(OSError, match="disk"):
            second_factor.report(request, user, "recovery_codes_shown")
    assert Email.objects.count() == 1
