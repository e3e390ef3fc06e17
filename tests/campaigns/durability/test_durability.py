"""The command at its small size: `make durability` does ten times as much."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.management.served import PROJECT
from tests.needed import needed
from tests.scratch_postgres import server_programs

# The tests of SQLite read one run of the command.
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("durability")]


def measure(part: str, *, seed: int) -> dict[str, str]:
    """Return the lines that it prints, by name. It must end well, and say nothing else."""
    # The command makes its own settings; those of the test run are not its own.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    command = [sys.executable, "-m", "tests.campaigns.durability", part, "--small", "--seed", str(seed)]
    run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())


@pytest.fixture(scope="module")
def sqlite() -> dict[str, str]:
    return measure("sqlite", seed=20)


@needed("strace", shutil.which("strace") is not None)
def test_each_commit_of_sqlite_waits_for_the_disk(sqlite: dict[str, str]) -> None:
    assert int(sqlite["sqlite_syncs"]) >= int(sqlite["sqlite_acknowledged_under_strace"]) >= 30


def test_sqlite_keeps_what_was_acknowledged_beside_other_writers_and_through_kills(sqlite: dict[str, str]) -> None:
    for alias in ("default", "service"):
        set_to = {"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"}
        for name, value in (set_to | {"transactions": "immediate"}).items():
            assert sqlite[f"sqlite_{alias}_{name}"] == value, "a commit outlives a power cut"
        assert sqlite[f"sqlite_{alias}_integrity_after_writes"] == "ok"
    assert int(sqlite["sqlite_writes"]) >= 1_000
    assert sqlite["sqlite_writes_locked"] == sqlite["sqlite_calls_not_done"] == "0"
    assert sqlite["sqlite_kills"] == "20"
    assert int(sqlite["sqlite_kills_acknowledged"]) > 0
    assert sqlite["sqlite_kills_lost"] == sqlite["sqlite_kills_half_done"] == sqlite["sqlite_kills_unsound"] == "0"


@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
def test_postgresql_is_killed_and_every_page_says_so_and_nothing_is_lost() -> None:
    results = measure("postgres", seed=5)
    assert results["postgres_kills"] == "2"
    assert int(results["postgres_acknowledged"]) > 0
    assert results["postgres_lost"] == "0"
    assert int(results["postgres_pages_503"]) > 0
    assert results["postgres_pages_503_without_form"] == "0"
    assert results["postgres_odd_answers"] == "0"
    assert results["postgres_processes_replaced"] == "0"
    assert results["postgres_not_delivered"] == "0"
