"""Steady work goes on over whatever goes wrong, and ends after the piece that is under way."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from formation_portal.core.background import BackgroundWorker

pytestmark = pytest.mark.django_db(transaction=True)


def of(work: Callable[..., object], hourly: Callable[[], object] = lambda: None) -> BackgroundWorker:
    return BackgroundWorker(name="The workshop", work=work, hourly=hourly, stop_timeout=20, poll_seconds=0)


@pytest.mark.parametrize("trouble", [OperationalError, InterfaceError, ValueError])
def test_trouble_is_said_without_its_words_and_work_goes_on(
    trouble: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    times: list[int] = []

    def work(**_: Any) -> None:
        times.append(1)
        if len(times) == 1:
            raise trouble("ada@example.com")
        steady.stop()

    steady = of(work)
    steady.run()
    assert len(times) == 2
    words = "The workshop met something unexpected" if trouble is ValueError else "The workshop: the database did not"
    assert words in caplog.text
    assert trouble.__name__ in caplog.text
    assert "ada@example.com" not in caplog.text


def test_the_round_is_gone_at_the_start_and_then_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    o_clock = [1_000.0]
    monkeypatch.setattr("formation_portal.core.background.time", SimpleNamespace(monotonic=lambda: o_clock[0]))

    def work(**_: Any) -> None:
        calls.append("work")
        o_clock[0] += 1_799
        if calls.count("work") == 4:
            steady.stop()

    steady = of(work, lambda: calls.append("round"))
    steady.run()
    assert calls == ["round", "work", "work", "work", "round", "work"]


def test_work_is_told_when_it_may_not_go_on_and_ends_its_piece_first() -> None:
    begun, stopped = threading.Event(), threading.Event()
    pieces: list[str] = []

    def work(*, may_go_on: Callable[[], bool]) -> None:
        while may_go_on():
            pieces.append("begun")
            begun.set()
            stopped.wait(20)
            pieces.append("ended")

    steady = of(work)
    with steady.running():
        assert begun.wait(20)
        steady.stop()
        stopped.set()
    assert pieces == ["begun", "ended"]
    assert not any(thread.name == "The workshop" for thread in threading.enumerate())
