"""Countries and currencies: codes, names in the reader's language, minor units.

Data from the Unicode CLDR by way of Babel; codes are ISO 3166-1 alpha-2 and ISO 4217, and XK for Kosovo, which ISO
leaves to its users (INTERFACE.md, "Values").
"""

import re
import unicodedata
from decimal import Decimal
from functools import cache, lru_cache

from babel import Locale
from babel.core import get_global
from babel.numbers import (
    format_decimal,
    get_currency_precision,
    get_currency_symbol,
    get_territory_currencies,
    list_currencies,
)

from .. import localisation as reader
from .values import decimals_of

# CLDR territories with two letters that ISO 3166-1 doesn't assign: unions, exceptional reservations, test codes.
_NOT_ASSIGNED = {"EU", "EZ", "UN", "ZZ", "QO", "AC", "CP", "CQ", "DG", "EA", "IC", "TA", "XA", "XB"}


COUNTRIES: tuple[str, ...] = tuple(
    sorted(
        code
        for code in map(str, Locale("en").territories)
        if len(code) == 2 and code.isalpha() and code not in _NOT_ASSIGNED
    )
)
CURRENCIES: frozenset[str] = frozenset(list_currencies("en"))
# The currencies in use today, by code: lists offer these. Older ones can still be read.
CURRENCIES_IN_USE: tuple[str, ...] = tuple(
    sorted({code for country in COUNTRIES for code in get_territory_currencies(country)} & CURRENCIES)
)

_COUNTRY_SET = frozenset(COUNTRIES)
_ALPHA_3 = 3
# Usual names that the CLDR lacks, by code.
_USUAL_NAMES = {
    "AE": ("UAE", "U.A.E.", "Emirates", "VAE", "Emirate", "EAU"),
    "BA": ("Bosnia",),
    "BO": ("Plurinational State of Bolivia",),
    "CD": ("DR Congo", "DRC", "Democratic Republic of the Congo", "Demokratische Republik Kongo", "RD Congo"),
    "CG": ("Republic of the Congo", "Republik Kongo", "République du Congo"),
    "CH": ("Swiss Confederation",),
    "CI": ("Ivory Coast", "Elfenbeinküste", "Costa de Marfil"),
    "CN": ("PRC", "P.R. China", "People's Republic of China", "Volksrepublik China"),
    "CV": ("Kap Verde",),
    "CZ": ("Czech Republic", "Tschechische Republik", "République tchèque", "República Checa"),
    "FK": ("Falkland Islands (Malvinas)",),
    "FM": ("Federated States of Micronesia",),
    "GB": (
        *("UK", "U.K.", "Great Britain", "Britain", "England", "Scotland", "Wales"),
        *("Northern Ireland", "Großbritannien", "Grossbritannien", "Schottland", "Grande-Bretagne", "Angleterre"),
        *("Gran Bretaña", "Inglaterra", "R.U.", "Écosse", "Escocia", "Nordirland"),
        "United Kingdom of Great Britain and Northern Ireland",
    ),
    "GR": ("Hellenic Republic",),
    "HK": ("Hong Kong", "Hongkong", "Hong Kong SAR"),
    "IE": ("Eire", "Éire"),
    "IR": ("Islamic Republic of Iran",),
    "KN": ("St. Kitts", "St Kitts"),
    "KP": ("DPRK", "Democratic People's Republic of Korea"),
    "KR": ("Republic of Korea", "Republik Korea", "République de Corée", "República de Corea"),
    "LA": ("Lao People's Democratic Republic", "Lao PDR"),
    "MD": ("Moldawien", "Moldau"),
    "MF": ("Saint Martin (French part)",),
    "MK": ("Macedonia", "Republic of Macedonia", "Mazedonien", "Macédoine"),
    "MM": ("Burma", "Myanmar", "Birma", "Birmanie", "Birmania", "Republic of the Union of Myanmar"),
    "MO": ("Macau", "Macao", "Macao SAR"),
    "MX": ("United Mexican States",),
    "NL": ("Holland", "Hollande", "Holanda"),
    "PS": ("Palestine", "State of Palestine", "Palästina", "Palestina"),
    "RU": (
        "Russian Federation",
        "Russian Federation (the)",
        "Russische Föderation",
        "Fédération de Russie",
        "Federación de Rusia",
    ),
    "SH": ("Saint Helena, Ascension and Tristan da Cunha",),
    "SX": ("Sint Maarten (Dutch part)",),
    "SY": ("Syrian Arab Republic",),
    "SZ": ("Swaziland", "Swasiland"),
    "TL": ("East Timor", "Osttimor", "Timor oriental", "Timor Oriental"),
    "TR": ("Turkey",),
    "TW": ("Republic of China", "Taiwan, Province of China", "Taiwan (Province of China)"),
    "TZ": ("United Republic of Tanzania",),
    "US": (
        *("USA", "U.S.A.", "U.S.", "United States of America", "United States of America (the)", "America"),
        *("Vereinigte Staaten von Amerika", "Amerika", "États-Unis d'Amérique", "Estados Unidos de América"),
        *("EE. UU.", "EE.UU.", "EEUU", "É.-U.", "EUA"),
    ),
    "VA": (
        "Vatican",
        "Holy See",
        "Vatikan",
        "Heiliger Stuhl",
        "Saint-Siège",
        "Santa Sede",
        "Holy See (Vatican City State)",
    ),
    "VE": ("Bolivarian Republic of Venezuela",),
    "VG": ("BVI", "B.V.I.", "Virgin Islands (British)", "Virgin Islands, British"),
    "VI": ("USVI", "Virgin Islands (U.S.)", "Virgin Islands, U.S."),
    "VN": ("Viet Nam",),
    "WS": ("Independent State of Samoa",),
    "XK": ("XKX", "RKS"),
}
# "Korea, Republic of" in ISO 3166, "Korea (Republic of)" in lists of the United Nations, "Gambia, The".
_INVERTED = re.compile(r"(.+ of(?: the)?|The) (.+)")
# Signs that people write but the CLDR lacks. Read beside the chosen currency alone, so that none has two meanings.
_FURTHER_SIGNS = {
    "CHF": ("Fr.", "SFr."),
    "CNY": ("元", "￥"),
    "CZK": ("Kč",),
    "DKK": ("kr", "kr."),
    "HUF": ("Ft",),
    "ISK": ("kr", "kr."),
    "JPY": ("円", "￥"),
    "KRW": ("원",),
    "NOK": ("kr", "kr."),
    "PLN": ("zł",),
    "SEK": ("kr", "kr."),
}


