"""Parse what several field types share: texts, lists, numbers. An AnswerError is raised for what cannot be parsed.

Every function takes posted answers and payloads, since the service uses the same code.

A draft has numbers in one notation, 1,234.56. A German page reads and shows 1.234,56 instead, a French page 1 234,56.
A number in another notation is converted where it has no other reading, like 20.000,50 on an English page. Any other
text stays as typed.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

from ..localisation import format_number, get_language, gettext
from .cleaning import clean_line, clean_lines, remove_invisible
from .values import AnswerError

LINE_LIMIT = 500
LINES_LIMIT = 10_000
# Many readers of JSON take numbers as doubles, which keep 15 digits exactly.
DIGITS_LIMIT = 15
# Wide enough to drop trailing zeros without rounding a number within the limit.
_WIDE_CONTEXT = Context(prec=1_000)

_PLAIN_NUMBER = re.compile(r"-?(\d+(\.\d+)?|\.\d+)", re.ASCII)
# Thousands, or lakhs and crores like 12,34,567. Thousands do not begin with zero, so 0,125 is not 125.
_GROUPED_NUMBER = re.compile(r"-?[1-9](\d{0,2}(,\d{3})+|\d?(,\d\d)+,\d{3})(\.\d+)?", re.ASCII)
_GROUP_MARKS = re.compile("[\\s\u00a0\u202f'’‘´`]")
_SWAPPED_MARKS = str.maketrans(".,", ",.")
# Arabic and full-width marks and the minus sign, none of which has two meanings.
_CLEAR_MARKS = str.maketrans("\u066b\u066c\uff0e\uff0c\u2212", ".,.,-")
PERCENT_SIGNS = "%\u066a\uff05"


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def list_or_empty(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def texts(value: Any) -> tuple[str, ...]:
    """Return a schema's list of options as texts. Numbers become texts, anything else is left out."""
    return tuple(
        str(item) for item in list_or_empty(value) if isinstance(item, str | int | float) and not isinstance(item, bool)
    )


def without_null(value: Any) -> str:
    """Replace null characters, which no database can store, by replacement characters."""
    return str(value).replace("\x00", "\ufffd")


def length(text: str) -> int:
    """Count the characters of a cleaned text, or of the text itself if it has very many blanks."""
    cleaned = len(clean_lines(text))
    return len(text) if len(text) > 2 * cleaned + LINE_LIMIT else cleaned


def is_blank(raw: Any) -> bool:
    """Tell whether an answer is None or has no visible text, be it a text, a list or texts by part."""
    # Only one level is read: no answer is deeper, but a hostile body may be.
    members = raw if isinstance(raw, list | tuple) else (raw,)
    if isinstance(raw, dict):
        members = tuple(raw.values())
    for member in members:
        if isinstance(member, str):
            # ASCII has no invisible characters except white space and controls.
            if member.strip() and (member.isascii() or clean_lines(member)):
                return False
        elif member is not None:
            return False
    return True


def line(raw: Any, *, label: str) -> str:
    """Clean and return one line of text. Raises AnswerError for control characters and long texts."""
    return _checked_text(clean_line(_text(raw, label)), label=label, limit=LINE_LIMIT)


def lines(raw: Any, *, label: str) -> str:
    return _checked_text(clean_lines(_text(raw, label)), label=label, limit=LINES_LIMIT, allowed="\n\t")


def _text(raw: Any, label: str) -> str:
    if not isinstance(raw, str):
        raise AnswerError("not_text", gettext("Enter “{label}” as text", label=label))
    return raw


def _checked_text(text: str, *, label: str, limit: int, allowed: str = "") -> str:
    # Most texts are printable, and are not searched for control characters.
    if not text.isprintable() or "\ufffd" in text:
        for character in set(text).difference(allowed):
            if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cs"):
                message = gettext("Enter “{label}” again. It contains characters that we can’t save", label=label)
                raise AnswerError("control_characters", message)
    if len(text) > limit:
        values = {"label": label, "limit": format_number(limit), "length": format_number(len(text))}
        message = gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **values)
        raise AnswerError("too_long", message)
    return text


def members(raw: Any, *, label: str) -> list[Any]:
    """Return the chosen members of a list, without blanks. Raises AnswerError for anything but a list."""
    if not isinstance(raw, list | tuple):
        raise AnswerError("not_a_list", gettext("Choose “{label}” from the list", label=label))
    return [member for member in raw if not is_blank(member)]


def number(raw: Any, *, label: str) -> int | Decimal:
    """Parse a number of at most 15 digits; a whole number becomes an int."""
    exact = decimal(raw, label=label)
    return int(exact) if exact == exact.to_integral_value() else exact


def without_group_marks(text: str) -> str:
    """Return a typed number in ASCII digits, without spaces and apostrophes between thousands."""
    return _GROUP_MARKS.sub("", ascii_digits(remove_invisible(text)))


