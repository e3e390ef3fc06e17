"""The anchor is a file or a table. The table only grows, and what one node alters is found from another."""

import runpy
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import Error, connection, transaction

from formation_portal.audit import anchor
from formation_portal.audit.models import AnchorRow, Entry
from formation_portal.audit.verification import AuditReport, verify
from tests.scratch_postgres import KEYS

from .conftest import Append
from .tampering import rewritten, store, stored

PROJECT = Path(__file__).parents[2]
BUCKET = "s3://key:secret@bucket?endpoint=http://localhost:9"
POSTGRES = "postgres://portal@localhost:9/portal"


def report(*, minutes: float = 0) -> AuditReport:
    return verify(now=time.time_ns() // 1000 + round(minutes * 60_000_000))


@pytest.fixture
def in_table(settings: Any) -> None:
    settings.AUDIT_ANCHOR = None


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, "audit-anchor"),
        ({"STORAGE_URL": BUCKET, "DATABASE_URL": POSTGRES}, "None"),
        ({"DATABASE_URL": POSTGRES, "AUDIT_ANCHOR": "/elsewhere/hashes"}, "/elsewhere/hashes"),
    ],
)
def test_the_anchor_is_a_file_or_on_postgresql_the_table(
    environment: dict[str, str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared = {"DATABASE_URL": "", "SERVICE_DATABASE_URL": "", "DATA_DIR": str(tmp_path)}
    for name, value in (KEYS | cleared | environment).items():
        monkeypatch.setenv(name, value)
    anchor_path = runpy.run_path(str(PROJECT / "formation_portal/settings.py"))["AUDIT_ANCHOR"]
    assert str(anchor_path) == (str(tmp_path / place) if place == "audit-anchor" else place)


@pytest.mark.django_db
def test_the_table_takes_an_entry_in_its_transaction(append: Append, in_table: None) -> None:
    append(3)
    assert list(AnchorRow.objects.values_list("number", "hash")) == list(
        Entry.objects.order_by("number").values_list("number", "hash")
    )
    assert report(minutes=5).findings == ()
    assert anchor.copy_anchor(3) == "", "it is copied with its database"
    store(rewritten(stored(), 2))
    assert (3, "does not match its anchor") in [(one.number, one.what) for one in report(minutes=5).findings]


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="not run: only PostgreSQL shares the table")
def test_the_table_only_grows(append: Append, in_table: None) -> None:
    append(2)
    for change in (lambda: AnchorRow.objects.update(hash="0" * 64), lambda: AnchorRow.objects.all().delete()):
        with pytest.raises(Error, match="audit_anchor only grows"), transaction.atomic():
            change()
