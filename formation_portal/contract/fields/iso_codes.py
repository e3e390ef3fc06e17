"""Countries and currencies: codes, names in the reader's language, minor units.

Data from the Unicode CLDR by way of Babel; codes are ISO 3166-1 alpha-2 and ISO 4217.
"""

import unicodedata
from collections.abc import Callable
from decimal import Decimal
from functools import cache, lru_cache

from babel import Locale
from babel.numbers import format_decimal, get_currency_precision, get_territory_currencies, list_currencies

from .. import localisation as reader
from .values import decimals_of

# CLDR territories with two letters that ISO 3166-1 doesn't assign: unions, exceptional reservations, test codes.
_NOT_ASSIGNED = {"EU", "EZ", "UN", "ZZ", "QO", "AC", "CP", "CQ", "DG", "EA", "IC", "TA", "XA", "XB", "XK"}


COUNTRIES: tuple[str, ...] = tuple(
    sorted(
        code
        for code in map(str, Locale("en").territories)
        if len(code) == 2 and code.isalpha() and code not in _NOT_ASSIGNED
    )
)
CURRENCIES: frozenset[str] = frozenset(list_currencies("en"))
# Those that somebody pays with today, by code: what a list offers. Older ones are still understood.
CURRENCIES_IN_USE: tuple[str, ...] = tuple(
    sorted({code for country in COUNTRIES for code in get_territory_currencies(country)} & CURRENCIES)
)

_COUNTRY_SET = frozenset(COUNTRIES)


def is_country(code: str) -> bool:
    """Whether the code is an assigned ISO 3166-1 alpha-2 code, in capitals."""
    return code in _COUNTRY_SET


def is_currency(code: str) -> bool:
    """Whether the code is an ISO 4217 code, in capitals."""
    return code in CURRENCIES


def country_name(code: str, language: str = "") -> str:
    """The country's name in the language, else in the reader's; the code itself where nobody knows it."""
    return _name("territories", code, language or reader.get_language())


def currency_name(code: str, language: str = "") -> str:
    """The currency's name in the language, else in the reader's; or the code itself."""
    return _name("currencies", code, language or reader.get_language())


# A list of countries has 250 of them.
@cache
def _name(kind: str, code: str, language: str) -> str:
    return str(getattr(reader.locale_of(language), kind).get(code, code))


def currencies_of(country: str) -> tuple[str, ...]:
    """The codes of what is paid with in a country today; nothing for a code that is no country's."""
    return tuple(get_territory_currencies(country)) if is_country(country) else ()


def by_country_name(codes: tuple[str, ...], language: str = "") -> tuple[str, ...]:
    """Codes of countries in the order in which a reader looks for them: A to Z by name in the language."""
    return _sorted_by(country_name, codes, language or reader.get_language())


def by_currency_name(codes: tuple[str, ...], language: str = "") -> tuple[str, ...]:
    """Codes of currencies A to Z by name in the language, else in the reader's."""
    return _sorted_by(currency_name, codes, language or reader.get_language())


@lru_cache(maxsize=2_000)
def _sorted_by(name: Callable[[str, str], str], codes: tuple[str, ...], language: str) -> tuple[str, ...]:
    return tuple(sorted(codes, key=lambda code: sort_key(name(code, language))))


def sort_key(name: str) -> str:
    """What a name is sorted by: its letters without accents, capitals or marks, as in all our languages' lists."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum() or letter == " ")


@lru_cache(maxsize=1_000)
def minor_units(currency: str) -> int:
    """How many decimal places an amount in the currency may have: 2 for USD, 0 for JPY, 3 for KWD."""
    return int(get_currency_precision(currency))


def format_money(amount: Decimal, currency: str) -> str:
    """CHF 20,000.50, with a no-break space. An amount without a currency shows its figure alone."""
    return f"{currency}\u00a0{format_amount(amount, currency)}" if currency else format_amount(amount, currency)


def format_amount(amount: Decimal, currency: str) -> str:
    """20,000.50: an amount with the currency's minor units, or with every digit where it has more decimals."""
    pattern = "#,##0." + "0" * max(minor_units(currency), decimals_of(amount))
    return str(format_decimal(amount, pattern, locale=reader.locale()))
