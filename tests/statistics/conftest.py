"""A clock that a test moves."""

from datetime import UTC, datetime

import pytest

from tests.statistics.random_histories import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stands late in the year, shortly before midnight, and moves only when it is moved."""
    clock = Clock(datetime(2025, 12, 28, 23, 40, tzinfo=UTC))
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    return clock