def ascii_digits(text: str) -> str:
    """Replace the decimal digits of any script by ASCII ones."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text)


def without_percent_sign(text: str) -> str:
    """Remove the percent sign of a typed number; leave any other text as it is."""
    number = clean_line(text).strip(f"{PERCENT_SIGNS} ")
    return number if is_number(number) else text


def decimal(raw: Any, *, label: str) -> Decimal:
    """Parse a number in the draft's notation, or in another if it has no other reading; drop trailing zeros."""
    if isinstance(raw, str):
        if not is_number(raw):
            raise _no_number(label)
        raw = _in_plain_marks(draft_number(raw)).replace(",", "")
    elif isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise _no_number(label)
    if len(str(raw)) > _WIDE_CONTEXT.prec:
        raise _too_many_digits(label)
    exact = Decimal(str(raw))
    if not exact.is_finite():
        raise _no_number(label)
    sign, digits, exponent = exact.normalize(_WIDE_CONTEXT).as_tuple()
    if not isinstance(exponent, int) or len(digits) + max(exponent, 0) > DIGITS_LIMIT or -exponent > DIGITS_LIMIT:
        raise _too_many_digits(label)
    if exponent > 0:
        return Decimal((sign, digits + (0,) * exponent, 0))
    return Decimal((sign if any(digits) else 0, digits, exponent))


def _no_number(label: str) -> AnswerError:
    return AnswerError("not_a_number", gettext("Enter “{label}” in digits, like 10000", label=label))


def _too_many_digits(label: str) -> AnswerError:
    message = gettext("Enter “{label}” with at most {limit} digits", label=label, limit=DIGITS_LIMIT)
    return AnswerError("too_many_digits", message)


# The mark between thousands, in languages with a decimal comma.
_MARKS_OF_GROUPS = {"de": ".", "es": ".", "fr": "\u202f"}
_COMMA_NUMBER = re.compile(r"-?([1-9]\d{0,2}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
# In French a point is a decimal mark from the keypad, unless decimals or another point follow.
_FRENCH_NUMBER = re.compile(r"-?([1-9]\d{0,2}(\.\d{3}){2,}|[1-9]\d{0,2}(\.\d{3})+(?=,)|\d+)(,\d+)?", re.ASCII)
_OWN_NUMBERS = {"de": _COMMA_NUMBER, "es": _COMMA_NUMBER, "fr": _FRENCH_NUMBER}
# A mark with three digits behind it: a decimal mark to some people, and a mark of thousands to others.
POINT_AND_THREE = re.compile(r"(-?[1-9]\d{0,2})\.(\d{3})", re.ASCII)
_COMMA_AND_THREE = re.compile(r"(-?[1-9]\d{0,2}),(?!000)(\d{3})", re.ASCII)


def normalised_number(text: str) -> str:
    """Convert a number from the reader's notation to the draft's, else from another with only one reading."""
    own = _OWN_NUMBERS.get(get_language())
    if own is None or not own.fullmatch(without_group_marks(text)):
        return draft_number(text)
    converted = text.translate(str.maketrans(".,\u202f", ",.,"))
    if _is_in_draft_notation(converted):
        return converted
    return text.replace("\u202f", "").translate(_SWAPPED_MARKS)


def draft_number(text: str) -> str:
    """Convert a number to the draft's notation if it has no other reading; leave any other text as it is."""
    if not is_number(text):
        return text
    # A narrow space that is not between thousands is a typing error.
    text = text.replace("\u202f", "")
    return text if _is_in_draft_notation(text) else text.translate(_SWAPPED_MARKS)


def is_number(text: str) -> bool:
    """Tell whether a text is a number in the draft's notation, or in the one with a decimal comma."""
    return _is_in_draft_notation(text) or _is_in_draft_notation(text.translate(_SWAPPED_MARKS))


def localised_number(text: str) -> str:
    """Convert a draft's number to the reader's notation; leave any other text as it is."""
    mark = _MARKS_OF_GROUPS.get(get_language())
    # Digits alone, and words, are the same in all notations.
    if mark is None or not text or text.isalnum() or not _is_in_draft_notation(text):
        return text
    return text.translate(str.maketrans(".,", f",{mark}"))


def ambiguity_note(text: Any) -> str:
    """Return how a number of a draft was understood if its only mark may mean thousands or decimals; else ""."""
    if not isinstance(text, str):
        return ""
    number = without_group_marks(text)
    if match := POINT_AND_THREE.fullmatch(number):
        return gettext(
            "We read this as {number}, with three decimals. If you mean a whole number, enter {whole}.",
            number=localised_number(number),
            whole=int(match[1] + match[2]),
        )
    if match := _COMMA_AND_THREE.fullmatch(number):
        return gettext("We read this as the whole number {whole}.", whole=int(match[1] + match[2]))
    return ""


def _is_in_draft_notation(text: str) -> bool:
    number = _in_plain_marks(text)
    return bool(_PLAIN_NUMBER.fullmatch(number) or _GROUPED_NUMBER.fullmatch(number))


def _in_plain_marks(text: str) -> str:
    return without_group_marks(text).translate(_CLEAR_MARKS)
