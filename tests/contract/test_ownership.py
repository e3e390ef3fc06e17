"""Parts of a company as people write them: read exactly, or said with the way out."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.ownership import parse_stake


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("40%", Fraction(2, 5)),
        ("40", Fraction(2, 5)),
        ("40\u00a0%", Fraction(2, 5)),
        ("33.33%", Fraction(3333, 10_000)),
        ("33,5 %", Fraction(335, 1_000)),
        ("33 1/3", Fraction(1, 3)),
        ("1 / 3", Fraction(1, 3)),
        ("400 of 1’000 shares", Fraction(2, 5)),
        ("1 of 999,999,999,999,999", Fraction(1, 999_999_999_999_999)),
        ("0.5%", Fraction(1, 200)),
        ("40%\u202e", Fraction(2, 5)),
        ("٤٠%", Fraction(2, 5)),
    ],
)
def test_it_is_read_exactly(typed: str, part: Fraction) -> None:
    assert parse_stake(typed, of="Kite, Ada") == part


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("most", "not_a_number"),
        ("-5%", "negative"),
        ("-1/3", "negative"),
        ("101%", "too_much"),
        ("3/2", "too_much"),
        ("1/0", "none_at_all"),
        ("1/-2", "none_at_all"),
        ("0.5", "no_sign"),
        ("1" + "0" * 30, "too_many_digits"),
        ("4\x070%", "control_characters"),
    ],
)
def test_what_cannot_be_meant_is_said_with_whose_part_it_is(typed: str, code: str) -> None:
    with pytest.raises(AnswerError) as refused:
        parse_stake(typed, of="Kite, Ada")
    assert refused.value.code == code
    assert "Kite, Ada" in refused.value.message


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_any_count_is_the_fraction_that_it_says(some: int, there_are: int) -> None:
    if some <= there_are:
        assert parse_stake(f"{some:,} of {there_are:,}", of="it") == Fraction(some, there_are)


@given(st.text(max_size=20))
def test_no_text_at_all_is_more_than_an_objection(typed: str) -> None:
    with suppress(AnswerError):
        assert 0 <= parse_stake(typed, of="it") <= 1
