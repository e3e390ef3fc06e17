"""Parts of a company as people write them: read exactly, or said with the way out."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.ownership import (
    WHOLE,
    Stakes,
    Threshold,
    apportion,
    format_hundredths,
    format_percent,
    parse_stake,
    percentages_of,
    trace_ownership,
    with_rest,
)


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("40%", Fraction(2, 5)),
        ("40", Fraction(2, 5)),
        ("40\u00a0%", Fraction(2, 5)),
        ("33.33%", Fraction(3333, 10_000)),
        ("٣٣٫٣٣ ٪", Fraction(3333, 10_000)),
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


def test_a_part_is_rounded_by_the_largest_remainders_and_never_up_to_what_counts() -> None:
    assert apportion([Fraction(2, 7), Fraction(4, 7), Fraction(1, 7)]) == (2857, 5714, 1429)
    assert apportion([Fraction(1, 3)] * 3) == (3334, 3333, 3333)
    just_below = [Fraction(24_999, 10**5), Fraction(75_001, 10**5)]
    assert apportion(just_below) == (2500, 7500)
    assert apportion(just_below, short_of=QUARTER) == (2499, 7501)
    assert apportion([Fraction(99_999, 10**5), Fraction(1, 10**5)]) == (9999, 1)
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


HALF = Fraction(1, 2)
IDS = st.sampled_from("abcdefgh")
HELD = st.dictionaries(IDS, st.integers(min_value=0, max_value=10**15), min_size=1)
PART = st.fractions(min_value=0, max_value=1, max_denominator=1_000)
OWNERS = st.dictionaries(IDS, PART, max_size=4).filter(lambda owners: sum(owners.values()) <= 1)
# Any graph of owners of at most the whole: circles, companies that own themselves.
STAKES = st.dictionaries(IDS, OWNERS, max_size=5)


@pytest.mark.parametrize(
    ("held", "stakes", "final"),
    [
        ({}, {}, {}),
        ({"ada": 0}, {}, {}),
        (
            {"ada": 60, "kestrel": 40},
            {"kestrel": {"ada": HALF, "heron": HALF}, "heron": {"ben": Fraction(1)}},
            {"ada": Fraction(4, 5), "ben": Fraction(1, 5)},
        ),
        ({"kestrel": 1}, {"kestrel": {"heron": Fraction(1)}, "heron": {"kestrel": Fraction(1)}}, {}),
        (
            {"kestrel": 1},
            {"kestrel": {"heron": HALF, "ada": HALF}, "heron": {"kestrel": HALF, "ben": HALF}},
            {"ada": Fraction(2, 3), "ben": Fraction(1, 3)},
        ),
    ],
    ids=["nothing", "nothing held", "companies pass it on", "a circle without an edge", "a circle with edges"],
)
def test_a_company_passes_its_part_on_to_whoever_owns_it_in_the_end(
    held: dict[str, int], stakes: Stakes, final: dict[str, Fraction]
) -> None:
    assert dict(trace_ownership(held, stakes=stakes).final) == final


@pytest.mark.parametrize(("is_inclusive", "counted"), [(True, [False, True, True]), (False, [False, False, True])])
def test_the_threshold_itself_counts_where_it_is_included(is_inclusive: bool, counted: list[bool]) -> None:
    threshold = Threshold(Fraction(25), is_inclusive, where="Nowhere", source="")
    hair = Fraction(1, 10**15)
    assert [threshold.counts(Fraction(1, 4) + part) for part in (-hair, Fraction(0), hair)] == counted


@given(held=HELD, stakes=STAKES)
def test_every_company_has_what_it_holds_and_what_comes_from_the_companies_that_it_owns(
    held: dict[str, int], stakes: Stakes
) -> None:
    found, whole = trace_ownership(held, stakes=stakes), sum(held.values())
    counted = {company: {who: part for who, part in owners.items() if part} for company, owners in stakes.items()}
    for holder in {*held, *stakes, *(owner for owners in counted.values() for owner in owners)} - _trapped(counted):
        direct = Fraction(held.get(holder, 0), whole) if whole else Fraction(0)
        through = sum(found.passing[company] * owners.get(holder, 0) for company, owners in counted.items())
        assert found.of(holder) == direct + through


def _trapped(counted: Stakes) -> set[str]:
    """Companies from which no way leads out: they own each other whole."""
    out = {company for company, owners in counted.items() if sum(owners.values()) < 1 or owners.keys() - counted.keys()}
    while more := {one for one in counted if one not in out and counted[one].keys() & out}:
        out |= more
    return set(counted) - out
