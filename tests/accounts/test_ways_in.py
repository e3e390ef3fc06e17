"""Every way into an account with a second factor asks for it: after the password, and instead of the password."""

import re
import time
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.http import HttpResponse
from django.test import Client

from formation_portal.accounts.guest_sessions import GuestSession, start_guest_session
from formation_portal.accounts.models import User
from formation_portal.mail.models import Email
from tests.accounts.passkeys import TOUCHED, VERIFIED, Passkey
from tests.accounts.people import (
    CODE,
    EMAIL,
    PASSWORD,
    add_app,
    app_code,
    enter,
    is_in,
    person,
    sign_in,
    signed_in,
)
from tests.accounts.test_addresses import reset
from tests.accounts.test_policies import addresses
from tests.service.caller import Caller

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"]),
    pytest.mark.usefixtures("noted_templates", "agents_need_a_factor"),
]


@pytest.fixture
def agent_with_app() -> tuple[User, str]:
    """An agent, and the secret of the agent's authenticator app."""
    user = person(is_agent=True)
    return user, add_app(user)


def is_out(client: Client) -> bool:
    """Neither a page of the account nor the desk opens."""
    return not is_in(client) and client.get("/desk/").status_code == 302


def enter_by_app(client: Client, secret: str) -> None:
    """Show that the way before was right: with the code it leads in."""
    assert enter(client, app_code(secret, time.time())).status_code == 302
    assert is_in(client)
    assert client.get("/desk/").status_code == 200


@pytest.mark.parametrize("password", [PASSWORD, "a new passphrase by e-mail"])
def test_a_password_is_not_enough_also_a_new_one(agent_with_app: tuple[User, str], password: str) -> None:
    client = signed_in() if password == PASSWORD else reset(EMAIL, password)
    assert is_out(client)
    enter_by_app(client, agent_with_app[1])


@pytest.mark.usefixtures("codes_by_email")
def test_the_code_of_an_email_is_not_enough(agent_with_app: tuple[User, str]) -> None:
    EmailAddress.objects.update(verified=False)
    client = Client()
    answer = sign_in(client)
    [letter] = Email.objects.filter(kind="signup_code")
    code = re.findall(r"\b[A-Z0-9]{4}-[A-Z0-9]{4}\b", letter.text)[0]
    client.post(answer["Location"], {"code": "AAAA-AAAA"})
    assert is_out(client)
    assert client.post(answer["Location"], {"code": code})["Location"] == CODE
    assert is_out(client)
    enter_by_app(client, agent_with_app[1])


@pytest.fixture
def agent_with_passkey() -> tuple[User, Passkey]:
    user, passkey = person(is_agent=True), Passkey()
    passkey.register(signed_in(), "Security key")
    return user, passkey


@pytest.mark.parametrize(("flags", "opens"), [(VERIFIED, True), (TOUCHED, False)], ids=["verified", "touched"])
def test_a_passkey_alone_opens_the_desk_where_its_device_has_asked_for_more_than_a_touch(
    agent_with_passkey: tuple[User, Passkey], flags: Any, opens: bool
) -> None:
    user, passkey = agent_with_passkey
    client = Client()
    passkey.sign_in(client, user, flags)
    assert (client.get("/desk/").status_code == 200) is opens
    assert is_in(client) is opens


def test_a_touch_opens_nothing_by_the_challenge_of_another_accounts_second_step(
    agent_with_passkey: tuple[User, Passkey],
) -> None:
    user, passkey = agent_with_passkey
    thief = person("mallory@example.com")
    client = signed_in(email=thief.email)
    Passkey().register(client, "Mallory's")
    client.post("/accounts/logout/")
    assert sign_in(client, email=thief.email)["Location"] == CODE
    status = 200
    while status == 200:
        options = client.get(CODE).context["js_data"]["request_options"]
        status = enter(client, "000000").status_code
    client.post("/accounts/2fa/webauthn/login/", {"credential": passkey.answer(options, user, TOUCHED)})
    assert is_out(client)


def test_a_guests_session_and_an_api_key_open_neither_account_nor_desk(agent_with_app: tuple[User, str]) -> None:
    client = Client()
    client.cookies.update(start_guest_session(HttpResponse(), GuestSession("AB12", 3, True, epoch=8)).cookies)
    assert is_out(client)
    key = Caller.with_scopes(account="ours").key
    assert is_out(Client(headers={"Authorization": f"Bearer {key}"}))


def test_there_is_no_admin_and_no_sign_in_by_others(settings: Any) -> None:
    assert not {"django.contrib.admin", "allauth.socialaccount", "allauth.headless"} & {*settings.INSTALLED_APPS}
    assert [route for route, _ in addresses() if "admin" in route] == []
