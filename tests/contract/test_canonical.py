"""Canonical names: which of them are set as names, and which are somebody's."""

import pytest

from formation_portal.contract.canonical import is_name, is_set_as_name


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
