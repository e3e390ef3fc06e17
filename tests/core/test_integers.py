"""Whole numbers from outside are plain digits, and not too many."""

import pytest

from formation_portal.core.integers import parse_integer, parse_integers


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_plain_digits_are_a_number(text: str, number: int) -> None:
    assert parse_integer(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1\n", "1_0", "1.0", "1e3", "٣", "²", "9" * 19, "9" * 5_000])
def test_anything_else_is_none(text: str) -> None:
    assert parse_integer(text) is None


def test_several_are_all_numbers_or_none_of_them_counts() -> None:
    assert parse_integers(["1", "02"]) == [1, 2]
    assert parse_integers(["1", "x"]) == parse_integers(["1", ""]) == parse_integers([]) == []


def test_a_caller_may_take_fewer_digits() -> None:
    assert (parse_integer("123", digits=3), parse_integer("1234", digits=3)) == (123, None)
