"""Forty tamperings of five kinds, each found at its number, however careful about the hashes."""

import random
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import Error, connection, transaction

from formation_portal.audit import anchor
from formation_portal.audit.models import AnchorRow, Entry
from formation_portal.audit.verification import AuditReport, verify
from tests.scratch_postgres import KEYS

from .conftest import Append
from .tampering import KINDS, Care, Row, delete, findings, rehash, renumber, rewritten, store, stored

pytestmark = pytest.mark.django_db

ROWS, ROUNDS = 12, 8


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_tampering_is_found_at_its_number(append: Append, kind: Callable[[list[Row], random.Random], int]) -> None:
    append(ROWS)
    before = stored()
    assert findings() == []
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        rows, care = [list(row) for row in before], chance.choice(list(Care))
        index = kind(rows, chance)
        if kind is not delete or care is Care.ALL:
            renumber(rows)
        rehash(rows, index, care)
        store(rows)
        found = findings()
        assert found, (seed, care)
        assert found[0][0] == index + 1, (seed, care, found)
    store(before)
    assert findings() == []


def test_several_rows_in_a_row_are_one_finding_and_rows_out_of_the_numbers_are_found(append: Append) -> None:
    append(9)
    rows = stored()
    store([*rows[:2], *rows[5:7]])
    assert findings() == [
        (3, "to 5 are missing"),
        (6, "does not follow the previous entry"),
        (8, "to 9 are missing from the end"),
    ]
    store([[0, *rows[0][1:]], *rows])
    assert [number for number, _ in findings()] == [0]


def test_a_lost_anchor_and_two_hashes_are_found_and_half_a_line_is_not(append: Append, anchor_file: Path) -> None:
    append(1)
    with anchor_file.open("a") as file:
        file.write(f"{2:012d} {'a' * 20}")
    append(2)
    assert findings() == []
    with anchor_file.open("a") as file:
        file.write(f"{2:012d} {'a' * 64}\n")
    assert findings() == [(2, "is anchored with two hashes")]
    anchor_file.unlink()
    assert findings() == [(1, "and all later entries have no anchor: the anchor is missing or empty")]


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


def test_the_table_takes_an_entry_in_its_transaction(append: Append, in_table: None) -> None:
    append(3)
    assert list(AnchorRow.objects.values_list("number", "hash")) == list(
        Entry.objects.order_by("number").values_list("number", "hash")
    )
    assert report(minutes=5).findings == ()
    assert anchor.copy_anchor(3) == "", "it is copied with its database"
    store(rewritten(stored(), 2))
    assert (3, "does not match its anchor") in [(one.number, one.what) for one in report(minutes=5).findings]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="not run: only PostgreSQL shares the table")
def test_the_table_only_grows(append: Append, in_table: None) -> None:
    append(2)
    for change in (lambda: AnchorRow.objects.update(hash="0" * 64), lambda: AnchorRow.objects.all().delete()):
        with pytest.raises(Error, match="audit_anchor only grows"), transaction.atomic():
            change()
