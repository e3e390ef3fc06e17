"""One anchor for all nodes: a bucket, or a table that only grows. What one node alters is found from the other."""

import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import Error, connection, transaction

from formation_portal.audit import anchor
from formation_portal.audit.models import AnchorRow, Entry
from formation_portal.audit.verification import AuditReport, verify
from formation_portal.core.background import minute_tasks
from formation_portal.core.servers import bucket
from formation_portal.core.storage import storage_settings
from tests.object_store import ObjectStore, needs_a_bucket, object_server, object_store

from .conftest import Append
from .tampering import REFERENCE, Care, rehash, store, stored

__all__ = ["object_server", "object_store"]


def report(*, minutes: float = 0) -> AuditReport:
    """As it is found so much later."""
    return verify(now=time.time_ns() // 1000 + round(minutes * 60_000_000))


def cut_last() -> None:
    store(stored()[:-1])


def rewrite_third() -> None:
    """As somebody does who can reckon hashes."""
    rows = stored()
    rows[2][REFERENCE] = "FP-0000-0000-0000"
    rehash(rows, 2, Care.ALL)
    store(rows)


@pytest.fixture
def in_bucket(object_store: ObjectStore, settings: Any, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    monkeypatch.setattr(bucket, "READ_SECONDS", 0.5)
    monkeypatch.setattr(anchor, "_newest_in_bucket", None)
    settings.STORAGES = settings.STORAGES | storage_settings(object_store.url())
    settings.AUDIT_ANCHOR = anchor.BUCKET
    return object_store


@pytest.fixture
def in_table(settings: Any) -> None:
    settings.AUDIT_ANCHOR = anchor.TABLE


@pytest.mark.django_db
@needs_a_bucket
def test_each_minute_the_newest_entry_becomes_an_object(append: Append, in_bucket: ObjectStore) -> None:
    append(3)
    assert in_bucket.names == [], "no page waits for the bucket"
    assert report().findings == (), "it may take some minutes"
    assert "no anchor" in str(report(minutes=5).findings)
    anchor.anchor_newest()
    anchor.anchor_newest()
    append(1)
    anchor.anchor_newest()
    hashes = dict(Entry.objects.values_list("number", "hash"))
    assert in_bucket.names == [f"here/anchor/{number:012d}-{hashes[number]}" for number in (3, 4)]
    assert report(minutes=5).findings == ()


@pytest.mark.django_db
@needs_a_bucket
def test_what_is_rewritten_or_cut_off_is_found_from_any_node(append: Append, in_bucket: ObjectStore) -> None:
    append(5)
    anchor.anchor_newest()
    whole = stored()
    rewrite_third()
    assert (5, "does not match its anchor") in [(one.number, one.what) for one in report(minutes=5).findings]
    # Whoever goes on from there only makes it worse: both hashes stand in the bucket.
    anchor.anchor_newest()
    anchor._newest_in_bucket = None
    anchor.anchor_newest()
    assert "is anchored with two hashes" in str(report(minutes=5).findings)
    store(whole)
    cut_last()
    assert "is missing from the end" in str(report(minutes=5).findings)


@pytest.mark.django_db
@needs_a_bucket
def test_a_bucket_that_is_away_stops_nothing_and_the_anchor_catches_up(
    append: Append, in_bucket: ObjectStore, caplog: pytest.LogCaptureFixture
) -> None:
    append(2)
    anchor.anchor_newest()
    in_bucket.stop()
    append(2)
    anchor.anchor_newest()
    assert "Could not write the audit anchor: The bucket does not answer" in caplog.text
    with pytest.raises(CommandError, match="AUDIT_ANCHOR: the anchor can't be read: The bucket does not answer"):
        call_command("audit", "verify")
    in_bucket.start_again()
    assert "no anchor" in str(report(minutes=5).findings)
    anchor.anchor_newest()
    assert report(minutes=5).findings == ()
    call_command("audit", "verify", stdout=(output := StringIO()))
    assert "The audit log is intact." in output.getvalue()


@pytest.mark.django_db(transaction=True)
@needs_a_bucket
def test_who_runs_the_tasks_anchors(append: Append, in_bucket: ObjectStore) -> None:
    append(1)
    with minute_tasks().running():
        until = time.monotonic() + 60
        while not in_bucket.names and time.monotonic() < until:
            time.sleep(0.05)
    assert len(in_bucket.names) == 1


@pytest.mark.django_db
def test_the_table_takes_an_entry_in_its_transaction(append: Append, in_table: None) -> None:
    append(3)
    assert list(AnchorRow.objects.values_list("number", "hash")) == list(
        Entry.objects.order_by("number").values_list("number", "hash")
    )
    assert report(minutes=5).findings == ()
    rewrite_third()
    assert (3, "does not match its anchor") in [(one.number, one.what) for one in report(minutes=5).findings]


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="not run: only PostgreSQL shares the table")
def test_the_table_only_grows(append: Append, in_table: None) -> None:
    append(2)
    for change in (lambda: AnchorRow.objects.update(hash="0" * 64), lambda: AnchorRow.objects.all().delete()):
        with pytest.raises(Error, match="audit_anchor only grows"), transaction.atomic():
            change()


@pytest.mark.django_db
def test_the_file_of_before_is_moved_once(append: Append, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.AUDIT_ANCHOR = tmp_path, tmp_path / "audit-anchor"
    append(3)
    settings.AUDIT_ANCHOR = anchor.TABLE
    assert "no anchor" in str(report().findings)
    said: list[str] = []
    anchor.move_file(said.append)
    anchor.move_file(said.append)
    assert said == ["Moved 3 anchors of the audit from DATA_DIR into the table"]
    append(1)
    assert report(minutes=5).findings == ()


@pytest.mark.django_db
@needs_a_bucket
def test_a_backup_has_the_objects_of_its_own_entries(append: Append, in_bucket: ObjectStore) -> None:
    for _ in range(3):
        append(1)
        anchor.anchor_newest()
    names = in_bucket.names
    assert len(names) == 3
    lines = anchor.copy_anchor(2)
    in_bucket.bucket.objects.delete()
    anchor.restore_anchor(lines)
    assert in_bucket.names == names[:2]
    anchor.restore_anchor(lines)
    assert in_bucket.names == names[:2]


@pytest.mark.django_db
def test_the_table_is_copied_with_its_database(append: Append, in_table: None) -> None:
    append(1)
    assert AnchorRow.objects.count() == 1
    assert anchor.copy_anchor(1) == ""
