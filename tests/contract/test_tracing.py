"""Whose a company is in the end: parts that add up, also where companies own each other, and when a part counts."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.ownership import Stakes, Threshold, trace_ownership

HALF = Fraction(1, 2)
IDS = st.sampled_from("abcdefgh")
HELD = st.dictionaries(IDS, st.integers(min_value=0, max_value=10**15), min_size=1)
PART = st.fractions(min_value=0, max_value=1, max_denominator=1_000)
OWNERS = st.dictionaries(IDS, PART, max_size=4).filter(lambda owners: sum(owners.values()) <= 1)
# Any graph of owners of at most the whole: circles, companies that own themselves.
STAKES = st.dictionaries(IDS, OWNERS, max_size=5)


def final_parts(held: Mapping[str, int], **stakes: Stakes) -> dict[str, Fraction]:
    """Where it ends."""
    return dict(trace_ownership(held, **stakes).final)


def test_nothing_held_is_nobodys() -> None:
    assert final_parts({"ada": 0}) == final_parts({}) == {}


def test_a_company_passes_its_part_on_to_its_owners() -> None:
    stakes = {"kestrel": {"ada": HALF, "heron": HALF}, "heron": {"ben": Fraction(1)}}
    assert final_parts({"ada": 60, "kestrel": 40}, stakes=stakes) == {"ada": Fraction(4, 5), "ben": Fraction(1, 5)}


def test_companies_that_own_each_other_whole_belong_to_nobody() -> None:
    circle = {"kestrel": {"heron": Fraction(1)}, "heron": {"kestrel": Fraction(1)}}
    assert final_parts({"kestrel": 1}, stakes=circle) == {}


def test_a_circle_leads_to_whoever_stands_at_its_edge() -> None:
    circle = {"kestrel": {"heron": HALF, "ada": HALF}, "heron": {"kestrel": HALF, "ben": HALF}}
    assert final_parts({"kestrel": 1}, stakes=circle) == {"ada": Fraction(2, 3), "ben": Fraction(1, 3)}


@pytest.mark.parametrize(("is_inclusive", "counted"), [(True, [False, True, True]), (False, [False, False, True])])
def test_the_threshold_itself_counts_where_it_is_included(is_inclusive: bool, counted: list[bool]) -> None:
    threshold = Threshold(Fraction(25), is_inclusive, where="Nowhere", source="")
    hair = Fraction(1, 10**15)
    assert [threshold.counts(Fraction(1, 4) + part) for part in (-hair, Fraction(0), hair)] == counted


def lost(company: str, whole: Fraction, stakes: Stakes) -> Fraction:
    """What of a company's part ends with nobody, since its owners are not all known."""
    return whole * (1 - sum(stakes[company].values()))


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


@given(held=HELD, stakes=STAKES)
def test_what_ends_and_what_is_not_accounted_for_is_the_whole_to_the_last_share(
    held: dict[str, int], stakes: Stakes
) -> None:
    counted = {company: {who: part for who, part in owners.items() if part} for company, owners in stakes.items()}
    trapped = _trapped(counted)
    if not any(held.values()) or trapped:
        return
    found = trace_ownership(held, stakes=stakes)
    nobodys = sum(lost(company, part, stakes) for company, part in found.passing.items())
    assert sum(found.final.values()) + nobodys == 1


def _trapped(counted: Stakes) -> set[str]:
    """Companies from which no way leads out: they own each other whole."""
    out = {company for company, owners in counted.items() if sum(owners.values()) < 1 or owners.keys() - counted.keys()}
    while more := {one for one in counted if one not in out and counted[one].keys() & out}:
        out |= more
    return set(counted) - out
