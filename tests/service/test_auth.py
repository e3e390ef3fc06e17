import stat
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service import auth
from formation_portal.service.auth import SCOPES, digest_of, portal_key, replace_portal_key, revoke_key
from formation_portal.service.models import Account, ApiKey
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def made(*arguments: str) -> str:
    """Return the key that the command makes."""
    output = StringIO()
    call_command("create_api_key", "--scopes", *arguments, stdout=output)
    return output.getvalue().strip()


def test_a_key_is_shown_once_and_kept_as_its_digest() -> None:
    key = made("parties:read,entities:read", "--name", "Ledger")
    assert key.startswith("sk_test_")
    row = ApiKey.objects.get()
    assert row.digest == digest_of(key)
    assert key not in str(row.__dict__)
    assert (row.name, row.scopes) == ("Ledger", ["entities:read", "parties:read"])
    assert made("all", "--live").startswith("sk_live_")


def test_keys_open_accounts_of_their_own_unless_told_otherwise(loaded: None) -> None:
    alone, other = Caller(made("all")), Caller(made("all"))
    shared = [Caller(made("all", "--account", "Larkfield")) for _ in range(2)]
    entity = shared[0].entity()
    assert [caller.get(f"/entities/{entity}").status_code for caller in (shared[1], alone, other)] == [200, 404, 404]
    assert Account.objects.count() == 3


def test_the_portals_key_is_made_once_and_readable_by_its_owner_alone() -> None:
    key = portal_key()
    assert key.startswith("sk_live_")
    assert portal_key() == key
    path = Path(settings.DATA_DIR) / StoredSecret.SERVICE_KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    row = ApiKey.objects.get(digest=digest_of(key))
    assert row.is_unlimited
    assert set(row.scopes) == set(SCOPES)


@pytest.mark.parametrize(
    ("ended", "words"),
    [("revoked_at", "This API key was revoked."), ("expires_at", "This API key has expired.")],
)
def test_a_key_that_has_ended_opens_nothing_and_what_it_made_stays(loaded: None, ended: str, words: str) -> None:
    key = made("all", "--account", "Larkfield", "--days", "30")
    entity = Caller(key).entity()
    assert Caller(key).get(f"/entities/{entity}").status_code == 200
    ApiKey.objects.update(**{ended: timezone.now()})
    answer = Caller(key).get("/catalog")
    assert problem(answer, 401, "unauthorized")["detail"] == words
    assert answer["WWW-Authenticate"] == 'Bearer realm="formation service", error="invalid_token"'
    other = made("all", "--account", "Larkfield")
    assert Caller(other).get(f"/entities/{entity}").status_code == 200


def test_the_last_use_of_a_key_is_written_once_a_minute(loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    key = made("all")
    assert ApiKey.objects.get(digest=digest_of(key)).last_used_at is None
    start = timezone.now()

    def used(seconds: int) -> tuple[Any, int]:
        """When it was used last, and how many rows of keys a call has written."""
        monkeypatch.setattr(auth.timezone, "now", lambda: start + timedelta(seconds=seconds))
        with CaptureQueriesContext(connections["service"]) as queries:
            assert Caller(key).get("/catalog").status_code == 200
        monkeypatch.undo()
        return ApiKey.objects.get(digest=digest_of(key)).last_used_at, sum(
            'UPDATE "service_apikey"' in one["sql"] for one in queries
        )

    assert used(0) == (start, 1)
    assert used(59) == (start, 0)
    assert used(61) == (start + timedelta(seconds=61), 1)


def test_a_read_is_answered_where_its_use_cannot_be_written(loaded: None) -> None:
    key = made("all")

    def no_disk(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("database or disk is full")
        return execute(sql, *arguments)

    with connections["service"].execute_wrapper(no_disk):
        assert Caller(key).get("/catalog").status_code == 200
    assert ApiKey.objects.get(digest=digest_of(key)).last_used_at is None


def test_the_portals_own_key_is_replaced_and_the_one_before_ends_a_while_later(loaded: None) -> None:
    before = portal_key()
    entity = Caller(before).entity()
    row = replace_portal_key(valid_for=timedelta(hours=1))
    after = portal_key()
    assert after != before
    assert row == ApiKey.objects.get(digest=digest_of(after))
    assert row.expires_at is None
    for key in (before, after):
        assert Caller(key).get(f"/entities/{entity}").status_code == 200
    ends = ApiKey.objects.get(digest=digest_of(before)).expires_at
    assert ends is not None
    # Replaced once more, it lasts no longer.
    replace_portal_key(valid_for=timedelta(hours=9))
    assert ApiKey.objects.get(digest=digest_of(before)).expires_at == ends
    assert not revoke_key(row.pk)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["all", "--days", "0"], "--days takes 1 to 3,650"),
        (["all", "--days", "9999"], "--days takes 1 to 3,650"),
        (["parties:eat"], "parties:eat"),
    ],
)
def test_a_time_or_a_scope_that_makes_no_sense_is_refused(arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("create_api_key", "--scopes", *arguments)
    assert not ApiKey.objects.exists()
