"""By SQL no session and no second factor is moved to another row, and no key of a session is found."""

import json
import logging
import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client

from formation_portal.accounts import sessions
from formation_portal.accounts.models import User
from formation_portal.privacy import export
from tests.accounts.passkeys import Passkey
from tests.accounts.people import (
    CODE,
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

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.usefixtures("noted_templates"),
]

AGENT, THIEF = EMAIL, "mallory@example.com"


def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall() if cursor.description else []


def row_of(client: Client) -> str:
    """The key of the row of a browser's session."""
    return sessions.key_digest(client.session.session_key)


def opens_desk(client: Client) -> bool:
    answer = client.get("/desk/")
    assert answer.status_code in (200, 302, 403)
    return answer.status_code == 200


@pytest.fixture
def agent() -> User:
    return person(AGENT, is_agent=True)


@pytest.fixture
def thief() -> User:
    """A customer who can also write to the database."""
    return person(THIEF)


def copy_content(agents: str, thiefs: str) -> None:
    [(content,)] = rows("SELECT session_data FROM django_session WHERE session_key = %s", agents)
    rows("UPDATE django_session SET session_data = %s WHERE session_key = %s", content, thiefs)


def move_row(agents: str, thiefs: str) -> None:
    rows("DELETE FROM django_session WHERE session_key = %s", thiefs)
    rows("UPDATE django_session SET session_key = %s WHERE session_key = %s", thiefs, agents)


@pytest.mark.usefixtures("agent", "thief")
@pytest.mark.parametrize("attack", [copy_content, move_row])
def test_an_agents_session_in_another_row_opens_nothing(
    attack: Callable[[str, str], None], caplog: pytest.LogCaptureFixture
) -> None:
    agents, thiefs = signed_in(), signed_in(email=THIEF)
    agents_key, thiefs_key = row_of(agents), row_of(thiefs)
    assert (opens_desk(agents), opens_desk(thiefs)) == (True, False)
    attack(agents_key, thiefs_key)
    assert (opens_desk(thiefs), is_in(thiefs)) == (False, False)
    assert opens_desk(agents) is (attack is copy_content), "whoever has lost the row signs in again"
    assert "A session cannot be read" in caplog.text
    assert thiefs_key not in caplog.text
    sign_in(thiefs, email=THIEF)
    assert (opens_desk(thiefs), is_in(thiefs)) == (False, True)


@pytest.mark.usefixtures("agent")
def test_one_letter_changed_signs_out_and_the_list_of_devices_forgets_it() -> None:
    agents = signed_in()
    key = row_of(agents)
    [(content,)] = rows("SELECT session_data FROM django_session WHERE session_key = %s", key)
    changed = content[:40] + ("A" if content[40] != "A" else "B") + content[41:]
    rows("UPDATE django_session SET session_data = %s WHERE session_key = %s", changed, key)
    assert not is_in(agents)
    assert len(signed_in().get("/accounts/sessions/").context["sessions"]) == 1


def assert_in_no_table(key: str) -> None:
    assert len(key) == 32
    for database in (connections["default"], connections["service"]):
        with database.cursor() as cursor:
            for table in database.introspection.table_names(cursor):
                cursor.execute(f"SELECT * FROM {database.ops.quote_name(table)}")
                assert key not in repr(cursor.fetchall()), table


