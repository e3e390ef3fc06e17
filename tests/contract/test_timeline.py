"""How long a product takes, as far as its words say it in days."""

from datetime import date

import pytest

from formation_portal.contract.catalog import expected_dates

FRIDAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("5-8 working days", date(2026, 11, 27), date(2026, 12, 2)),
        ("1–3 working days; longer if referred to an authority", date(2026, 11, 23), date(2026, 11, 25)),
        ("5 days", date(2026, 11, 25), date(2026, 11, 25)),
        ("2-5 WEEKS (NIE is the slow part)", date(2026, 12, 4), date(2026, 12, 25)),
        ("0-1 working days", FRIDAY, date(2026, 11, 23)),
    ],
)
def test_a_range_at_the_start_is_counted_from_the_day(words: str, first: date, last: date) -> None:
    assert expected_dates(words, start=FRIDAY) == (first, last)


@pytest.mark.parametrize("words", ["", "about 5 days", "8-5 days", "5-8 months", "1000-2000 days"])
def test_where_the_words_tell_no_range_nothing_is_expected(words: str) -> None:
    assert expected_dates(words, start=FRIDAY) is None


def test_every_product_of_our_catalog_says_it_in_words_that_can_be_counted() -> None:
    from formation_portal.service.catalog.loader import read_catalog

    for item in read_catalog():
        assert expected_dates(item["estimated_timeline"], start=FRIDAY), item["estimated_timeline"]
