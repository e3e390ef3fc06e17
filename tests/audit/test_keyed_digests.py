"""Somebody who can write to the database and to the anchor, but has no AUDIT_KEY, neither rewrites nor shortens the log
unnoticed."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from formation_portal.audit import marks
from formation_portal.audit.models import COLUMNS, AuditAction, ChainMark, Entry

from .conftest import Append
from .tampering import HASH, Row, findings, rewritten, run, store, stored

pytestmark = pytest.mark.django_db

DIGEST = len(COLUMNS)
OTHER_KEY = "another-key-that-nobody-can-guess-98765"


def store_everywhere(rows: list[Row], anchor_file: Path) -> None:
    store(rows)
    anchor_file.write_text("".join(f"{row[0]:012d} {row[HASH]}\n" for row in rows))


def store_rewritten_without_digests(index: int, anchor_file: Path) -> list[Row]:
    rows = rewritten(stored(), index)
    for row in rows:
        row[DIGEST] = ""
    store_everywhere(rows, anchor_file)
    return rows


def set_mark(name: str, row: Row) -> None:
    ChainMark.objects.filter(name=name).update(number=row[0], hash=row[HASH])


@pytest.fixture(autouse=True)
def _no_end_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "_logged_end", None)


@pytest.fixture
def older(append: Append) -> None:
    """Four entries that a version before keyed digests wrote, migrated to this version."""
    append(4)
    Entry.objects.update(keyed_digest="")
    ChainMark.objects.all().delete()
    marks.make_marks()


def test_an_entry_rewritten_with_all_hashes_and_the_anchor_is_found(append: Append, anchor_file: Path) -> None:
    append(6)
    assert findings() == []
    store_everywhere(rewritten(stored(), 2), anchor_file)
    assert findings() == [
        (3, "to 6 have the wrong keyed digests"),
        (6, "does not match the mark of the log's beginning or end"),
    ]
    output, error = run("verify")
    assert "Number 3 to 6 have the wrong keyed digests.\n" in output
    assert error == "The audit log has been altered. Findings: 2."


def test_all_entries_removed_from_both_places_are_found(append: Append, anchor_file: Path) -> None:
    append(3)
    store_everywhere([], anchor_file)
    assert findings() == [(1, "to 3 are missing from the end")]
    ChainMark.objects.all().delete()
    assert [what for _, what in findings()] == [
        "may not be the last entry: the mark of the log's end is missing or altered",
        "may have been rewritten: the mark of the log's beginning is missing or altered",
    ]


def test_a_cut_is_still_found_when_the_log_has_grown_longer_than_before(append: Append, anchor_file: Path) -> None:
    append(6)
    end = ChainMark.objects.get(name=marks.END)
    store_everywhere(stored()[:4], anchor_file)
    assert findings() == [(5, "to 6 are missing from the end")]
    append(1)
    assert findings() == [(6, "is missing from the end")]
    append(4)
    assert findings() == [
        (6, "does not match the mark of the log's beginning or end"),
        (7, "follows the entry that is marked as the last"),
    ]
    # Nor does it help to move the mark of the end back.
    end.save()
    rows = stored()[:4]
    store_everywhere(rows, anchor_file)
    set_mark(marks.END, rows[-1])
    altered = "may not be the last entry: the mark of the log's end is missing or altered"
    assert findings() == [(4, altered)]
    append(1)
    assert findings() == [(5, altered)]


def test_a_rewritten_log_without_digests_does_not_pass_as_an_older_one(append: Append, anchor_file: Path) -> None:
    append(5)
    rows = store_rewritten_without_digests(1, anchor_file)
    for name in (marks.BEGINNING, marks.END):
        set_mark(name, rows[-1])
    assert findings() == [(1, "and all later entries have keyed digests of another AUDIT_KEY")]
    append(1)
    assert findings() == [
        (1, "may have been rewritten: the mark of the log's beginning is missing or altered"),
        (1, "to 5 have no keyed digest"),
        (6, "may not be the last entry: the mark of the log's end is missing or altered"),
    ]


def test_accepting_what_is_missing_hides_no_rewritten_entry(append: Append, anchor_file: Path) -> None:
    append(5)
    store_rewritten_without_digests(1, anchor_file)
    run("anchor")
    assert [what for _, what in findings()] == [
        "does not match the mark of the log's beginning or end",
        "follows the entry that is marked as the last",
    ]


def test_a_new_key_takes_the_place_of_the_one_before_which_then_fits_no_more(append: Append, settings: Any) -> None:
    old_key = settings.AUDIT_KEY
    append(3)
    settings.AUDIT_KEY = f"{OTHER_KEY} {old_key}"
    append(2)
    assert findings() == [
        (1, "and the last entry are marked with an earlier AUDIT_KEY"),
        (1, "to 3 have the keyed digests of an earlier AUDIT_KEY"),
    ]
    assert "Entries given a keyed digest: 3.\n" in run("anchor")[0]
    assert findings() == []
    settings.AUDIT_KEY = OTHER_KEY
    assert findings() == []
    settings.AUDIT_KEY = old_key
    assert findings() == [(1, "and all later entries have keyed digests of another AUDIT_KEY")]
    error = run("verify")[1]
    assert error.startswith("AUDIT_KEY does not fit this audit log. Set the key that wrote it.")


def test_a_key_of_the_environment_is_changed_there_and_one_made_here_gets_a_new_one(
    settings: Any, tmp_path: Path, append: Append
) -> None:
    settings.ENV, settings.DATA_DIR = settings.ENV.model_copy(update={"audit_key": OTHER_KEY}), tmp_path
    assert run("new-key") == ("", "AUDIT_KEY is set: put a new key before it, and a space between them")
    assert [*tmp_path.iterdir()] == []
    settings.ENV, settings.DATA_DIR = settings.ENV.model_copy(update={"audit_key": ""}), tmp_path
    (tmp_path / "audit-key").write_text(settings.AUDIT_KEY)
    append(2)
    assert run("new-key")[0] == "Made a new key. Start all nodes anew, then run manage.py audit anchor.\n"
    new_key, old_key = (tmp_path / "audit-key").read_text().split()
    assert old_key == settings.AUDIT_KEY
    assert len(new_key) >= 50
    settings.AUDIT_KEY = f"{new_key} {old_key}"
    run("anchor")
    settings.AUDIT_KEY = new_key
    assert findings() == []


def test_who_has_an_earlier_key_alone_cannot_rewrite(append: Append, settings: Any, anchor_file: Path) -> None:
    old_key = settings.AUDIT_KEY
    append(3)
    settings.AUDIT_KEY = f"{OTHER_KEY} {old_key}"
    run("anchor")
    rows = rewritten(stored(), 1)
    settings.AUDIT_KEY = old_key
    for row in rows:
        row[DIGEST] = marks.entry_digests(str(row[HASH]))[0]
    store_everywhere(rows, anchor_file)
    ChainMark.objects.filter(name=marks.END).update(
        number=4, hash=rows[-1][HASH], digest=marks.mark_digests(marks.END, 4, str(rows[-1][HASH]))[0]
    )
    settings.AUDIT_KEY = f"{OTHER_KEY} {old_key}"
    assert (1, "to 4 have the keyed digests of an earlier AUDIT_KEY") in findings()


def test_older_entries_are_a_finding_once_they_are_rewritten(older: None, append: Append, anchor_file: Path) -> None:
    append(2)
    assert findings() == []
    output, error = run("verify")
    assert "Entries up to number 4 are older than keyed digests.\n" in output
    assert error == ""
    rows = stored()
    for index in (0, 3):
        store_everywhere(rewritten(rows, index), anchor_file)
        assert (5, "to 6 have the wrong keyed digests") in findings()
        assert (4, "does not match the mark of the log's beginning or end") in findings()


def test_older_entries_do_not_become_more(older: None, append: Append, anchor_file: Path) -> None:
    append(3)
    rows = store_rewritten_without_digests(5, anchor_file)
    set_mark(marks.BEGINNING, rows[-1])
    assert findings() == [
        (1, "may have been rewritten: the mark of the log's beginning is missing or altered"),
        (1, "to 7 have no keyed digest"),
        (7, "does not match the mark of the log's beginning or end"),
    ]


def test_what_an_older_version_writes_meanwhile_is_found_until_it_is_accepted(older: None, append: Append) -> None:
    append(1)
    end = ChainMark.objects.get(name=marks.END)
    append(2)
    # As a version writes that knows of neither.
    Entry.objects.filter(number__in=(6, 7)).update(keyed_digest="")
    end.save()
    append(1)
    assert findings() == [
        (6, "follows the entry that is marked as the last"),
        (6, "to 7 have no keyed digest"),
    ]
    assert run("anchor")[0].endswith("Entries given a keyed digest: 2.\n")
    newest = Entry.objects.order_by("-number")[0]
    assert (newest.number, newest.action) == (9, AuditAction.ACCEPTANCE)
    assert json.loads(newest.detail) == {"count": 2, "first": 6, "last": 7}
    append(1)
    assert findings() == []


def test_an_end_that_is_gone_is_found(append: Append, anchor_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    append(2)
    rows, end = stored(), ChainMark.objects.get(name=marks.END)
    append(2)
    last = Entry.objects.get(number=4).hash
    with caplog.at_level(logging.INFO):
        marks.log_end()
    assert f"The audit log ends with entry 4, hash {last}" in caplog.text
    caplog.clear()
    assert f"It ends with 4:{last}.\n" in run("verify")[0]
    append(1)
    assert run("verify", "--reaches", f"4:{last}")[1] == ""
    store_everywhere(rows, anchor_file)
    end.save()
    output, error = run("verify", "--reaches", f"4:{last}")
    assert "Number 4 is missing, or has another hash than you gave.\n" in output
    assert error == "The audit log has been altered. Findings: 1."
    append(3)
    assert findings() == []
    marks.log_end()
    [error] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert error == f"The audit log no longer has entry 4 with hash {last}: it was cut or rewritten"


@pytest.mark.parametrize("text", ["", "4:", "four:" + "a" * 64, "4:" + "g" * 64, "9" * 30 + ":" + "a" * 64])
def test_an_entry_that_cannot_be_read_is_refused(text: str) -> None:
    expected = "Error: argument --reaches: should be a number, a colon and a hash, as audit verify prints them"
    assert run("verify", f"--reaches={text}") == ("", expected)
