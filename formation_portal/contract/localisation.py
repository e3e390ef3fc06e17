"""Translate the contract's sentences into the reader's language, and format numbers, dates and lists in it.

The contract itself knows only English. The portal sets a translator at its start, which knows the current reader's
language and the translations. Without a translator all texts are English, as at the service.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal

from babel import Locale
from babel.dates import format_date, format_skeleton, get_month_names
from babel.lists import format_list
from babel.numbers import format_decimal

# The variety of English in which the texts are written.
_LOCALES = {"en": "en_GB"}
# In Spanish, "and" and "or" change before their own vowel: Ada e Ingrid, uno u otro. Unicode's lists lack this.
_SPANISH_LAST = {
    "and": (" y ", " e ", re.compile(r"\W*(?:h?[ií])(?![aeo])", re.IGNORECASE)),
    "or": (" o ", " u ", re.compile(r"\W*(?:h?[oó]|8|11\b)", re.IGNORECASE)),
}
# Names of months are read in all these languages: no name means two different months.
_MONTH_LANGUAGES = ("en", "de", "de_AT", "fr", "es")
_SHORTEST_MONTH = 3


class Translator:
    """A translator into English, in which all messages are written. A subclass knows other languages."""

    def get_language(self) -> str:
        return "en"

    def gettext(self, message: str) -> str:
        return message

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        return singular if count == 1 else plural


_translator = Translator()


def set_translator(translator: Translator) -> None:
    global _translator
    _translator = translator


def get_language() -> str:
    return _translator.get_language()


def gettext(message: str, /, **values: object) -> str:
    """Return a message in the reader's language, with the values in place of `{name}`."""
    translated = _translator.gettext(message)
    return translated.format(**values) if values else translated


def ngettext(singular: str, plural: str, count: int, /, **values: object) -> str:
    """Return a message in its form for a count, with `{count}` in the reader's notation."""
    return _translator.ngettext(singular, plural, count).format(count=format_number(count), **values)


def gettext_noop(message: str) -> str:
    """Mark a message for translation where it is used."""
    return message


def join_list(items: Sequence[str], last: Literal["and", "or"] = "and") -> str:
    """Join words as in “one, two and three”."""
    if len(items) < 2:
        return "".join(items)
    joined = str(format_list(list(items), style="or" if last == "or" else "standard", locale=locale()))
    plain, before_vowel, vowel = _SPANISH_LAST[last]
    if get_language() == "es" and vowel.match(items[-1]):
        return f"{joined.removesuffix(plain + items[-1])}{before_vowel}{items[-1]}"
    return joined


def in_quotes(text: str) -> str:
    return gettext("“{text}”", text=text)


def format_number(number: int | Decimal) -> str:
    return str(format_decimal(number, locale=locale(), decimal_quantization=False))


def format_percentage(number: int | Decimal) -> str:
    """Format a number of per cent in the reader's notation: 33.33%."""
    return format_number(number) + ("%" if get_language() == "en" else "\u00a0%")


def long_date(value: date) -> str:
    """Format a date as 27 March 1985, with no-break spaces."""
    return _format_date(value, "", locale())


def month_and_year(value: date) -> str:
    return str(format_skeleton("yMMMM", value, locale=locale()))


def day_and_month(value: date) -> str:
    """Format a date as 27 March, with a no-break space."""
    return _format_date(value, "MMMMd", locale())


# Cached: Babel takes as long for a date as a template for a paragraph, and pages repeat dates.
@lru_cache(maxsize=4_000)
def _format_date(value: date, skeleton: str, locale: Locale) -> str:
    text = format_skeleton(skeleton, value, locale=locale) if skeleton else format_date(value, "long", locale=locale)
    return str(text).replace(" ", "\u00a0")


def month_number(text: str) -> int:
    """Return a month's number by its name, or the start of it, in any of our languages; 0 for other text."""
    letters = _letters(text)
    numbers = {number for name, number in _months().items() if name.startswith(letters)}
    return numbers.pop() if len(letters) >= _SHORTEST_MONTH and len(numbers) == 1 else 0


@cache
def _months() -> dict[str, int]:
    # On German passports and in Uruguay and Peru, but not in the CLDR.
    numbers = {"mrz": 3, "setiembre": 9}
    widths: tuple[Literal["wide", "abbreviated"], ...] = ("wide", "abbreviated")
    for code in _MONTH_LANGUAGES:
        for width in widths:
            for number, name in get_month_names(width, locale=locale_of(code)).items():
                numbers[_letters(name)] = number
    return numbers


def _letters(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.strip().rstrip(".")).casefold()
    return "".join(letter for letter in letters if letter.isalpha())


def locale() -> Locale:
    return locale_of(get_language())


@cache
def locale_of(code: str) -> Locale:
    return Locale.parse(_LOCALES.get(code, code).replace("_", "-"), sep="-")


def colon() -> str:
    """Return a colon with the spaces of the reader's language around it."""
    return "\u00a0: " if get_language() == "fr" else ": "


def after_colon(text: str) -> str:
    """Begin a sentence after a colon with a small letter, except in German."""
    return text if get_language() == "de" else text[:1].lower() + text[1:]
