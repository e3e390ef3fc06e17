"""The campaign, short: every documented POST meets every kind of fault once, in both modes."""

import pytest

from tests.needed import needed
from tests.scratch_postgres import server_programs

from .subprocess_run import run

# Eight kinds at six endpoints; being shut out, in two ways, at any.
FAULTS = 50


@pytest.mark.parametrize("mode", [pytest.param("with keys", marks=pytest.mark.long), "without keys"])
def test_nothing_is_lost_or_duplicated_whatever_goes_wrong(mode: str) -> None:
    ran = run(mode, "--each", "1")
    assert ran.code == 0, ran.output
    assert ran.results["faults"] >= FAULTS
    assert ran.results["lost"] == ran.results["duplicated"] == ran.results["stuck"] == ran.results["unrecorded"] == 0
    assert mode == "without keys" or ran.results["held"] == 0


@pytest.mark.long
@pytest.mark.parametrize("mode", ["with keys", "without keys"])
def test_nothing_is_lost_or_duplicated_when_processes_are_killed(mode: str) -> None:
    ran = run(mode, "--kills", "3")
    assert ran.code == 0, ran.output
    assert ran.results["kills"] >= 9


@pytest.mark.long
@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
def test_nothing_is_lost_or_duplicated_on_postgresql() -> None:
    ran = run("without keys", "--each", "1", "--postgres")
    assert ran.code == 0, ran.output
