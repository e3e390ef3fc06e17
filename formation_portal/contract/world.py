"""Countries and currencies: codes, names in the reader's language, minor units.

Data from the Unicode CLDR by way of Babel; codes are ISO 3166-1 alpha-2 and ISO 4217.
"""

import unicodedata
from functools import cache

from babel import Locale
from babel.numbers import get_currency_precision, list_currencies

from . import language as reader

# CLDR territories with two letters that ISO 3166-1 doesn't assign: unions, exceptional reservations, test codes.
_NOT_ASSIGNED = {"EU", "EZ", "UN", "ZZ", "QO", "AC", "CP", "CQ", "DG", "EA", "IC", "TA", "XA", "XB", "XK"}


def _assigned_codes() -> tuple[str, ...]:
    territories: list[str] = [str(code) for code in Locale("en").territories]
    return tuple(
        sorted(code for code in territories if len(code) == 2 and code.isalpha() and code not in _NOT_ASSIGNED)
    )


COUNTRIES: tuple[str, ...] = _assigned_codes()
CURRENCIES: frozenset[str] = frozenset(list_currencies("en"))

_COUNTRY_SET = frozenset(COUNTRIES)


def is_country(code: str) -> bool:
    """Whether the code is an assigned ISO 3166-1 alpha-2 code, in capitals."""
    return code in _COUNTRY_SET


def is_currency(code: str) -> bool:
    """Whether the code is an ISO 4217 code, in capitals."""
    return code in CURRENCIES


def country_name(code: str, language: str = "") -> str:
    """The country's name in the language, else in the reader's; the code itself where nobody knows it."""
    return _country_name(code, language or reader.language())


def currency_name(code: str, language: str = "") -> str:
    """The currency's name in the language, else in the reader's; or the code itself."""
    return _currency_name(code, language or reader.language())


@cache
def _country_name(code: str, language: str) -> str:
    return str(reader.locale_of(language).territories.get(code, code))


@cache
def _currency_name(code: str, language: str) -> str:
    return str(reader.locale_of(language).currencies.get(code, code))


@cache
def countries_by_name(language: str) -> tuple[tuple[str, str], ...]:
    """Pairs of code and name, in the order in which a reader looks for them."""
    named = ((code, country_name(code, language)) for code in COUNTRIES)
    return tuple(sorted(named, key=lambda pair: collated(pair[1])))


def collated(name: str) -> str:
    """What a name is sorted by: its letters without accents, capitals or marks, as in all our languages' lists."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum() or letter == " ")


def minor_units(currency: str) -> int:
    """How many decimal places an amount in the currency may have: 2 for USD, 0 for JPY, 3 for KWD."""
    return int(get_currency_precision(currency))
