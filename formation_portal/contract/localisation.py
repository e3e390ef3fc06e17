"""The language that people read, and how the contract's sentences come into it.

The contract itself knows English alone. Whoever draws pages gives it a speaker once, at the start, which knows the
reader's language at each moment and holds the translations. Without one it speaks English, as the service does.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal, Protocol

from babel import Locale
from babel.dates import format_date, format_skeleton, get_month_names
from babel.lists import format_list
from babel.numbers import format_decimal

# Of the English that there are, the one that the words are written in.
_LOCALES = {"en": "en_GB"}
# In Spanish, and and or are other words before their own vowel: Ada e Ingrid, uno u otro. Unicode's lists don't know.
_SPANISH_LAST = {
    "and": (" y ", " e ", re.compile(r"\W*(?:h?[ií])(?![aeo])", re.IGNORECASE)),
    "or": (" o ", " u ", re.compile(r"\W*(?:h?[oó]|8|11\b)", re.IGNORECASE)),
}
# Names of months are read in each of these, whatever the page is in: none means two months.
_MONTH_LANGUAGES = ("en", "de", "fr", "es")


class Translator(Protocol):
    """What knows the reader's language, and every sentence in it."""

    def get_language(self) -> str:
        """Its code, like de."""
        ...

    def gettext(self, message: str) -> str:
        """The message in that language, or as it is."""
        ...

    def ngettext(self, one: str, many: str, count: int) -> str:
        """The form of the message that goes with the count."""
        ...


class _English:
    def get_language(self) -> str:
        return "en"

    def gettext(self, message: str) -> str:
        return message

    def ngettext(self, one: str, many: str, count: int) -> str:
        return one if count == 1 else many


_translator: Translator = _English()


def set_translator(translator: Translator) -> None:
    """Give the contract its speaker. Called once, at the start."""
    global _translator
    _translator = translator


def get_language() -> str:
    """The code of the language that is read at this moment."""
    return _translator.get_language()


def gettext(message: str, /, **values: object) -> str:
    """A sentence of ours in the reader's language; `{name}` in it is the value of that name."""
    translated = _translator.gettext(message)
    return translated.format(**values) if values else translated


def ngettext(one: str, many: str, count: int, /, **values: object) -> str:
    """A sentence about a number of things, `{count}` in it."""
    return _translator.ngettext(one, many, count).format(count=format_number(count), **values)


def gettext_noop(message: str) -> str:
    """The message itself, marked as one that is said elsewhere, so that it is translated."""
    return message


def join_list(words: Sequence[str], last: Literal["and", "or"] = "and") -> str:
    """One, two and three."""
    if len(words) < 2:
        return "".join(words)
    joined = str(format_list(list(words), style="or" if last == "or" else "standard", locale=locale()))
    plain, before_vowel, vowel = _SPANISH_LAST[last]
    if get_language() == "es" and vowel.match(words[-1]):
        return f"{joined.removesuffix(plain + words[-1])}{before_vowel}{words[-1]}"
    return joined


def in_quotes(text: str) -> str:
    """“The text”, between the quotation marks of the reader's language."""
    return gettext("“{text}”", text=text)


def format_number(number: int | Decimal) -> str:
    """10,000, or 12.5: a number in the reader's notation."""
    return str(format_decimal(number, locale=locale(), decimal_quantization=False))


def format_percentage(number: int | Decimal) -> str:
    """40%, or 33.33%: a number of per cent in the reader's notation."""
    return format_number(number) + ("%" if get_language() == "en" else "\u00a0%")


def long_date(value: date) -> str:
    """27 March 1985, with no-break spaces."""
    return _date_words(value, "", locale())


def month_and_year(value: date) -> str:
    """November 2026."""
    return str(format_skeleton("yMMMM", value, locale=locale()))


def day_and_month(value: date) -> str:
    """27 March, with a no-break space."""
    return _date_words(value, "MMMMd", locale())


# Babel takes as long over a date as a template over a paragraph, and a page says the same few.
@lru_cache(maxsize=4_000)
def _date_words(value: date, skeleton: str, where: Locale) -> str:
    words = format_skeleton(skeleton, value, locale=where) if skeleton else format_date(value, "long", locale=where)
    return str(words).replace(" ", "\u00a0")


def month_number(text: str) -> int:
    """The month by its name, or its usual short form, in any of the languages; 0 for no name."""
    return _months().get(_letters(text), 0)


@cache
def _months() -> dict[str, int]:
    widths: tuple[Literal["wide", "abbreviated"], ...] = ("wide", "abbreviated")
    forms = ((code, width) for code in _MONTH_LANGUAGES for width in widths)
    return {
        _letters(name): number
        for code, width in forms
        for number, name in get_month_names(width, locale=locale_of(code)).items()
    }


def _letters(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.strip().rstrip(".")).casefold()
    return "".join(letter for letter in letters if letter.isalpha())


def locale() -> Locale:
    """What Unicode knows of the reader's language."""
    return locale_of(get_language())


@cache
def locale_of(code: str) -> Locale:
    """What Unicode knows of a language."""
    return Locale.parse(_LOCALES.get(code, code).replace("_", "-"), sep="-")


def colon() -> str:
    """What stands between a word and what is said of it: French sets the colon apart."""
    return "\u00a0: " if get_language() == "fr" else ": "


def after_colon(text: str) -> str:
    """A sentence after a colon: with a small letter, but in German, where a whole one keeps its capital."""
    return text if get_language() == "de" else text[:1].lower() + text[1:]
