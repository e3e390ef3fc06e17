"""PostgreSQL killed under load: nothing acknowledged is lost, pages say so and keep their forms, all go on after it.

`make durability` kills ten times as often.
"""

import pytest

from tests.needed import needed
from tests.scratch_postgres import server_programs

from .run import measure

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.long,
    needed("PostgreSQL", server_programs() is not None),
    # The tests read one run of the command.
    pytest.mark.xdist_group("durability_postgres"),
]


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    return measure("postgres", seed=5)


def test_nothing_acknowledged_is_lost(results: dict[str, str]) -> None:
    assert results["postgres_kills"] == "2"
    assert int(results["postgres_acknowledged"]) > 0
    assert results["postgres_lost"] == "0"


def test_every_save_meanwhile_is_answered_with_503_and_its_form(results: dict[str, str]) -> None:
    assert int(results["postgres_pages_503"]) > 0
    assert results["postgres_pages_503_without_form"] == "0"
    assert results["postgres_odd_answers"] == "0"


def test_web_server_and_worker_outlive_it_and_deliver_everything(results: dict[str, str]) -> None:
    assert results["postgres_processes_replaced"] == "0"
    assert results["postgres_not_delivered"] == "0"
