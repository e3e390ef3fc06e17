"""By SQL no session and no second factor is moved to another row, and no key of a session is found."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from formation_portal.accounts.models import User
from tests.accounts.people import EMAIL, PASSWORD, is_in, person, sign_in

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.usefixtures("noted_templates"),
]

AGENT, THIEF = EMAIL, "mallory@example.com"


def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall() if cursor.description else []


def session_rows() -> set[str]:
    return {key for (key,) in rows("SELECT session_key FROM django_session")}


def signed_in(email: str) -> tuple[Client, str]:
    """A browser that has signed in by password, and the key of its session's row."""
    before, client = session_rows(), Client()
    sign_in(client, email=email)
    assert is_in(client)
    [key] = session_rows() - before
    return client, key


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
    (agents, agents_key), (thiefs, thiefs_key) = signed_in(AGENT), signed_in(THIEF)
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
    agents, key = signed_in(AGENT)
    [(content,)] = rows("SELECT session_data FROM django_session WHERE session_key = %s", key)
    changed = content[:40] + ("A" if content[40] != "A" else "B") + content[41:]
    rows("UPDATE django_session SET session_data = %s WHERE session_key = %s", changed, key)
    assert not is_in(agents)
    other, _ = signed_in(AGENT)
    assert len(other.get("/accounts/sessions/").context["sessions"]) == 1


@pytest.mark.usefixtures("agent")
def test_what_stands_in_the_row_is_no_cookie() -> None:
    _, key = signed_in(AGENT)
    client = Client()
    client.cookies["sessionid"] = key
    assert not is_in(client)
    sign_in(client)
    assert is_in(client)


@pytest.mark.usefixtures("agent")
def test_no_column_of_any_table_has_the_key_of_a_session() -> None:
    client, _ = signed_in(AGENT)
    client.post("/accounts/2fa/totp/activate/", {"code": "000000"})
    client.post("/accounts/sessions/", {"all": "1"})
    new = "another long passphrase"
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    key = client.cookies["sessionid"].value
    assert is_in(client)
    assert len(key) == 32
    assert len(client.get("/accounts/sessions/").context["sessions"]) == 1, "this device is in the list"
    for database in (connections["default"], connections["service"]):
        with database.cursor() as cursor:
            for table in database.introspection.table_names(cursor):
                cursor.execute(f"SELECT * FROM {database.ops.quote_name(table)}")
                assert key not in repr(cursor.fetchall()), table
