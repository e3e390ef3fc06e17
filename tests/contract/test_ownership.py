"""Whose a company is in the end: parts that add up, also where companies own each other, and when a part counts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.ownership import Stakes, Threshold, final_parts

HALF = Fraction(1, 2)
IDS = st.sampled_from("abcdefgh")
HELD = st.dictionaries(IDS, st.integers(min_value=0, max_value=10**15), min_size=1)
PART = st.fractions(min_value=0, max_value=1, max_denominator=1_000)
# Any graph at all: circles, companies that own themselves, owners of more than the whole.
STAKES = st.dictionaries(IDS, st.dictionaries(IDS, PART, max_size=4), max_size=5)


def test_without_companies_a_part_is_what_is_held() -> None:
    assert final_parts({"ada": 6_000, "ben": 4_000, "eve": 0}) == {"ada": Fraction(3, 5), "ben": Fraction(2, 5)}


def test_nothing_held_is_nobodys() -> None:
    assert final_parts({"ada": 0}) == final_parts({}) == {}


def test_a_company_passes_its_part_on_to_its_owners() -> None:
    stakes = {"kestrel": {"ada": HALF, "heron": HALF}, "heron": {"ben": Fraction(1)}}
    assert final_parts({"ada": 60, "kestrel": 40}, stakes=stakes) == {"ada": Fraction(4, 5), "ben": Fraction(1, 5)}


def test_a_company_of_which_nothing_is_known_keeps_its_part() -> None:
    assert final_parts({"ada": 60, "kestrel": 40})["kestrel"] == Fraction(2, 5)


def test_what_nobody_is_known_to_own_is_left_out() -> None:
    assert final_parts({"kestrel": 1}, stakes={"kestrel": {"ada": HALF}}) == {"ada": HALF}


def test_owners_of_more_than_the_whole_share_what_there_is() -> None:
    stakes = {"kestrel": {"ada": Fraction(3, 4), "ben": Fraction(3, 4)}}
    assert final_parts({"kestrel": 1}, stakes=stakes) == {"ada": HALF, "ben": HALF}


def test_companies_that_own_each_other_whole_belong_to_nobody() -> None:
    circle = {"kestrel": {"heron": Fraction(1)}, "heron": {"kestrel": Fraction(1)}}
    assert final_parts({"kestrel": 1}, stakes=circle) == {}


def test_a_circle_leads_to_whoever_stands_at_its_edge() -> None:
    circle = {"kestrel": {"heron": HALF, "ada": HALF}, "heron": {"kestrel": HALF, "ben": HALF}}
    parts = final_parts({"kestrel": 1}, stakes=circle)
    assert abs(parts["ada"] - Fraction(2, 3)) < Fraction(1, 10**9)
    assert abs(parts["ben"] - Fraction(1, 3)) < Fraction(1, 10**9)


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = {str(place): {str(place + 1): Fraction(1)} for place in range(300)}
    assert final_parts({"0": 5}, stakes=chain) == {"300": Fraction(1)}


@given(held=HELD, stakes=STAKES)
def test_parts_never_come_to_more_than_the_whole(held: dict[str, int], stakes: Stakes) -> None:
    parts = final_parts(held, stakes=stakes)
    assert sum(parts.values()) <= 1
    assert all(part >= 0 for part in parts.values())
    assert not parts.keys() & stakes.keys()


@given(held=HELD)
def test_without_companies_the_parts_come_to_the_whole(held: dict[str, int]) -> None:
    assert sum(final_parts(held).values()) == (1 if any(held.values()) else 0)


@given(held=HELD, owners=st.lists(st.integers(min_value=1, max_value=100), min_size=1, max_size=5))
def test_nothing_is_lost_on_the_way_through_companies_with_known_owners(
    held: dict[str, int], owners: list[int]
) -> None:
    people = {f"person {place}": Fraction(stake, sum(owners)) for place, stake in enumerate(owners)}
    stakes = dict.fromkeys(held, people)
    assert sum(final_parts(held, stakes=stakes).values()) == (1 if any(held.values()) else 0)


@pytest.mark.parametrize(("is_inclusive", "counted"), [(True, [False, True, True]), (False, [False, False, True])])
def test_the_threshold_itself_counts_where_it_is_included(is_inclusive: bool, counted: list[bool]) -> None:
    threshold = Threshold(Fraction(25), is_inclusive, where="Nowhere", source="")
    hair = Fraction(1, 10**15)
    assert [threshold.counts(Fraction(1, 4) + part) for part in (-hair, Fraction(0), hair)] == counted
