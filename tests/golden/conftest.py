"""One world for all scenes, at a fixed time."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections
from django.utils import timezone

from tests.access.conftest import _quiet, both_databases  # noqa: F401
from tests.golden.golden_world import GoldenWorld, build


class Clock:
    """Gives a time that only passes when somebody looks at it, so that no two rows are of the same moment."""

    def __init__(self) -> None:
        self._time = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)

    def now(self) -> datetime:
        self._time += timedelta(microseconds=1)
        return self._time

    def nanoseconds(self) -> int:
        return int(self.now().timestamp() * 1_000_000) * 1000


@pytest.fixture(scope="module")
def golden(both_databases: None) -> Iterator[GoldenWorld]:  # noqa: F811
    """Build everything with the same times and the same row numbers in every run."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", clock.now)
        patch.setattr(time, "time_ns", clock.nanoseconds)
        for alias in ("default", "service"):
            with connections[alias].cursor() as cursor:
                cursor.execute("UPDATE sqlite_sequence SET seq = 0")
        yield build()
