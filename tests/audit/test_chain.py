"""An entry is kept with its action or not at all, costs three queries, and is anchored once it is committed."""

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from formation_portal.applications.access import Guest
from formation_portal.applications.models import Application
from formation_portal.audit import anchor, chain
from formation_portal.audit.models import FIRST_PREVIOUS_HASH, Actor, AuditAction, Entry
from formation_portal.audit.verification import verify

from .conftest import Append
from .tampering import run

pytestmark = pytest.mark.django_db

ABOUT = Application(pk=7, reference="FP-7K3M-92QX-4TBD")


def test_entries_are_numbered_and_hold_each_other_and_the_command_says_how_many_it_has_read(append: Append) -> None:
    assert "Read 0 entries" in run("verify")[0]
    append(12)
    entries = Entry.objects.order_by("number")
    assert [entry.number for entry in entries] == list(range(1, 13))
    assert [entry.previous for entry in entries] == [FIRST_PREVIOUS_HASH, *(entry.hash for entry in entries[:11])]
    output, _ = run("verify")
    assert output.startswith("Read 12 entries up to number 12 in ")
    assert "s of processor time." in output
    assert output.endswith("The audit log is intact.\n")
    Entry.objects.filter(number=4).update(subject="another")
    output, error = run("verify")
    assert "Number 4 was altered.\n" in output
    assert error == "The audit log has been altered. Findings: 1."


def test_an_entry_says_who_it_was_and_a_long_subject_becomes_one_line(agent: Any, owner: Any) -> None:
    chain.append(AuditAction.CHANGE, by=agent, application=ABOUT, subject="one\ntwo" * 40, text="three\nfour")
    [entry] = Entry.objects.all()
    assert len(entry.subject) == 80
    assert "\n" not in entry.subject + entry.detail
    assert json.loads(entry.detail) == {"text": "three\nfour"}
    for by in (agent, owner, Guest(), None):
        chain.append(AuditAction.CHANGE, by=by, application=ABOUT)
    actors = [(one.actor, one.account) for one in Entry.objects.order_by("number")[1:]]
    assert actors == [
        (Actor.AGENT, agent.pk),
        (Actor.CUSTOMER, owner.pk),
        (Actor.GUEST, 0),
        (Actor.PORTAL, 0),
    ]


def test_only_commits_are_anchored(agent: Any, anchor_file: Path, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        chain.append(AuditAction.LOOK, by=agent, application=ABOUT)
        transaction.set_rollback(True)
    assert not Entry.objects.exists()
    assert not anchor_file.exists()
    with django_capture_on_commit_callbacks(execute=True):
        chain.append(AuditAction.LOOK, by=agent, application=ABOUT)
        assert not anchor_file.exists()
    [entry] = Entry.objects.all()
    assert anchor.read_anchor() == ({1: entry.hash}, frozenset())
    assert anchor_file.stat().st_mode & 0o777 == 0o600


def test_an_anchor_that_cannot_be_written_is_logged_and_no_action_fails_by_it(
    append: Append, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.AUDIT_ANCHOR = tmp_path / "nowhere" / "anchor"
    with caplog.at_level(logging.ERROR):
        append(1)
    assert "Could not write" in caplog.text
    assert Entry.objects.count() == 1


def test_what_a_crash_left_out_is_accepted(append: Append, anchor_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(3)
    lines = anchor_file.read_text().splitlines(keepends=True)
    anchor_file.write_text("".join(lines[:2]))
    assert "intact" in run("verify")[0], "it may still be on its way"
    later = time.time_ns() + 3600 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert run("verify")[1] != ""
    assert run("anchor")[0] == "Entries anchored: 1.\n"
    assert "intact" in run("verify")[0]
    assert anchor_file.read_text().splitlines(keepends=True) == lines


@pytest.mark.django_db(transaction=True)
def test_several_who_add_entries_at_once_make_one_chain_without_a_gap(anchor_file: Path) -> None:
    def add(number: int) -> None:
        about = Application(pk=number, reference="FP-7K3M-92QX-4TBD")
        try:
            for subject in range(8):
                with transaction.atomic():
                    chain.append(AuditAction.CHANGE, by=None, application=about, subject=subject)
                    transaction.set_rollback(subject % 4 == 3)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as crowd:
        list(crowd.map(add, range(4)))
    assert Entry.objects.count() == len(anchor.read_anchor()[0]) == 24
    report = verify(now=0)
    assert (report.rows, report.newest, report.findings) == (24, 24, ())
