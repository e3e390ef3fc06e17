"""Canonical names: which of them are set as names, and which are somebody's."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.canonical import (
    ENTITY_NAME,
    ENTITY_NAME_ENDING,
    PARTY_KINDS,
    PERSON,
    canonical_properties,
    entity_name,
    identity,
    is_identity_number,
    is_name,
    is_set_as_name,
    label_of,
    may_be_same,
)
from formation_portal.contract.fields.types import read_field

WORDS = st.lists(st.sampled_from(["tax", "id", "passport", "holder", "2"]), max_size=3)


@pytest.mark.parametrize(
    ("names", "names_somebody", "is_set"),
    [
        (("entity.name", "person.last_name", "person.middle_names", "corporate.legal_name"), True, True),
        (("entity.proposed_name_2", "corporate.representative_name", "other.trading_names"), False, True),
        (("entity.name_ending", "person.nickname", "entity.renamed_on", "", None), False, False),
    ],
)
def test_a_name_is_told_from_one_of_several_and_from_what_only_has_the_word_in_it(
    names: tuple[str, ...], names_somebody: bool, is_set: bool
) -> None:
    for name in names:
        assert (is_name(name), is_set_as_name(name)) == (names_somebody, is_set), name


@given(words=WORDS, prefix=st.sampled_from(["", "person.", "other."]), kind=st.sampled_from(PARTY_KINDS))
def test_a_number_that_a_person_is_known_by_ends_with_the_word(words: list[str], prefix: str, kind: str) -> None:
    named = prefix + "_".join([*words, "number"])
    assert is_identity_number(named, kind=kind) is (kind == PERSON)
    assert is_identity_number(f"{named}_2", kind=kind) is (kind == PERSON)
    assert not is_identity_number(f"{named}_holder", kind=kind)
    for other in ("person.phone_number", "person.renumber", "person.number_of_shares"):
        assert not is_identity_number(other, kind=PERSON)


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


ADA = {"first_name": "Ada", "last_name": "Lovelace", "date_of_birth": date(1985, 12, 10)}
LTD = {"name": "Nominees Ltd", "registration_number": "HE 123-456", "country": "CY"}


@pytest.mark.parametrize(
    ("kind", "known", "other", "is_same"),
    [
        ("person", ADA, {"first_name": " ADA ", "email": "other@example.com"}, True),
        ("person", ADA, {"date_of_birth": date(1985, 12, 11)}, False),
        ("corporate", LTD, {"name": "Nominees Limited", "registration_number": "he123456"}, True),
        ("corporate", LTD, {"country": "MT"}, False),
        ("corporate", LTD, {"registration_number": "HE 123-457"}, False),
    ],
)
def test_who_has_the_same_identity_is_the_same(
    kind: str, known: dict[str, Any], other: dict[str, Any], is_same: bool
) -> None:
    assert identity(kind, known) is not None
    assert (identity(kind, known) == identity(kind, known | other)) is is_same


def test_only_canonical_answers_tell_and_without_one_of_them_nobody_can() -> None:
    assert identity("person", {name: value for name, value in ADA.items() if name != "date_of_birth"}) is None
    for missing in ("registration_number", "country"):
        assert identity("corporate", {name: value for name, value in LTD.items() if name != missing}) is None
    fields = (
        read_field({"key": "name", "canonical_field": "corporate.name", "field_type": "text"}),
        read_field({"key": "country", "csp_field_key": "xy.country", "field_type": "text"}),
    )
    assert canonical_properties(fields, {"corporate.name": "A", "xy.country": "CY"}) == {"name": "A"}


@pytest.mark.parametrize(
    ("kind", "one", "other", "may_be"),
    [
        ("person", ADA, ADA | {"date_of_birth": date(1985, 12, 11)}, False),
        ("person", ADA, {"first_name": "Ada", "last_name": "Lovelace"}, True),
        ("person", ADA | {"email": "a@example.com"}, {"last_name": "Lovelace", "email": "a@example.com"}, True),
        ("person", ADA | {"email": "a@example.com"}, {"last_name": "Lovelace", "email": "b@example.com"}, False),
        ("corporate", LTD, {"name": "Nominees Ltd", "country": "MT"}, False),
    ],
)
def test_two_of_one_name_may_be_one_unless_something_speaks_against_it(
    kind: str, one: dict[str, Any], other: dict[str, Any], may_be: bool
) -> None:
    assert may_be_same(kind, one, other) is may_be
    assert may_be_same(kind, other, one) is may_be


@pytest.mark.parametrize("first_name", ["", "-", None])
def test_a_person_with_one_name_only_is_called_by_it(first_name: str | None) -> None:
    assert label_of({"first_name": first_name, "last_name": "Sukarno"}) == "Sukarno"
