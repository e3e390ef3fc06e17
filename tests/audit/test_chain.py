"""An entry is kept with its action or not at all, costs three queries, and is anchored once it is committed."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.parametrize("before", [0, 5])
def test_an_entry_costs_three_queries(append: Append, before: int, agent: Any, django_assert_num_queries: Any) -> None:
    append(before)
    with django_assert_num_queries(3):
        chain.append(AuditAction.LOOK, by=agent, application=ABOUT)


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
