"""A receiver that is subscribed to everything, a clock that a test moves, and answers to look-ups of names."""

import socket
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.contract.lifecycle import EVENT_KINDS
from tests.gateway.conftest import raw_server
from tests.service.caller import Caller

from .receiver import Receiver, receiving

__all__ = ["raw_server"]

Names = Callable[..., list[str]]


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


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Names:
    """What each look at a name answers, one after the other; gives back the names that were looked up."""
    look_up_number = socket.getaddrinfo

    def named(*answers: tuple[str, ...]) -> list[str]:
        names: list[str] = []

        def look_up(host: str, port: int, *rest: Any, **more: Any) -> Any:
            if not host.endswith(".example.com"):
                return look_up_number(host, port, *rest, **more)
            names.append(host)
            addresses = answers[min(len(names), len(answers)) - 1]
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (ip, port)) for ip in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        return names

    return named
