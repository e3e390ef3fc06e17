"""Working days, those that a product's own words tell, and the parts of its name."""

from datetime import date, timedelta

import pytest

from formation_portal.contract.catalog import (
    Product,
    expected_dates,
    working_days,
    working_days_after,
    working_days_between,
)
from formation_portal.service.catalog.loader import read_catalog

MONDAY, FRIDAY = date(2026, 11, 16), date(2026, 11, 20)


@pytest.mark.parametrize(
    ("words", "days", "expected"),
    [
        ("5-8 working days", (5, 8), (date(2026, 11, 27), date(2026, 12, 2))),
        ("1–3 working days; longer if referred to an authority", (1, 3), (date(2026, 11, 23), date(2026, 11, 25))),
        ("5 days", (4, 4), (date(2026, 11, 25), date(2026, 11, 25))),
        ("2-5 WEEKS (NIE is the slow part)", (10, 25), (date(2026, 12, 4), date(2026, 12, 25))),
        ("0-1 working days", (0, 1), (FRIDAY, date(2026, 11, 23))),
        *((words, None, None) for words in ("", "about 5 days", "8-5 days", "5-8 months", "1000-2000 days")),
    ],
)
def test_a_range_at_the_start_tells_the_working_days_and_is_counted_from_the_day(
    words: str, days: tuple[int, int] | None, expected: tuple[date, date] | None
) -> None:
    assert (working_days(words), expected_dates(words, start=FRIDAY)) == (days, expected)


def test_every_product_of_our_catalog_says_it_in_words_that_can_be_counted() -> None:
    for item in read_catalog():
        assert expected_dates(item["estimated_timeline"], start=FRIDAY), item["estimated_timeline"]


@pytest.mark.parametrize(
    ("name", "short", "qualifier"),
    [
        ("Limited liability company (GmbH), Zug", "Limited liability company", "GmbH, Zug"),
        ("Delaware LLC", "Delaware LLC", ""),
        ("Meydan company, commercial licence (LLC-FZ)", "Meydan company", "commercial licence (LLC-FZ)"),
        ("(no name)", "(no name)", ""),
        ("", "", ""),
    ],
)
def test_a_products_name_is_parted_from_its_brackets_and_what_follows_a_comma(
    name: str, short: str, qualifier: str
) -> None:
    product = Product(name=name)
    assert (product.short_name, product.qualifier) == (short, qualifier)


def test_days_between_are_those_that_are_no_weekend() -> None:
    for start in (MONDAY + timedelta(days=number) for number in range(7)):
        for length in range(30):
            end = start + timedelta(days=length)
            counted = sum((start + timedelta(days=one)).weekday() < 5 for one in range(1, length + 1))
            assert working_days_between(start, end) == counted
            assert working_days_after(start, counted) <= end
    assert working_days_between(MONDAY, MONDAY - timedelta(days=3)) == 0
