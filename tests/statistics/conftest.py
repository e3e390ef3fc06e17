"""A clock that a test moves."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.statistics.random_histories import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    """Stands late in the year, shortly before midnight of the settings' zone, and moves only when it is moved."""
    settings.TIME_ZONE = "UTC"
    clock = Clock(datetime(2025, 12, 28, 23, 40, tzinfo=UTC))
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    return clock
