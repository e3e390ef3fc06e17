"""An entry is kept with its action or not at all, costs three queries, and is anchored once it is committed."""

import json
import logging
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from formation_portal.applications.access import Guest
from formation_portal.applications.models import Application
from formation_portal.audit import anchor, chain
from formation_portal.audit.models import FIRST_PREVIOUS_HASH, Actor, AuditAction, Entry

from .conftest import Append

pytestmark = pytest.mark.django_db

ABOUT = Application(pk=7, reference="FP-7K3M-92QX-4TBD")


def test_entries_are_numbered_and_hold_each_other(append: Append) -> None:
    append(3)
    first, second, third = Entry.objects.order_by("number")
    assert [one.number for one in (first, second, third)] == [1, 2, 3]
    assert first.previous == FIRST_PREVIOUS_HASH
    assert (second.previous, third.previous) == (first.hash, second.hash)


def test_it_says_who_it_was(agent: Any, owner: Any) -> None:
    for by in (agent, owner, Guest(), None):
        chain.append(AuditAction.CHANGE, by=by, application=ABOUT)
    actors = [(one.actor, one.account) for one in Entry.objects.order_by("number")]
    assert actors == [
        (Actor.AGENT, agent.pk),
        (Actor.CUSTOMER, owner.pk),
        (Actor.GUEST, 0),
        (Actor.PORTAL, 0),
    ]


def test_a_long_subject_with_ends_of_lines_becomes_one_line(agent: Any) -> None:
    chain.append(AuditAction.CHANGE, by=agent, application=ABOUT, subject="one\ntwo" * 40, text="three\nfour")
    [entry] = Entry.objects.all()
    assert len(entry.subject) == 80
    assert "\n" not in entry.subject + entry.detail
    assert json.loads(entry.detail) == {"text": "three\nfour"}


def test_what_is_rolled_back_leaves_neither_entry_nor_anchor(
    agent: Any, anchor_file: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        chain.append(AuditAction.LOOK, by=agent, application=ABOUT)
        transaction.set_rollback(True)
    assert not Entry.objects.exists()
    assert not anchor_file.exists()


def test_the_anchor_never_leads(agent: Any, anchor_file: Path, django_capture_on_commit_callbacks: Any) -> None:
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


def run(subcommand: str = "verify") -> str:
    output = StringIO()
    call_command("audit", subcommand, stdout=output)
    return output.getvalue()


def test_it_says_how_much_it_has_read_also_where_nothing_is(append: Append) -> None:
    assert "Read 0 entries" in run()
    append(12)
    output = run()
    assert output.startswith("Read 12 entries up to number 12 in ")
    assert "s of processor time." in output
    assert output.endswith("The audit log is intact.\n")


def test_a_tampering_is_said_with_its_number_and_ends_with_one(append: Append) -> None:
    append(5)
    Entry.objects.filter(number=4).update(subject="another")
    output = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("audit", "verify", stdout=output)
    assert "Number 4 was altered.\n" in output.getvalue()
    assert raised.value.returncode == 1


def test_what_a_crash_left_without_an_anchor_is_named_until_it_is_accepted(
    append: Append, anchor_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(3)
    lines = anchor_file.read_text().splitlines(keepends=True)
    anchor_file.write_text("".join(lines[:2]))
    assert "intact" in run(), "it may still be on its way"
    later = time.time_ns() + 3600 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: later)
    with pytest.raises(CommandError):
        run()
    assert run("anchor") == "Entries anchored: 1.\n"
    assert "intact" in run()
    assert anchor_file.read_text().splitlines(keepends=True) == lines
