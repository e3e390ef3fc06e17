"""PostgreSQL killed under load: nothing acknowledged is lost, pages say so and keep their forms, all go on after it.

`make durability` kills ten times as often.
"""

import pytest

from tests.needed import needed
from tests.scratch_postgres import server_programs

from .run import figures

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.long,
    needed("PostgreSQL", server_programs() is not None),
    # The tests read one run of the command.
    pytest.mark.xdist_group("durability_postgres"),
]


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    return figures("postgres", seed=5)


def test_nothing_acknowledged_is_lost(said: dict[str, str]) -> None:
    assert said["postgres_kills"] == "2"
    assert int(said["postgres_acknowledged"]) > 0
    assert said["postgres_lost"] == "0"


def test_every_save_meanwhile_is_answered_with_503_and_its_form(said: dict[str, str]) -> None:
    assert int(said["postgres_pages_503"]) > 0
    assert said["postgres_pages_503_without_form"] == "0"
    assert said["postgres_odd_answers"] == "0"


def test_web_server_and_worker_outlive_it_and_deliver_everything(said: dict[str, str]) -> None:
    assert said["postgres_processes_replaced"] == "0"
    assert said["postgres_not_delivered"] == "0"
