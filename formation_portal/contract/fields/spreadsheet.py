"""Turn the texts of a spreadsheet's cells into answers as a form posts them.

A cell has the label of a choice instead of its code, several choices, or a whole date. A text that cannot be understood
stays as typed, so that validation tells why.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from ..localisation import gettext
from .cleaning import clean_line
from .iso_codes import COUNTRIES, codes_by_other_name, country_name
from .parsing import ascii_digits
from .values import AnswerError

# A country is recognised by its name in each of these languages.
_LANGUAGES = ("en", "de", "fr", "es")
_YES = ("yes", "y", "true", "1", "ja", "j", "oui", "o", "sí", "s")
_NO = ("no", "n", "false", "0", "nein", "non")

_LIST_MARKS = re.compile(r"[;\n]")
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]0{1,2}:00(?::00(?:\.0+)?)?)?", re.ASCII)
# 27 March 1985, 1er mars 1985, 27 de marzo de 1985.
_DAY_FIRST = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|er|\.?º)?\s*([ ./-])\s*(?:de\s)?(\d{1,2}|[^\W\d_]+)\s*[ ./,-]+\s*(?:del?\s)?(\d{4})",
    re.IGNORECASE,
)
_WORD_FIRST = re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?\s*,?\s+(\d{4})")
_MONTHS = 12
# No date is longer in any language. Searching longer texts takes too much time.
_MAX_DATE_LENGTH = 60


def fold(text: str) -> str:
    """Fold capitals, accents, apostrophes and spaces, so that spellings of a word become equal."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    return " ".join("".join(letter for letter in plain if not unicodedata.combining(letter)).split())


# The folded words for yes and no, with the values of a boolean.
YES_AND_NO = dict.fromkeys(map(fold, _YES), "true") | dict.fromkeys(map(fold, _NO), "false")


@lru_cache(maxsize=500)
def values_by_label(choices: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Map each choice's value and label, both folded, to its value. `choices` are pairs (value, label)."""
    values: dict[str, str] = {}
    for value, label in choices:
        values.setdefault(fold(value), value)
        values.setdefault(fold(label), value)
    return values


@cache
def countries() -> Mapping[str, str]:
    names = [(code, country_name(code, language)) for language in _LANGUAGES for code in COUNTRIES]
    names += [(code, name) for name, code in codes_by_other_name().items()]
    return values_by_label(tuple(names))


def choice_value(text: str, values: Mapping[str, str]) -> str:
    """Return the value that the text names, or the text itself."""
    return values.get(fold(text), text.strip())


def choice_values(text: str, values: Mapping[str, str]) -> list[str]:
    """Return the values in a text, split at semicolons or new lines, or at commas if all parts are known."""
    if fold(text) in values:
        return [values[fold(text)]]
    parts = [part for part in _LIST_MARKS.split(text) if part.strip()]
    if len(parts) == 1 and all(fold(part) in values for part in text.split(",")):
        parts = text.split(",")
    return [choice_value(part, values) for part in parts]


def date_parts(text: str, *, label: str) -> dict[str, str]:
    """Split a date into day, month and year as typed. Raises AnswerError for an unreadable or ambiguous date.

    Some countries write the month first, so 3/4/1985 is ambiguous: both numbers could be the month.
    """
    typed = ascii_digits(clean_line(text))
    if not typed:
        return {}
    searched = typed if len(typed) <= _MAX_DATE_LENGTH else ""
    if match := _YEAR_FIRST.fullmatch(searched):
        year, month, day = match[1], match[3], match[4]
    elif match := _WORD_FIRST.fullmatch(searched):
        month, day, year = match[1], match[2], match[3]
    elif match := _DAY_FIRST.fullmatch(searched):
        day, mark, month, year = match[1], match[2], match[3], match[4]
        if mark in "/-" and month.isdecimal() and int(day) <= _MONTHS:
            if int(month) > _MONTHS:
                day, month = month, day
            elif int(day) != int(month):
                message = gettext(
                    "Enter “{label}” with the month as a word, like 3 April 1985. {typed} could mean two dates",
                    label=label,
                    typed=typed,
                )
                raise AnswerError("two_dates", message)
    else:
        message = gettext("Enter “{label}” as a date, like 27 March 1985 or 1985-03-27", label=label)
        raise AnswerError("not_a_date", message)
    return {"day": day, "month": month, "year": year}
