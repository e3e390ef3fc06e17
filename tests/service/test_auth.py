import stat
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service.auth import DEMO_KEY, SCOPES, digest_of, ensure_demo_key, portal_key
from formation_portal.service.models import Account, ApiKey
from tests.service.caller import Caller

pytestmark = pytest.mark.django_db(databases=["service"])


def made(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("create_api_key", *arguments)
    return capsys.readouterr().out.strip()


def test_a_key_is_shown_once_and_kept_as_its_digest(capsys: pytest.CaptureFixture[str]) -> None:
    key = made(capsys, "--scopes", "parties:read", "entities:read", "--name", "Ledger")
    assert key.startswith("sk_test_")
    row = ApiKey.objects.get()
    assert row.digest == digest_of(key)
    assert key not in str(row.__dict__)
    assert (row.name, row.scopes) == ("Ledger", ["entities:read", "parties:read"])


def test_a_live_key_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert made(capsys, "--scopes", "all", "--live").startswith("sk_live_")
    assert set(ApiKey.objects.get().scopes) == set(SCOPES)


def test_scopes_may_stand_with_commas(capsys: pytest.CaptureFixture[str]) -> None:
    made(capsys, "--scopes", "parties:read,entities:read")
    assert ApiKey.objects.get().scopes == ["entities:read", "parties:read"]


def test_an_unknown_scope_is_refused() -> None:
    with pytest.raises(CommandError, match="parties:eat"):
        call_command("create_api_key", "--scopes", "parties:eat")
    assert not ApiKey.objects.exists()


def test_keys_open_accounts_of_their_own_unless_told_otherwise(
    loaded: None, capsys: pytest.CaptureFixture[str]
) -> None:
    alone, other = Caller(made(capsys, "--scopes", "all")), Caller(made(capsys, "--scopes", "all"))
    shared = [Caller(made(capsys, "--scopes", "all", "--account", "Larkfield")) for _ in range(2)]
    entity = shared[0].entity()
    assert shared[1].get(f"/entities/{entity}").status_code == 200
    assert {one.get(f"/entities/{entity}").status_code for one in (alone, other)} == {404}
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


def test_the_demo_key_sees_what_the_portal_sent(loaded: None) -> None:
    ensure_demo_key()
    assert ensure_demo_key() == DEMO_KEY
    entity = Caller(portal_key()).entity()
    assert Caller(DEMO_KEY).get(f"/entities/{entity}").status_code == 200
