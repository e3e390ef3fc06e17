"""SQLite: what its live connections are set to, many writers on one file, kill -9 at random moments.

`make durability` does ten times as much.
"""

import shutil

import pytest

from .run import measure

# The tests read one run of the command.
pytestmark = [pytest.mark.xdist_group("durability_sqlite"), pytest.mark.long]


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    return measure("sqlite", seed=20)


@pytest.mark.parametrize("alias", ["default", "service"])
def test_the_live_connections_are_set_so_that_a_commit_outlives_a_power_cut(
    results: dict[str, str], alias: str
) -> None:
    read = {name.removeprefix(f"sqlite_{alias}_"): value for name, value in results.items() if f"_{alias}_" in name}
    assert read["journal_mode"] == "wal"
    assert read["synchronous"] == "2"
    assert read["foreign_keys"] == "1"
    assert read["busy_timeout"] == "10000"
    assert read["transactions"] == "immediate"


@pytest.mark.skipif(shutil.which("strace") is None, reason="not run: strace is not installed")
def test_each_commit_waits_for_the_disk(results: dict[str, str]) -> None:
    assert int(results["sqlite_syncs"]) >= int(results["sqlite_acknowledged_under_strace"]) >= 30


def test_four_processes_write_to_one_file_and_none_finds_it_locked(results: dict[str, str]) -> None:
    assert int(results["sqlite_writes"]) >= 1_000
    assert results["sqlite_writes_locked"] == results["sqlite_calls_not_done"] == "0"
    assert results["sqlite_default_integrity_after_writes"] == results["sqlite_service_integrity_after_writes"] == "ok"


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(results: dict[str, str]) -> None:
    assert results["sqlite_kills"] == "20"
    assert int(results["sqlite_kills_acknowledged"]) > 0
    assert results["sqlite_kills_lost"] == results["sqlite_kills_half_done"] == results["sqlite_kills_unsound"] == "0"
