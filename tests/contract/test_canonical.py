"""Canonical names: which of them are set as names, and which are somebody's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.canonical import (
    ENTITY_NAME,
    ENTITY_NAME_ENDING,
    PARTY_KINDS,
    PERSON,
    entity_name,
    is_identity_number,
    is_name,
    is_set_as_name,
)

WORDS = st.lists(st.sampled_from(["tax", "id", "passport", "holder", "2"]), max_size=3)


@pytest.mark.parametrize("name", ["entity.name", "person.last_name", "person.middle_names", "corporate.legal_name"])
def test_whatever_names_somebody_is_set_as_a_name(name: str) -> None:
    assert is_name(name)
    assert is_set_as_name(name)


@pytest.mark.parametrize("name", ["entity.proposed_name_2", "corporate.representative_name", "other.trading_names"])
def test_a_name_among_several_is_set_as_one_and_names_nobody(name: str) -> None:
    assert is_set_as_name(name)
    assert not is_name(name)


@pytest.mark.parametrize("name", ["entity.name_ending", "person.nickname", "entity.renamed_on", "", None])
def test_what_only_has_the_word_in_it_is_no_name(name: str | None) -> None:
    assert not is_set_as_name(name)


@given(words=WORDS, prefix=st.sampled_from(["", "person.", "other."]), kind=st.sampled_from(PARTY_KINDS))
def test_a_number_that_a_person_is_known_by_ends_with_the_word(words: list[str], prefix: str, kind: str) -> None:
    named = prefix + "_".join([*words, "number"])
    assert is_identity_number(named, kind=kind) is (kind == PERSON)
    assert is_identity_number(f"{named}_2", kind=kind) is (kind == PERSON)
    assert not is_identity_number(f"{named}_holder", kind=kind)


@pytest.mark.parametrize("name", ["person.phone_number", "person.renumber", "person.number_of_shares"])
def test_what_only_has_the_word_in_it_is_no_number_that_somebody_is_known_by(name: str | None) -> None:
    assert not is_identity_number(name, kind=PERSON)


@pytest.mark.parametrize(
    ("name", "ending", "shown"),
    [
        (" Larkfield Holdings ", "Limited", "Larkfield Holdings Limited"),
        ("Larkfield Holdings LIMITED", "Limited", "Larkfield Holdings LIMITED"),
        ("Unlimited", "Limited", "Unlimited Limited"),
        ("Larkfield Holdings", "", "Larkfield Holdings"),
        (None, "Limited", ""),
    ],
)
def test_a_name_is_shown_with_its_ending_once(name: Any, ending: Any, shown: str) -> None:
    assert entity_name({ENTITY_NAME: name, ENTITY_NAME_ENDING: ending}) == shown
