"""The migrations that end all sessions and bind second factors to their accounts, there and back."""

import json
import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.core.encryption import decrypt
from tests.accounts.passkeys import Passkey
from tests.accounts.people import EMAIL, add_app, app_code, is_in, person, recovery_codes, sign_in

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.usefixtures("noted_templates"),
]

BEFORE, AFTER = ("accounts", "0010_right_to_erase"), ("accounts", "0012_bind_second_factors")


def migrate(to: tuple[str, str]) -> None:
    MigrationExecutor(connection).migrate([to])


def stored() -> dict[str, Any]:
    return dict(Authenticator.objects.values_list("type", "data"))


def test_second_factors_stay_and_sessions_end() -> None:
    user = person()
    client = Client()
    sign_in(client)
    passkey = Passkey()
    passkey.register(client, "Telephone")
    secret = add_app(user)
    codes = recovery_codes(user)
    try:
        migrate(BEFORE)
        before = stored()
        assert before["webauthn"]["name"] == "Telephone"
        assert decrypt(before["totp"]["secret"], "second factor").decode() == secret
        assert secret not in json.dumps(before)
        assert before["recovery_codes"]["used_mask"] == 0
        Session.objects.create(session_key="k" * 32, session_data="of before", expire_date="2099-01-01T00:00:00Z")
        UserSession.objects.create(user=user, session_key="k" * 32, ip="203.0.113.7", user_agent="x")
    finally:
        migrate(AFTER)
    assert (Session.objects.count(), UserSession.objects.count()) == (0, 0)
    assert [type(data) for data in stored().values()] == [str] * 3
    assert recovery_codes(User.objects.get(email=EMAIL)) == codes
    assert not is_in(client)
    sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": app_code(secret, time.time())})
    assert is_in(client)
    assert passkey.reauthenticate(client, "/applications/")["Location"] == "/applications/"


def test_a_factor_that_could_not_be_read_stays_and_opens_nothing() -> None:
    add_app(person())
    try:
        migrate(BEFORE)
        Authenticator.objects.filter(type="totp").update(data={"secret": "00000000:AAAA"})
    finally:
        migrate(AFTER)
    assert stored()["totp"] == {"secret": "00000000:AAAA"}
    client = Client()
    sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": "123456"})
    assert not is_in(client)
