"""So many web processes start as there are cores for and room in the memory limit; a start says where it lacks room."""

import os

import pytest

from formation_portal.core.container_limits import ContainerLimits
from formation_portal.documents import sandbox
from formation_portal.management.web_processes import (
    FIRST_BYTES,
    WEB_BYTES,
    WORKER_BYTES,
    available_cores,
    fitting_processes,
    memory_needed,
    memory_warnings,
)

# Of one web process with the first process.
ONE = FIRST_BYTES + WEB_BYTES


def test_a_web_process_counts_with_all_that_its_sandbox_may_take() -> None:
    assert WEB_BYTES - sandbox.MEMORY_AT_MOST > 200_000_000
    # One large task beside one of the usual size.
    assert sandbox.MEMORY_AT_MOST > 600_000_000 + 200_000_000


@pytest.mark.parametrize(
    ("memory", "workers", "number"),
    [
        (ONE, 0, 1),
        (ONE + WEB_BYTES - 1, 0, 1),
        (ONE + WEB_BYTES, 0, 2),
        (ONE + WEB_BYTES, 1, 1),
        (ONE + WEB_BYTES + WORKER_BYTES, 1, 2),
        (ONE + 9 * WEB_BYTES, 0, 4),
    ],
)
def test_those_start_that_the_limit_has_room_for(memory: int, workers: int, number: int) -> None:
    assert fitting_processes(4, memory, workers=workers) == number
    assert memory_needed(number, workers=workers) <= memory


def test_fewer_than_wanted_are_said_in_one_line_and_what_one_needs_where_it_lacks_room() -> None:
    assert fitting_processes(64, None, workers=1) == 64
    assert memory_warnings(64, None, workers=1) == memory_warnings(2, 3_000_000_000, workers=0) == []
    [line] = memory_warnings(4, 3_000_000_000, workers=0)
    assert line.startswith("Web processes: 2 instead of 4, because the memory limit is 3,000 MB.")
    assert fitting_processes(4, ONE - 1, workers=0) == 1
    [line] = memory_warnings(4, 536_870_912, workers=0)
    assert line.startswith("Warning: the memory limit is 536 MB, and one web process with the rest needs ")


def test_a_quota_of_the_processor_counts_as_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    assert available_cores(ContainerLimits(cores=None)) == cores
    assert available_cores(ContainerLimits(cores=0.25)) == 1
    assert available_cores(ContainerLimits(cores=cores + 7.5)) == cores
