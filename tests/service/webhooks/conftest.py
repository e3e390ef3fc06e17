"""A receiver that is subscribed to everything, and a clock that a test moves."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.contract.lifecycle import EVENT_KINDS
from tests.service.caller import Caller

from .receiver import Receiver, receiving


class Clock:
    """What time it is, as the house sees it."""

    def __init__(self) -> None:
        self._real = timezone.now
        self._ahead = timedelta()

    def now(self) -> datetime:
        return self._real() + self._ahead

    def move(self, **by: Any) -> None:
        self._ahead += timedelta(**by)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stands beside the real one until it is moved."""
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    return clock


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


@pytest.fixture
def secret(caller: Caller, receiver: Receiver) -> str:
    """The secret of the receiver's subscription to everything."""
    answer = caller.post("/webhooks", {"url": receiver.url, "events": EVENT_KINDS})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["data"]["secret"])
