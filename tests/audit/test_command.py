"""`manage.py audit verify` says how much it has read and what it found; `audit anchor` accepts what a crash left."""

import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from formation_portal.audit.models import Entry

from .conftest import Append

pytestmark = pytest.mark.django_db


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
