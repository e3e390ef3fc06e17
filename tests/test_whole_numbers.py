"""Whole numbers from outside are plain digits, and not too many."""

import pytest

from formation_portal.whole_numbers import whole_number, whole_numbers


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_plain_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1\n", "1_0", "1.0", "1e3", "٣", "²", "9" * 19, "9" * 5_000])
def test_anything_else_is_none(text: str) -> None:
    assert whole_number(text) is None


def test_several_are_all_numbers_or_none_of_them_counts() -> None:
    assert whole_numbers(["1", "02"]) == [1, 2]
    assert whole_numbers(["1", "x"]) == whole_numbers(["1", ""]) == whole_numbers([]) == []


def test_a_caller_may_take_fewer_digits() -> None:
    assert (whole_number("123", digits=3), whole_number("1234", digits=3)) == (123, None)
