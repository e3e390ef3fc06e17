"""A service whose clock is off is noticed by the Date of its answers, and the operator is told once."""

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from formation_portal.gateway import clock_skew

from .conftest import client_at
from .raw_server import Line, RawServer, Script

Start = Callable[[Script], RawServer]

TEN_MINUTES = 600
# Between the server's look at the clock and ours a busy machine may take its time.
NEARLY = 60


@pytest.fixture(autouse=True)
def _nothing_heard_yet() -> Iterator[None]:
    clock_skew.reset()
    yield
    clock_skew.reset()


def with_date(*headers: str, body: str = "[]") -> Script:
    head = "".join(f"{header}\r\n" for header in headers)
    return lambda line: line.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{head}\r\n{body}")


def date(seconds: float) -> str:
    """The header of a service whose clock is so many seconds ahead of ours."""
    return f"Date: {format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)}"


def call_service(start: Start, script: Script) -> None:
    client_at(start(script).url).parties("ent_1")


def log_records(caplog: pytest.LogCaptureFixture) -> list[tuple[int, str]]:
    return [(record.levelno, record.getMessage()) for record in caplog.records if record.name.endswith("clock_skew")]


@pytest.mark.parametrize("ahead", [TEN_MINUTES, -TEN_MINUTES, 0])
def test_the_difference_is_remembered(raw_server: Start, ahead: float) -> None:
    call_service(raw_server, with_date(date(ahead)))
    assert clock_skew.seconds_ahead() == pytest.approx(ahead, abs=NEARLY)


@pytest.mark.parametrize(("ahead", "words"), [(TEN_MINUTES, "ahead of ours"), (-TEN_MINUTES, "behind ours")])
def test_the_operator_is_told_once(
    raw_server: Start, caplog: pytest.LogCaptureFixture, ahead: float, words: str
) -> None:
    for _ in range(3):
        call_service(raw_server, with_date(date(ahead)))
    [(level, line)] = log_records(caplog)
    assert level == logging.ERROR
    assert words in line


def test_the_operator_is_told_when_it_is_well_again_and_when_it_is_not_once_more(
    raw_server: Start, caplog: pytest.LogCaptureFixture
) -> None:
    for ahead in (0, TEN_MINUTES, 0, 0, TEN_MINUTES):
        call_service(raw_server, with_date(date(ahead)))
    assert [level for level, _ in log_records(caplog)] == [logging.ERROR, logging.WARNING, logging.ERROR]


def test_four_minutes_are_no_news(raw_server: Start, caplog: pytest.LogCaptureFixture) -> None:
    call_service(raw_server, with_date(date(240)))
    assert log_records(caplog) == []
    assert clock_skew.seconds_ahead() == pytest.approx(240, abs=NEARLY)


@pytest.mark.parametrize("header", ["X: y", "Date: ", "Date: yesterday", "Date: Sat, 99 Nov 2026 25:61:00 GMT"])
def test_an_answer_that_tells_nothing_changes_nothing(raw_server: Start, header: str) -> None:
    call_service(raw_server, with_date(header))
    assert clock_skew.seconds_ahead() is None
    call_service(raw_server, with_date(date(TEN_MINUTES)))
    call_service(raw_server, with_date(header))
    assert clock_skew.seconds_ahead() == pytest.approx(TEN_MINUTES, abs=NEARLY)


def test_what_a_cache_has_kept_tells_nothing(raw_server: Start, caplog: pytest.LogCaptureFixture) -> None:
    call_service(raw_server, with_date(date(-TEN_MINUTES), f"Age: {TEN_MINUTES}"))
    assert clock_skew.seconds_ahead() is None
    assert log_records(caplog) == []


def test_an_answer_that_refuses_tells_the_time_too(raw_server: Start) -> None:
    def refuse(line: Line) -> None:
        line.send(f"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n{date(TEN_MINUTES)}\r\n\r\n")

    with pytest.raises(Exception, match="did not arrive"):
        call_service(raw_server, refuse)
    assert clock_skew.seconds_ahead() == pytest.approx(TEN_MINUTES, abs=NEARLY)


def test_a_date_of_no_zone_is_in_utc() -> None:
    of = clock_skew.ClockSkew()
    moment = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    of.observe({"Date": "Sat, 21 Nov 2026 12:00:07 -0000"}, now=moment)
    assert of.seconds_ahead() == 7
