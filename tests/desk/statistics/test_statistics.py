"""The statistics: ages, throughput, returns and times, as tables with charts and as CSV."""

import csv
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from formation_portal.statistics.dimensions import PERIODS, Period
from tests.desk.decision_setup import sound
from tests.markup import Markup
from tests.statistics.conftest import clock
from tests.statistics.random_histories import Clock, begin, do
from tests.statistics.stored_figures import add_figures

__all__ = ["clock"]


def page(client: Client, query: str = "") -> Markup:
    return sound(client.get(f"/desk/figures/{query}"))


def lines(client: Client, name: str, period: str = "4-weeks") -> list[list[str]]:
    answer = client.get(f"/desk/figures/{name}.csv?period={period}")
    assert answer["Cache-Control"] == "no-store"
    return list(csv.reader(StringIO(b"".join(answer.streaming_content).decode())))  # type: ignore[attr-defined]


def add_query_totals(label: str, *, returns: int, form: str = "Example company", day: date | None = None) -> None:
    key = (f"digest of {label}", form, "field", label)
    add_figures("questions", key, day=day or timezone.localdate(), returns=returns, queries=returns)


@pytest.mark.parametrize(
    ("period", "first"),
    [(PERIODS[0], date(2025, 12, 15)), (PERIODS[1], date(2025, 10, 20)), (PERIODS[2], date(2025, 2, 1))],
)
def test_a_period_ends_with_the_present_week_or_month(period: Period, first: date) -> None:
    today = date(2026, 1, 6)
    starts = period.starts(today)
    assert (starts[0], len(starts)) == (first, period.count)
    assert starts[-1] <= today < starts[-1] + timedelta(days=31)
    assert list(starts) == sorted(set(starts))


def test_open_cases_are_counted_by_the_days_since_they_came(as_agent: Client, settings: Any) -> None:
    settings.OVERDUE_DAYS = 5
    today = timezone.localdate()
    for days, number in ((-1, 1), (0, 2), (2, 4), (3, 8), (4, 16), (5, 32), (19, 64), (20, 128), (900, 256)):
        add_figures("open", day=today - timedelta(days=days), with_us=number, with_customer=1)
    _, *rows = lines(as_agent, "open")
    assert [[int(number) for number in row[1:]] for row in rows] == [
        [3, 2, 0, 5],
        [4, 1, 0, 5],
        [24, 2, 0, 26],
        [32, 1, 0, 33],
        [64, 1, 0, 65],
        [384, 2, 0, 386],
    ]
    assert page(as_agent).one("main").text.count("overdue with us") == 3


def test_what_happened_is_counted_from_the_first_transition(owner: Any, as_agent: Client, clock: Clock) -> None:
    case = begin(owner)
    for transition in ("submit", "begin_review", "return", "submit", "begin_review", "approve", "record_incorporation"):
        clock.move(hours=24)
        do(case, transition, by=owner)
    do(begin(owner), "submit", by=owner)
    head, this_week, last_week, *_ = lines(as_agent, "throughput")
    assert head == ["week", "submitted", "returned", "approved", "declined", "incorporated", "withdrawn"]
    assert this_week == ["2025-12-29", "3", "1", "1", "0", "1", "0"]
    assert last_week == ["2025-12-22", *"000000"]
    assert lines(as_agent, "products")[1:] == [
        ["Example company", "British Virgin Islands", "1", "96.0", "24.0", "24.0"]
    ]
    times = {where: (cases, float(half)) for where, cases, _, half, _ in lines(as_agent, "times")[1:]}
    assert {where: cases for where, (cases, _) in times.items()} == {
        "With us": "1",
        "With the customer": "1",
        "With the registry": "1",
    }
    assert 72 < times["With us"][1] < 120
    assert 18 < times["With the customer"][1] < 30
    sides = [
        one
        for one in page(as_agent).all("svg", y="3")
        if any(around.attributes.get("aria-labelledby") == "times" for around in one.ancestors)
    ]
    assert len(sides) == 3, "a bar from the first quarter of the cases to the last"
    assert lines(as_agent, "open")[1] == ["Today", "1", "0", "0", "1"]


def test_months_are_counted_apart_from_weeks(owner: Any, as_agent: Client, clock: Clock) -> None:
    for days in (0, 2, 2):
        clock.move(days=days)
        do(begin(owner), "submit", by=owner)
    assert [row[:2] for row in lines(as_agent, "throughput")[1:3]] == [["2025-12-29", "2"], ["2025-12-22", "1"]]
    months = lines(as_agent, "throughput", "12-months")
    assert [row[:2] for row in months[1:3]] == [["2026-01-01", "1"], ["2025-12-01", "2"]]


def test_questions_that_cause_most_returns_come_first_and_the_file_has_all_and_no_formula(as_agent: Client) -> None:
    add_query_totals("Seldom", returns=1)
    add_query_totals("Often", returns=9, form="Another company")
    add_query_totals("Long ago", returns=99, day=timezone.localdate() - timedelta(days=40))
    assert lines(as_agent, "questions")[1:] == [
        ["Often", "Another company", "9", "9"],
        ["Seldom", "Example company", "1", "1"],
    ]
    assert [row[0] for row in lines(as_agent, "questions", "12-weeks")[1:]] == ["Long ago", "Often", "Seldom"]
    heads = [one.text for one in page(as_agent).all("th", scope="row")]
    assert heads.index("Often") < heads.index("Seldom")
    cache.clear()
    add_query_totals("=1+1", returns=1, form="@form")
    for number in range(30):
        add_query_totals(f"Question {number:02}", returns=40 - number)
    assert ["'=1+1", "'@form", "1", "1"] in lines(as_agent, "questions")
    assert len(lines(as_agent, "questions")) == 34
    text = page(as_agent).one("main").text
    assert "Question 19" in text
    assert "Question 20" not in text
    assert "Showing the first 20. Download the CSV for all." in text


def test_totals_say_how_old_they_are_once_they_are_not_fresh(owner: Any, as_agent: Client, clock: Clock) -> None:
    do(begin(owner), "submit", by=owner)
    assert "Updated" not in page(as_agent).one("main").text
    do(begin(owner), "submit", by=owner)
    clock.move(seconds=59)
    assert "Updated" not in page(as_agent).one("main").text
    clock.move(seconds=1)
    assert "Updated 1 minute ago." in page(as_agent).one("main").text
    clock.move(minutes=2)
    text = page(as_agent).one("main").text
    assert "Updated 3 minutes ago." in text
    assert lines(as_agent, "open")[1] == ["Today", "1", "0", "0", "1"], "the file has the numbers of the page"
