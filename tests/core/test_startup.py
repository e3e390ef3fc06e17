"""A start with another secret than the other nodes is refused, and nodes can change over from one to the next."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from formation_portal.core.nodes import secret_store, startup
from formation_portal.core.nodes.models import Installation
from formation_portal.core.nodes.secret_store import StoredSecret

pytestmark = pytest.mark.django_db

OLD, NEW = "signs-sessions-until-the-autumn-0123456789-abcdef", "signs-sessions-from-the-autumn-9876543210-fedcba"


@pytest.fixture(autouse=True)
def _nodes(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on PostgreSQL, with secrets of this node in files."""
    monkeypatch.setattr(startup, "_has_other_nodes", lambda: True)
    settings.DATA_DIR, settings.SECRETS_KEY = tmp_path, []
    settings.AUDIT_KEY = "attests-entries-of-the-audit-0123456789"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = OLD, []
    (tmp_path / StoredSecret.SIGNING_KEY).write_text("signs-events-of-the-embedded-service")
    startup.refuse_other_secrets()


def start_with(settings: Any, *keys: str) -> None:
    settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS = keys
    startup.refuse_other_secrets()


def faults() -> list[str]:
    return [result.finding for result in startup.check_secrets() if result.verdict == "fault"]


def test_the_same_secrets_start_again_and_another_is_refused_by_its_name_and_stays_refused(settings: Any) -> None:
    start_with(settings, OLD)
    assert faults() == []
    why = "is not the one of the other nodes: sessions and links of one node are none to another"
    for _ in range(2):
        with pytest.raises(CommandError) as refusal:
            start_with(settings, NEW)
        assert str(refusal.value) == (
            f"secret-key: {why}. "
            "Set SECRETS_KEY on all nodes, or give all of them the same (deploy/README.md, “Secrets”)."
        )
    assert faults() == [f"secret-key {why}"]


@pytest.mark.parametrize("name", [StoredSecret.AUDIT_KEY, StoredSecret.FIELD_KEYS, StoredSecret.SIGNING_KEY])
def test_each_secret_that_nodes_share_is_compared(name: StoredSecret) -> None:
    row = Installation.objects.get()
    row.digests[name] = ["0123456789abcdef"]
    row.save()
    with pytest.raises(CommandError, match=f"^{name}: is not the one of the other nodes"):
        startup.refuse_other_secrets()


def test_nodes_change_over_one_after_the_other(settings: Any) -> None:
    for keys in ((NEW, OLD), (OLD,), (NEW, OLD), (NEW,), (NEW, OLD), (NEW,)):
        start_with(settings, *keys)
    with pytest.raises(CommandError, match="secret-key: is not the one"):
        start_with(settings, OLD)


def test_a_secret_that_a_command_replaces_or_that_a_node_lacks_is_not_another(tmp_path: Path) -> None:
    secret_store.replace(StoredSecret.SIGNING_KEY, "signs-events-from-now-on")
    startup.refuse_other_secrets()
    (tmp_path / StoredSecret.SIGNING_KEY).unlink()
    startup.refuse_other_secrets()
    assert StoredSecret.SIGNING_KEY in Installation.objects.get().digests


def test_a_secret_that_was_lost_can_be_given_up(settings: Any) -> None:
    call_command("secrets", "--remove", "secret-key", "--yes")
    start_with(settings, NEW)
    with pytest.raises(CommandError, match="secret-key: is not the one"):
        start_with(settings, OLD)


def test_the_digests_hold_none_of_the_secrets_and_differ_by_name(settings: Any) -> None:
    settings.AUDIT_KEY = OLD
    Installation.objects.all().delete()
    startup.refuse_other_secrets()
    digests = Installation.objects.get().digests
    assert OLD not in str(digests)
    assert digests[StoredSecret.SECRET_KEY] != digests[StoredSecret.AUDIT_KEY]
    assert {len(digest) for values in digests.values() for digest in values} == {16}


def test_one_node_with_sqlite_compares_nothing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "_has_other_nodes", lambda: False)
    start_with(settings, NEW)
    assert faults() == []
