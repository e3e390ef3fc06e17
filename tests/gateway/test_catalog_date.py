"""The time of the service, as the `Date` of its catalog tells it: the doctor compares it with ours."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from .conftest import client_at
from .raw_server import RawServer, Script

Start = Callable[[Script], RawServer]


def sent_at(start: Start, headers: str) -> datetime | None:
    server = start(lambda line: line.send(f"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{headers}\r\n\r\n[]"))
    return client_at(server.url).catalog().sent_at


def test_a_date_is_read_in_utc(raw_server: Start) -> None:
    assert sent_at(raw_server, "Date: Sat, 21 Nov 2026 12:00:07 GMT") == datetime(2026, 11, 21, 12, 0, 7, tzinfo=UTC)


@pytest.mark.parametrize("headers", ["X: y", "Date: ", "Date: yesterday", "Date: Sat, 99 Nov 2026 25:61:00 GMT"])
def test_a_date_that_is_none_is_not_compared(raw_server: Start, headers: str) -> None:
    assert sent_at(raw_server, headers) is None


def test_a_date_from_a_cache_is_not_compared(raw_server: Start) -> None:
    assert sent_at(raw_server, "Date: Sat, 21 Nov 2026 12:00:07 GMT\r\nAge: 600") is None
