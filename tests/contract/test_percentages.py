"""Parts of a whole add up to 100.00%, and nobody seems to have, or to be known to have, what they don't."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.ownership import (
    WHOLE,
    apportion,
    format_hundredths,
    format_percent,
    percentages_of,
    trace_ownership,
    with_rest,
)

NUMBERS = st.lists(st.integers(0, 10**6), min_size=1, max_size=12).filter(any)
QUARTER = (Fraction(1), Fraction(1, 4))


@given(NUMBERS)
def test_parts_of_a_whole_add_up_to_all_of_it(numbers: list[int]) -> None:
    exact = [Fraction(one, sum(numbers)) for one in numbers]
    found = apportion(exact)
    assert sum(found) == WHOLE
    assert all(abs(one - part * WHOLE) < 1 for one, part in zip(found, exact, strict=True))


@given(NUMBERS, st.integers(1, 10**6))
def test_what_is_left_is_counted_and_never_less_than_it_is(numbers: list[int], left: int) -> None:
    exact = [Fraction(one, sum(numbers) + left) for one in numbers]
    found, rest = with_rest(exact)
    assert sum(found) + rest == WHOLE
    assert rest >= Fraction(left, sum(numbers) + left) * WHOLE


def test_what_is_left_over_goes_to_the_largest_remainders() -> None:
    assert apportion([Fraction(2, 7), Fraction(4, 7), Fraction(1, 7)]) == (2857, 5714, 1429)
    assert apportion([Fraction(1, 3)] * 3) == (3334, 3333, 3333)


def test_no_rounding_lifts_anybody_to_the_part_that_counts_or_to_all_of_it() -> None:
    just_below = [Fraction(24_999, 10**5), Fraction(75_001, 10**5)]
    assert apportion(just_below) == (2500, 7500)
    assert apportion(just_below, short_of=QUARTER) == (2499, 7501)
    assert apportion([Fraction(99_999, 10**5), Fraction(1, 10**5)]) == (9999, 1)


def test_nothing_is_parted_where_there_is_nothing() -> None:
    assert apportion([Fraction(0), Fraction(0)]) == (0, 0)
    assert percentages_of({}, trace_ownership({})).rest == WHOLE


@given(NUMBERS, st.fractions(0, 1, max_denominator=97))
def test_ends_add_up_with_what_nobody_is_known_to_own(numbers: list[int], stake: Fraction) -> None:
    held = {f"holder {index}": number for index, number in enumerate(numbers)}
    ends = trace_ownership(held, stakes={"holder 0": {"owner": stake}} if stake else {})
    percentages = percentages_of(held, ends, unknown={"holder 0"})
    assert sum(one for _, one in percentages.direct.values()) == WHOLE
    assert sum(one for _, one in percentages.final.values()) + percentages.rest == WHOLE
    unknown = Fraction(held["holder 0"], sum(numbers)) * (1 - stake)
    assert unknown or not percentages.rest
    # Less than a hundredth of a percent may be shown as none.
    assert percentages.rest or unknown < Fraction(1, WHOLE)
    # Who holds directly alone has one figure, in the table as in the end.
    for holder, (exact, _) in percentages.final.items():
        if holder != "owner":
            assert percentages.of(holder, exact) == format_hundredths(percentages.direct[holder][1])


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 3), "33.33%"),
        (Fraction(3, 5), "60%"),
        (Fraction(999_999, 1_000_000), "99.99%"),
        (Fraction(1), "100%"),
    ],
)
def test_a_part_that_stands_alone_is_cut_off(part: Fraction, words: str) -> None:
    assert format_percent(part) == words