def is_country(code: str) -> bool:
    """Tell whether the code is an assigned ISO 3166-1 alpha-2 code or XK, in capitals."""
    return code in _COUNTRY_SET


def is_currency(code: str) -> bool:
    """Tell whether the code is an ISO 4217 code, in capitals."""
    return code in CURRENCIES


# Cached: a list of countries has 250 names.
@cache
def _name(kind: str, code: str, language: str) -> str:
    return str(getattr(reader.locale_of(language), kind).get(code, code))


def country_name(code: str, language: str = "") -> str:
    """Return the name of a country in a language, by default the reader's, or the code if there is no name."""
    return _name("territories", code, language or reader.get_language())


@cache
def codes_by_other_name() -> dict[str, str]:
    """Map other names of countries to their codes: codes of three letters, as in passports, and usual names."""
    codes = {}
    for alias, targets in get_global("territory_aliases").items():
        # A former country has several successors.
        if len(alias) == _ALPHA_3 and len(targets) == 1 and is_country(targets[0]):
            codes[alias] = targets[0]
    for code, names in _USUAL_NAMES.items():
        codes |= dict.fromkeys(names, code)
    for code in COUNTRIES:
        # The CLDR writes "St Kitts & Nevis" and "Bahamas".
        full = country_name(code, "en").replace("&", "and")
        for name in (full, full.replace("St ", "Saint "), full.replace("St ", "St. ")):
            codes |= {name: code, f"The {name}": code, f"{name} (the)": code}
        codes.setdefault(f"Republic of {full}", code)
    for name, code in tuple(codes.items()):
        if match := _INVERTED.fullmatch(name):
            codes |= {f"{match[2]}, {match[1]}": code, f"{match[2]} ({match[1]})": code}
    return codes


def currency_name(code: str) -> str:
    return _name("currencies", code, reader.get_language())


@lru_cache(maxsize=200)
def currency_signs(currency: str) -> tuple[str, ...]:
    """Return what people write for a currency: USD, US$ and $. The longest comes first."""
    if not is_currency(currency):
        return ()
    symbols = [get_currency_symbol(currency, locale) for locale in ("en_GB", "en_US")]
    signs = {currency, *symbols, *_FURTHER_SIGNS.get(currency, ())}
    return tuple(sorted(signs, key=lambda sign: (-len(sign), sign)))


def currencies_of(country: str) -> tuple[str, ...]:
    return tuple(get_territory_currencies(country)) if is_country(country) else ()


def by_country_name(codes: tuple[str, ...], language: str = "") -> tuple[str, ...]:
    """Sort codes of countries by their names in a language, by default the reader's."""
    return _sorted_by_name("territories", codes, language or reader.get_language())


def by_currency_name(codes: tuple[str, ...]) -> tuple[str, ...]:
    return _sorted_by_name("currencies", codes, reader.get_language())


@lru_cache(maxsize=2_000)
def _sorted_by_name(kind: str, codes: tuple[str, ...], language: str) -> tuple[str, ...]:
    return tuple(sorted(codes, key=lambda code: sort_key(_name(kind, code, language))))


def sort_key(name: str) -> str:
    """Return a name's sort key in all our languages: its letters without accents, capitals and marks."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum() or letter == " ")


@lru_cache(maxsize=1_000)
def minor_units(currency: str) -> int:
    """Return the number of decimal places of the currency: 2 for USD, 0 for JPY, 3 for KWD."""
    return int(get_currency_precision(currency))


def format_money(amount: Decimal, currency: str) -> str:
    """Format an amount as CHF 20,000.50, with a no-break space, or without a currency as 20,000.50."""
    text = format_amount(amount, currency)
    return f"{currency}\u00a0{text}" if currency else text


def format_amount(amount: Decimal, currency: str) -> str:
    """Format an amount as 20,000.50: with the currency's minor units, or with all decimals if it has more."""
    pattern = "#,##0." + "0" * max(minor_units(currency), decimals_of(amount))
    return str(format_decimal(amount, pattern, locale=reader.locale()))
