"""A session from before the account's second factor sees and changes nothing of it until the factor is used. Setting
one up ends the others, and the owner reads of recovery codes that are shown or used. Every page of an account:
tests/access/table.md."""

import json
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any, ClassVar

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.audit.models import Actor, Entry
from formation_portal.mail.models import Email
from tests.accounts.passkeys import Passkey
from tests.accounts.people import (
    EMAIL,
    PASSWORD,
    add_app,
    app_code,
    enter,
    is_in,
    person,
    recovery_codes,
    sign_in,
    signed_in,
)
from tests.factories import browser_of

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.usefixtures("noted_templates"),
]

CODES = "/accounts/2fa/recovery-codes/"
USE_CODE = "/accounts/2fa/reauthenticate/"
USE_PASSKEY = "/accounts/2fa/webauthn/reauthenticate/"


def events(user: User) -> list[str]:
    """What the audit log has of the account's second factors, each by its holder."""
    entries = list(Entry.objects.filter(action="factor").order_by("number"))
    holder = Actor.AGENT if user.is_agent else Actor.CUSTOMER
    assert {(entry.actor, entry.account, entry.subject) for entry in entries} <= {(holder, user.pk, str(user.pk))}
    return [json.loads(entry.detail)["did"] for entry in entries]


def subjects() -> list[str]:
    return [letter.subject for letter in Email.objects.order_by("pk")]


def set_up_app(client: Client) -> str:
    """Set up an authenticator app in a browser; its secret."""
    secret = str(client.get("/accounts/2fa/totp/activate/").context["form"].secret)
    answer = client.post("/accounts/2fa/totp/activate/", {"code": app_code(secret, time.time())})
    assert answer["Location"] == CODES
    return secret


def set_up_passkey(client: Client) -> Passkey:
    """Add a passkey in a browser."""
    passkey = Passkey()
    assert passkey.register(client, "Telephone")["Location"] == CODES
    return passkey


@pytest.mark.parametrize("set_up", [set_up_app, set_up_passkey])
def test_setting_one_up_ends_all_other_sessions_of_the_account(set_up: Callable[[Client], Any]) -> None:
    user, stranger = person(), browser_of(person("grace@example.com"))
    client, other, unlisted = signed_in(), signed_in(), browser_of(user)
    set_up(client)
    assert (is_in(client), is_in(other), is_in(unlisted), is_in(stranger)) == (True, False, False, True)
    assert client.get(CODES).status_code == 200, "the session that has set it up has used it"


def test_another_passkey_ends_all_other_sessions_too() -> None:
    user = person()
    secret = add_app(user)
    client, other = browser_of(user), browser_of(user)
    for browser, at in ((client, 0), (other, 30)):
        browser.post(USE_CODE, {"code": app_code(secret, time.time() + at)})
    assert Passkey().register(client, "Telephone")["Location"] == "/accounts/2fa/"
    assert (is_in(client), is_in(other)) == (True, False)
    assert subjects() == ["Your two-step sign-in has changed"]
    assert events(user) == ["webauthn_added"]


@pytest.mark.parametrize("way", [USE_CODE, USE_PASSKEY])
def test_an_old_session_uses_the_factor_before_it_sees_or_changes_a_second_factor(way: str) -> None:
    user = person()
    factor = set_up_passkey(browser_of(user)) if way == USE_PASSKEY else add_app(user)
    client = browser_of(User.objects.get(pk=user.pk))
    assert client.get(CODES)["Location"] == f"{way}?next={CODES.replace('/', '%2F')}"
    if isinstance(factor, Passkey):
        factor.reauthenticate(client, CODES)
    else:
        client.post(way, {"code": app_code(factor, time.time()), "next": CODES})
    assert len(client.get(CODES).context["unused_codes"]) == 10


def test_an_old_session_reads_no_recovery_code_to_get_past_by_and_a_password_is_not_enough() -> None:
    user = person()
    client = browser_of(user)
    add_app(user)
    codes = recovery_codes(user)
    for path in (CODES, f"{CODES}download/"):
        page = client.get(path, follow=True).content.decode()
        assert not [code for code in codes if code in page]
    assert client.get("/accounts/reauthenticate/")["Location"] == USE_CODE
    client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": CODES})
    assert client.get(CODES)["Location"].startswith(USE_CODE)
    assert (events(user), subjects()) == ([], [])


def test_the_owner_gets_past_by_a_recovery_code_and_reads_of_it() -> None:
    user = person()
    client = browser_of(user)
    add_app(user)
    code = recovery_codes(user)[4]
    assert client.post(USE_CODE, {"code": code, "next": CODES})["Location"] == CODES
    other = signed_in()
    enter(other, code)
    assert not is_in(other), "a code works once"
    enter(other, recovery_codes(user)[7])
    assert is_in(other)
    assert len(recovery_codes(user)) == 8
    assert events(user) == ["recovery_code_used"] * 2
    assert subjects() == ["A recovery code was used"] * 2


def test_what_is_done_with_codes_and_factors_leaves_an_email_and_an_entry_without_a_code() -> None:
    user = person()
    secret = add_app(user)
    client = browser_of(user)
    client.post(USE_CODE, {"code": app_code(secret, time.time())})
    codes = recovery_codes(user)
    assert codes[0] in client.get(CODES).content.decode()
    assert codes[0] in client.get(f"{CODES}download/").content.decode()
    client.post(f"{CODES}generate/")
    codes += recovery_codes(user)
    assert len({*codes}) == 20
    assert events(user) == ["recovery_codes_shown", "recovery_codes_shown", "recovery_codes_generated"]
    assert subjects() == ["Your recovery codes were viewed"] * 2 + ["Your two-step sign-in has changed"]
    assert {letter.to for letter in Email.objects.all()} == {EMAIL}
    written = "".join(letter.text + letter.html for letter in Email.objects.all())
    written += "".join(Entry.objects.values_list("detail", flat=True))
    assert not [code for code in codes if code in written]
    client.post("/accounts/2fa/totp/deactivate/")
    set_up_app(client)
    removed_and_added = ["recovery_codes_added", "recovery_codes_removed", "totp_added", "totp_removed"]
    assert sorted(events(user)[3:]) == removed_and_added


