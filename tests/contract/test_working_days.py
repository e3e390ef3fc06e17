"""Working days, those that a product's own words tell, and the parts of its name."""

from datetime import date, timedelta

import pytest

from formation_portal.contract.catalog import Product, working_days, working_days_after, working_days_between

MONDAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("5-8 working days", (5, 8)),
        ("2-5 working days after due diligence", (2, 5)),
        ("5 days", (4, 4)),
        ("1-2 weeks", (5, 10)),
        ("8-5 working days", None),
        ("", None),
    ],
)
def test_a_timeline_tells_the_working_days(words: str, days: tuple[int, int] | None) -> None:
    assert working_days(words) == days


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
