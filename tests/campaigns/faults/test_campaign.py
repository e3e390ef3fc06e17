"""The campaign, short: every documented POST meets every kind of fault once, in both modes."""

import subprocess
import sys

import pytest

from tests.management.served import PROJECT
from tests.needed import needed
from tests.scratch_postgres import server_programs

# Eight kinds at six endpoints; being shut out, in two ways, at any.
FAULTS = 50
_SECONDS = 2_000


def run(mode: str, *arguments: str) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.campaigns.faults", "--mode", mode, *arguments]
    ran = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    pairs = [line.rsplit(" ", 1) for line in ran.stdout.splitlines()]
    return {pair[0]: int(pair[1]) for pair in pairs if pair[-1].isdigit()}


@pytest.mark.parametrize("mode", [pytest.param("with keys", marks=pytest.mark.long), "without keys"])
def test_nothing_is_lost_or_duplicated_whatever_goes_wrong(mode: str) -> None:
    figures = run(mode, "--each", "1")
    assert figures["faults"] >= FAULTS
    assert figures["lost"] == figures["duplicated"] == figures["stuck"] == figures["unrecorded"] == 0
    assert mode == "without keys" or figures["held"] == 0


@pytest.mark.long
@pytest.mark.parametrize("mode", ["with keys", "without keys"])
def test_nothing_is_lost_or_duplicated_when_processes_are_killed(mode: str) -> None:
    assert run(mode, "--kills", "3")["kills"] >= 9


@pytest.mark.long
@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
def test_nothing_is_lost_or_duplicated_on_postgresql() -> None:
    run("without keys", "--each", "1", "--postgres")
