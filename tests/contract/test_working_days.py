"""Working days, and the least of them that a product's own words tell."""

from datetime import date, timedelta

import pytest

from formation_portal.contract.catalog import least_working_days, working_days_after, working_days_between

MONDAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("5-8 working days", 5),
        ("5 days", 4),
        ("7 days", 5),
        ("1-2 weeks", 5),
        ("2 to 3 weeks", 10),
        ("As long as it takes", None),
        ("", None),
    ],
)
def test_a_timeline_tells_the_least_working_days(words: str, days: int | None) -> None:
    assert least_working_days(words) == days


def test_days_between_are_those_that_are_no_weekend() -> None:
    for start in (MONDAY + timedelta(days=number) for number in range(7)):
        for length in range(30):
            end = start + timedelta(days=length)
            counted = sum((start + timedelta(days=one)).weekday() < 5 for one in range(1, length + 1))
            assert working_days_between(start, end) == counted
            assert working_days_after(start, counted) <= end
    assert working_days_between(MONDAY, MONDAY - timedelta(days=3)) == 0