def give(*rights: str) -> None:
    call_command("agent_rights", EMAIL, "--give", *rights, stdout=StringIO())


@pytest.mark.usefixtures("agents_need_a_factor")
class TestRightsGivenLater:
    def test_without_a_second_factor_they_sign_in_again_before_they_set_one_up(self) -> None:
        client = browser_of(person(is_agent=True, rights=["review"]))
        give("decide")
        for path in ("/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/", "/desk/"):
            assert client.get(path)["Location"].startswith(f"/accounts/login/?next={path.replace('/', '%2F')}"), path
        sign_in(client)
        set_up_app(client)
        assert client.get("/desk/").status_code == 200

    def test_a_session_that_has_used_none_uses_one_before_the_desk_and_its_own_pages(self) -> None:
        user = person(is_agent=True, rights=["review"])
        secret = add_app(user)
        give("all_cases")
        client = browser_of(User.objects.get(pk=user.pk))
        assert client.get("/desk/")["Location"] == f"{USE_CODE}?next=%2Fdesk%2F"
        client.post(USE_CODE, {"code": app_code(secret, time.time())})
        assert client.get("/desk/").status_code == 200
        assert client.get(CODES).status_code == 200

    def test_a_right_that_is_taken_or_there_already_ends_no_session(self) -> None:
        client = browser_of(person(is_agent=True, rights=["review", "audit"]))
        give("review")
        call_command("agent_rights", EMAIL, "--take", "audit", stdout=StringIO())
        assert is_in(client)


class OwnerIsFaster:
    """Middleware behind all others: the owner acts while another session's request is on its way to the view."""

    request: ClassVar[tuple[str, str] | None] = None
    act: ClassVar[Callable[[], Any]]

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        if (request.method, request.path) == OwnerIsFaster.request:
            OwnerIsFaster.request = None
            assert request.user.is_authenticated, "the session was read before"
            OwnerIsFaster.act()


@pytest.fixture
def sessions(settings: Any) -> Iterator[tuple[Client, Client]]:
    """The owner's session and an old one of the same account, which has ended when the owner has acted."""
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.{OwnerIsFaster.__name__}"]
    user = person()
    owner, old = browser_of(user), browser_of(user)
    yield owner, old
    assert OwnerIsFaster.request is None, "the owner has acted"
    assert not is_in(old)


def owner_sets_up(set_up: Callable[[Client], Any], owner: Client, *, before: tuple[str, str]) -> None:
    OwnerIsFaster.act = lambda: set_up(owner)
    OwnerIsFaster.request = before


def factors() -> list[str]:
    return sorted(Authenticator.objects.values_list("type", flat=True))


@pytest.mark.parametrize(
    ("path", "set_up", "kinds"),
    [
        ("/accounts/2fa/totp/activate/", set_up_passkey, ["recovery_codes", "webauthn"]),
        ("/accounts/2fa/webauthn/add/", set_up_app, ["recovery_codes", "totp"]),
    ],
)
def test_no_factor_is_added_beside_the_owners_by_a_request_on_its_way(
    sessions: tuple[Client, Client], path: str, set_up: Callable[[Client], Any], kinds: list[str]
) -> None:
    owner, old = sessions
    secret = str(old.get("/accounts/2fa/totp/activate/").context["form"].secret)
    owner_sets_up(set_up, owner, before=("POST", path))
    if set_up is set_up_app:
        Passkey().register(old, "A stranger's")
    else:
        old.post(path, {"code": app_code(secret, time.time())})
    assert factors() == kinds


@pytest.mark.parametrize(
    ("method", "path", "set_up"),
    [
        ("POST", "/accounts/2fa/totp/deactivate/", set_up_app),
        ("POST", "/accounts/2fa/webauthn/keys/{}/remove/", set_up_passkey),
        ("GET", CODES, set_up_app),
        ("GET", f"{CODES}download/", set_up_app),
        ("POST", f"{CODES}generate/", set_up_app),
        ("POST", "/accounts/password/change/", set_up_app),
    ],
)
def test_a_request_on_its_way_neither_removes_nor_shows_what_the_owner_sets_up(
    sessions: tuple[Client, Client], method: str, path: str, set_up: Callable[[Client], Any]
) -> None:
    owner, old = sessions
    user = User.objects.get()
    # The first row of the table has the number after the last that was there.
    path = path.format(Authenticator.objects.create(user=user, type="webauthn", data={}).pk + 1)
    Authenticator.objects.all().delete()
    old.post("/accounts/reauthenticate/", {"password": PASSWORD})
    owner_sets_up(set_up, owner, before=(method, path))
    new = "another long enough passphrase"
    posted = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    page = (old.post(path, posted) if method == "POST" else old.get(path)).content.decode()
    assert factors() == ["recovery_codes", "totp" if set_up is set_up_app else "webauthn"]
    assert not [code for code in recovery_codes(user) if code in page]
    assert not {"recovery_codes_shown", "recovery_codes_generated"} & {*events(user)}