@pytest.mark.usefixtures("agent")
def test_no_column_of_any_table_has_the_key_of_a_session() -> None:
    client = signed_in()
    new = "another long passphrase"
    steps = [
        ("/accounts/2fa/totp/activate/", {"code": "000000"}),
        ("/accounts/sessions/", {"all": "1"}),
        ("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}),
    ]
    assert_in_no_table(client.cookies["sessionid"].value)
    for address, posted in steps:
        client.post(address, posted)
        assert is_in(client)
        assert_in_no_table(client.cookies["sessionid"].value)
    assert len(client.get("/accounts/sessions/").context["sessions"]) == 1, "this device is in the list"
    # What stands in the row is no cookie.
    other = Client()
    other.cookies["sessionid"] = row_of(client)
    assert not is_in(other)
    sign_in(other, new)
    assert is_in(other)


# Second factors: the thief knows the agent's password, and has factors of his own.


def factor(user: User, kind: str) -> str:
    [(data,)] = rows("SELECT data FROM mfa_authenticator WHERE user_id = %s AND type = %s", user.pk, kind)
    return data if isinstance(data, str) else json.dumps(data)


def put(user: User, kind: str, data: str) -> None:
    rows("UPDATE mfa_authenticator SET data = %s WHERE user_id = %s AND type = %s", data, user.pk, kind)


def assert_shut(client: Client, answer: Any, caplog: pytest.LogCaptureFixture, account: User) -> None:
    assert answer.status_code in (200, 302)
    assert (is_in(client), opens_desk(client)) == (False, False)
    [line] = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert f"account {account.pk} " in line.getMessage()
    page = client.get("/accounts/login/").content.decode()
    assert "We can’t check your two-step sign-in. Contact us." in page


@pytest.mark.usefixtures("agents_need_a_factor")
class TestFactors:
    @pytest.mark.parametrize("attack", ["secret", "recovery codes", "not encrypted", "another type"])
    def test_a_code_opens_nothing_by_a_row_that_was_written_over(
        self, attack: str, agent: User, thief: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        own_secret, secret = add_app(agent), add_app(thief)
        kind, data = {
            "secret": ("totp", factor(thief, "totp")),
            "recovery codes": ("recovery_codes", factor(thief, "recovery_codes")),
            "not encrypted": ("totp", json.dumps({"secret": secret})),
            "another type": ("totp", factor(agent, "recovery_codes")),
        }[attack]
        code = app_code(own_secret if attack == "another type" else secret, time.time())
        if attack == "recovery codes":
            code = recovery_codes(thief)[2]
        put(agent, kind, data)
        client = signed_in()
        assert_shut(client, enter(client, code), caplog, agent)
        assert secret not in caplog.text

    @pytest.mark.parametrize("moves_row", [True, False])
    def test_a_passkey_of_another_account_opens_nothing(
        self, moves_row: bool, agent: User, thief: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        passkey = Passkey()
        Passkey().register(signed_in(), "Telephone")
        passkey.register(signed_in(email=THIEF), "Key of steel")
        assert "Key of steel" not in factor(thief, "webauthn")
        if moves_row:
            rows("DELETE FROM mfa_authenticator WHERE user_id = %s", agent.pk)
            rows("UPDATE mfa_authenticator SET user_id = %s WHERE type = 'webauthn'", agent.pk)
        else:
            put(agent, "webauthn", factor(thief, "webauthn"))
        client = Client()
        assert_shut(client, passkey.sign_in(client, agent), caplog, agent)
        sign_in(client)
        client.get(CODE)
        assert (is_in(client), opens_desk(client)) == (False, False)

    def test_a_page_of_second_factors_signs_out_where_one_cannot_be_read(
        self, agent: User, thief: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        secret = add_app(agent)
        add_app(thief)
        client = signed_in()
        enter(client, app_code(secret, time.time()))
        assert client.get("/accounts/2fa/").status_code == 200
        put(agent, "recovery_codes", factor(thief, "recovery_codes"))
        assert_shut(client, client.get("/accounts/2fa/"), caplog, agent)

    def test_an_operator_takes_it_away_and_the_export_and_other_accounts_go_on(self, agent: User, thief: User) -> None:
        add_app(agent)
        secret = add_app(thief)
        put(agent, "totp", factor(thief, "totp"))
        thiefs = signed_in(email=THIEF)
        enter(thiefs, app_code(secret, time.time()))
        assert is_in(thiefs)
        exported, _ = export.export_account(agent)
        assert {one["type"] for one in exported["account"]["second_factors"]} == {"totp", "recovery_codes"}
        call_command("account", "forget-second-factor", AGENT, stdout=StringIO())
        assert rows("SELECT count(*) FROM mfa_authenticator WHERE user_id = %s", agent.pk) == [(0,)]
