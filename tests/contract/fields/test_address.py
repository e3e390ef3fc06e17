"""Addresses as their country writes them; what is said of a country is advice, and refuses nothing."""

from typing import Any

import pytest

from formation_portal.contract.fields.address import ANYWHERE, AddressField, address_format
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.contract.fields.types import read_field

HOME: AddressField = read_field({"key": "home", "label": "Home address", "field_type": "address"})  # type: ignore[assignment]
OSLO = {"street1": "Storgata 12", "city": "Oslo", "postcode": "0184", "country": "NO"}

# The places that are one town, with the town that is sent.
TOWNS = {
    "GI": "Gibraltar",
    "HK": "Hong Kong",
    "MC": "Monaco",
    "MO": "Macao",
    "SG": "Singapore",
    "VA": "Vatican City",
}


def parts(country: str, **more: str) -> list[tuple[str, str, bool]]:
    return [(part.name, part.label, part.is_optional) for part in HOME.parts_for({"country": country} | more)]


def test_every_country_has_the_parts_that_every_address_has() -> None:
    for country in COUNTRIES:
        written = address_format(country)
        assert written.parts[:3] == ("country", "street1", "street2"), country
        asked = {"street1", "country"} if country in TOWNS else {"street1", "city", "country"}
        assert asked <= written.required <= set(written.parts) <= set(AddressField.parts)
        assert len(set(written.parts)) == len(written.parts), country
        assert not written.postcode_example or written.is_postcode(written.postcode_example), country


def test_parts_stand_in_the_order_and_under_the_names_of_the_country_and_others_stay_in_sight() -> None:
    assert parts("NO")[3:] == [("postcode", "Postcode", False), ("city", "Town or city", False)]
    assert parts("US")[3:] == [
        ("city", "Town or city", False),
        ("region", "State", False),
        ("postcode", "ZIP code", False),
    ]
    assert parts("AE")[3:] == [("region", "Emirate", False), ("city", "Town or city", False)]
    assert "Alabama" in address_format("US").regions
    assert "Abu Dhabi" in address_format("AE").regions
    assert parts("AE", postcode="0184", region="")[-1] == ("postcode", "Postcode", True)


@pytest.mark.parametrize("country", ["", "all", "ZZ", "../no", "no"])
def test_without_a_known_country_every_part_is_asked(country: str) -> None:
    assert address_format(country) is ANYWHERE
    assert [name for name, _, _ in parts(country)] == list(ANYWHERE.parts)


@pytest.mark.parametrize("country", TOWNS)
def test_a_place_that_is_one_town_is_not_asked_for_its_town(country: str) -> None:
    typed = {"street1": "1 Marina Boulevard", "country": country}

    assert "city" not in [name for name, _, _ in parts(country)]
    assert HOME.payload(HOME.clean(typed)) == typed | {"city": TOWNS[country]}
    assert HOME.wrong_parts("incomplete_address", {"country": country}) == ("street1",)


def test_a_town_that_was_typed_in_a_place_that_is_one_town_stays() -> None:
    kowloon = {"street1": "8 Nathan Road", "city": "Kowloon", "country": "HK"}

    assert ("city", "Town or city", True) in parts("HK", city="Kowloon")
    assert HOME.payload(HOME.clean(kowloon)) == kowloon
    assert HOME.display(HOME.clean(kowloon)) == "8 Nathan Road, Kowloon, Hong Kong SAR China"


def test_a_place_that_is_one_town_is_written_once() -> None:
    address = HOME.clean({"street1": "1 Marina Boulevard", "postcode": "018989", "country": "SG"})

    assert HOME.display(address) == "1 Marina Boulevard, 018989, Singapore"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (OSLO, ""),
        (OSLO | {"postcode": "N-184"}, "Check “Postcode”. In this country it looks like 0025."),
        (OSLO | {"country": "US", "postcode": "95014"}, "Check “State”. Addresses in this country usually have one."),
        (OSLO | {"country": "GB", "postcode": "ec1y 8sy"}, ""),
        ("Storgata 12", ""),
    ],
)
def test_what_the_country_is_used_to_is_said_and_never_refused(typed: Any, said: str) -> None:
    assert HOME.ambiguity_note(typed) == said
    if isinstance(typed, dict) and "country" in typed:
        assert HOME.clean(typed) is not None
