"""How typed text becomes a value: lines, numbers, dates, addresses, sums. Raises AnswerError with the way out.

Every function takes what a form posts and what a payload holds, since the service judges by the same code.

A draft keeps numbers in one notation, 1,234.56. A page in German takes 1.234,56 for that and shows it so; one in French
1 234,56. What is no number in the page's notation is kept as it was typed, and so is one that can only be meant in the
other way, like 1.5 or 1,234.56 on a page in German.
"""

import re
import unicodedata
from dataclasses import fields
from datetime import date
from decimal import Context, Decimal
from functools import cache
from typing import Any

import phonenumbers

from ..localisation import format_number, get_language, gettext, join_list, month_number
from .cleaning import clean_line, clean_lines, remove_invisible
from .iso_codes import is_country, is_currency
from .values import Address, AnswerError

LINE_LIMIT = 500
LINES_LIMIT = 10_000
EMAIL_LIMIT = 254
# JSON numbers are doubles for many readers: 15 digits survive the way there and back exactly.
DIGITS_LIMIT = 15
# Wide enough to drop trailing zeros without rounding anything that the limit would let pass.
_WIDE_CONTEXT = Context(prec=1_000)

PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
# At most 15 digits, the last decimal no zero but for those that are dropped.
_SHORT_NUMBER = re.compile(r"(0|-?[1-9]\d{0,14})|(-?[1-9]\d{0,7}\.\d{0,6}[1-9])0{0,7}", re.ASCII)
GROUPED_NUMBER = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_GROUP_MARKS = re.compile("[\\s\u00a0\u202f'’]")
# Words with single points between them, and a domain of two labels or more whose last is no number.
_LOCAL = r"""[^\s.@,;:<>()\[\]\\"]+"""
_LABEL = r"[^\W_](?:(?:[^\W_]|-)*[^\W_])?"
_EMAIL = re.compile(rf"{_LOCAL}(?:\.{_LOCAL})*@(?:{_LABEL}\.)+(?!\d+$)(?=..){_LABEL}")
_INTERNATIONAL_DIGITS = re.compile(r"\+[1-9]\d{4,18}", re.ASCII)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# 3. in German, 1er in French.
_DAY_MARKS = re.compile(r"(?<=\d)(\.|er|º)$", re.ASCII)
# Made once: `list | tuple` would build a new union at every call.
_LISTS = (list, tuple)
_ADDRESS_PARTS = tuple(one.name for one in fields(Address))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def text_or_none(value: Any) -> str | None:
    """A non-empty text from a schema, or None."""
    return value if isinstance(value, str) and value.strip() else None


def texts(value: Any) -> tuple[str, ...]:
    """A schema's list of options as texts; numbers are taken as written, anything else is left out."""
    if not isinstance(value, list | tuple):
        return ()
    return tuple(str(one) for one in value if isinstance(one, str | int | float) and not isinstance(one, bool))


def without_null(value: Any) -> str:
    """A posted text as a draft keeps it. No database can hold a null character, so it becomes the mark for one."""
    return str(value).replace("\x00", "\ufffd")


def length(text: str) -> int:
    """How many characters a typed text has once it is read; blanks around it count where there are very many."""
    read = len(clean_lines(text))
    return len(text) if len(text) > 2 * read + LINE_LIMIT else read


def is_blank(raw: Any) -> bool:
    """Test whether nothing was answered: no text that can be seen, no member, no part."""
    if isinstance(raw, str):
        return _is_blank_text(raw)
    if isinstance(raw, dict):
        raw = raw.values()
    elif not isinstance(raw, _LISTS):
        raw = [raw]
    # One level only: nothing that is asked nests deeper, and a hostile body might.
    # Asked of every answer: a generator would take longer than the answer.
    for one in raw:  # noqa: SIM110
        if not (one is None or one == "" or (isinstance(one, str) and _is_blank_text(one))):
            return False
    return True


def _is_blank_text(text: str) -> bool:
    # Most texts are ASCII, which has no invisible characters but white space and controls.
    return not text.strip() or not (text.isascii() or clean_lines(text))


def line(raw: Any, *, label: str) -> str:
    """Clean and return one line of text. Raises AnswerError for control characters and long texts."""
    if not isinstance(raw, str):
        raise _no_text(label)
    return _checked_text(clean_line(raw), label=label, limit=LINE_LIMIT)


def lines(raw: Any, *, label: str) -> str:
    """Clean and return several lines of text. Raises AnswerError for control characters and long texts."""
    if not isinstance(raw, str):
        raise _no_text(label)
    return _checked_text(clean_lines(raw), label=label, limit=LINES_LIMIT, allowed="\n\t")


def _no_text(label: str) -> AnswerError:
    return AnswerError("not_text", gettext("Enter “{label}” as text", label=label))


def _checked_text(text: str, *, label: str, limit: int, allowed: str = "") -> str:
    shown = text.replace("\n", "") if "\n" in allowed else text
    # What is printable has none; most texts are.
    if not (shown.isprintable() and "\ufffd" not in shown) and any(map(_is_control, set(text).difference(allowed))):
        words = gettext("Enter “{label}” again. It contains characters that we can’t save", label=label)
        raise AnswerError("control_characters", words)
    if len(text) > limit:
        said = {"label": label, "limit": format_number(limit), "length": format_number(len(text))}
        raise AnswerError(
            "too_long", gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **said)
        )
    return text


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character == "\ufffd"


def members(raw: Any, *, label: str) -> list[Any]:
    """The chosen ones of a list, blanks left out."""
    if not isinstance(raw, _LISTS):
        raise AnswerError("not_a_list", gettext("Choose “{label}” from the list", label=label))
    return [one for one in raw if not is_blank(one)]


def number(raw: Any, *, label: str) -> int | Decimal:
    """A number of at most 15 digits; whole ones come back as int."""
    exact = decimal(raw, label=label)
    return int(exact) if exact == exact.to_integral_value() else exact


def without_group_marks(text: str) -> str:
    """Return a typed number in ASCII digits, without the spaces and apostrophes that people put between thousands."""
    return _GROUP_MARKS.sub("", ascii_digits(remove_invisible(text)))


def ascii_digits(text: str) -> str:
    """Replace the decimal digits of any script by ASCII ones."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text)


def decimal(raw: Any, *, label: str) -> Decimal:
    """A number as a decimal without trailing zeros: digits, a point, spaces or commas between thousands."""
    if isinstance(raw, str):
        # What most people type is read as it stands.
        if short := _SHORT_NUMBER.fullmatch(raw):
            return Decimal(short[1] or short[2])
        raw = without_group_marks(raw)
        if GROUPED_NUMBER.fullmatch(raw):
            raw = raw.replace(",", "")
        if not PLAIN_NUMBER.fullmatch(raw):
            raise _no_number(label)
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
    text = gettext("Enter “{label}” with at most {limit} digits", label=label, limit=DIGITS_LIMIT)
    return AnswerError("too_many_digits", text)


# What stands between thousands where a comma begins the decimals.
_MARKS_OF_GROUPS = {"de": ".", "es": ".", "fr": "\u202f"}
_COMMA_NUMBER = re.compile(r"-?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
# In French a point between digits is the one of the keypad's key, unless decimals or another point follow.
_FRENCH_NUMBER = re.compile(r"-?(\d{1,3}(\.\d{3}){2,}|\d{1,3}(\.\d{3})+(?=,)|\d+)(,\d+)?", re.ASCII)
# One mark with three digits behind it: decimals to some, and the thousands before it to others.
_POINT_AND_THREE = re.compile(r"(-?[1-9]\d{0,2})\.(\d{3})", re.ASCII)
_COMMA_AND_THREE = re.compile(r"(-?\d{1,3}),(?!000)(\d{3})", re.ASCII)


def normalised_number(text: str) -> str:
    """A number that was typed in the reader's notation, as a draft keeps it; anything else as it is."""
    if get_language() not in _MARKS_OF_GROUPS:
        return text
    own = _FRENCH_NUMBER if get_language() == "fr" else _COMMA_NUMBER
    # A narrow space that doesn't stand between thousands was only a slip of the thumb.
    if not own.fullmatch(without_group_marks(text)):
        return text.replace("\u202f", "") if _is_readable(text) else text
    turned = text.translate(str.maketrans(".,\u202f", ",.,"))
    return turned if _is_readable(turned) else text.replace("\u202f", "").translate(str.maketrans(".,", ",."))


def localised_number(text: str) -> str:
    """A number that a draft keeps, in the reader's notation; anything else as it is."""
    # Digits alone, and words, read the same everywhere.
    mark = None if not text or text.isalnum() else _MARKS_OF_GROUPS.get(get_language())
    if mark is None or not _is_readable(text):
        return text
    return text.translate(str.maketrans(".,", f",{mark}"))


def ambiguity_note(text: str) -> str:
    """How a kept number was read, where its only mark may have been meant the other way; else nothing.

    So nobody is off by a factor of a thousand without having been told. Three zeros behind a comma, which then stands
    between thousands, are no doubt: nobody writes decimals so.
    """
    bare = without_group_marks(text)
    if found := _POINT_AND_THREE.fullmatch(bare):
        return gettext(
            "We read this as {number}, with three decimals. If you mean a whole number, enter {whole}.",
            number=localised_number(bare),
            whole=int(found[1] + found[2]),
        )
    if found := _COMMA_AND_THREE.fullmatch(bare):
        return gettext("We read this as the whole number {whole}.", whole=int(found[1] + found[2]))
    return ""


def has_point_and_three(raw: object) -> bool:
    """Whether a kept text has a point with three digits behind it, as some write thousands."""
    return isinstance(raw, str) and "." in raw and bool(_POINT_AND_THREE.fullmatch(without_group_marks(raw)))


def _is_readable(text: str) -> bool:
    bare = without_group_marks(text)
    return bool(PLAIN_NUMBER.fullmatch(bare) or GROUPED_NUMBER.fullmatch(bare))


def calendar_date(raw: Any, *, label: str) -> date:
    """A date from its parts (a month may be its name) or from YYYY-MM-DD."""
    if isinstance(raw, str) and _ISO_DATE.fullmatch(text := ascii_digits(clean_line(raw))):
        year, month, day = text.split("-")
    elif isinstance(raw, dict):
        day, month, year = [ascii_digits(clean_line(str(raw.get(part, "")))) for part in ("day", "month", "year")]
        if not (day and month and year):
            named = ((gettext("the day"), day), (gettext("the month"), month), (gettext("the year"), year))
            missing = [name for name, text in named if not text]
            raise AnswerError(
                "incomplete_date", gettext("Enter {parts} of “{label}”", parts=join_list(missing), label=label)
            )
    else:
        raise AnswerError("not_a_date", gettext("Enter “{label}” as a date, like 27 3 1985", label=label))
    if not (_is_digits(year) and len(year) == 4):
        raise AnswerError("not_a_year", gettext("Enter the year of “{label}” with four digits, like 1985", label=label))
    if not _is_digits(day):
        day = _DAY_MARKS.sub("", day)
    try:
        if not _is_digits(month):
            head = month.lower()[:3]
            month = str(_MONTHS.index(head) + 1 if head in _MONTHS else month_number(month))
        return date(int(year), int(month), int(day) if _is_digits(day) else 0)
    except (ValueError, OverflowError):
        raise AnswerError(
            "not_a_date", gettext("Enter “{label}” as a real date, like 27 3 1985", label=label)
        ) from None


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def email(raw: Any, *, label: str) -> str:
    """An e-mail address; any that a letter could be sent to, in any script."""
    text = line(raw, label=label)
    if len(text) > EMAIL_LIMIT or not _EMAIL.fullmatch(text):
        said = gettext("Enter “{label}” as an e-mail address, like name@example.com", label=label)
        raise AnswerError("not_an_email_address", said)
    return text


def phone(raw: Any, *, label: str) -> str:
    """A telephone number as E.164; the country code is needed."""
    if isinstance(raw, str) and _is_e164(raw):
        return raw
    text = line(raw, label=label)
    if text.startswith("00"):
        text = f"+{text[2:]}"
    try:
        parsed = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        parsed = None
    if parsed is None or not phonenumbers.is_possible_number(parsed):
        text = gettext("Enter “{label}” with the country code, like +41 41 728 80 00", label=label)
        raise AnswerError("not_a_phone_number", text)
    return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))


def _is_e164(text: str) -> bool:
    """Whether the library would read this as a possible number and write it just so, told without its long way there.

    False says nothing: a national prefix may have to be dropped, or a zero to be kept.
    """
    if not _INTERNATIONAL_DIGITS.fullmatch(text):
        return False
    for end in (2, 3, 4):
        if plan := _numbering_plan(int(text[1:end])):
            national = text[end:]
            return len(national) in plan[0] and not (plan[1] and plan[1].match(national)) and national[0] != "0"
    return False


@cache
def _numbering_plan(country_code: int) -> tuple[frozenset[int], re.Pattern[str] | None] | None:
    """How long numbers of a country code may be, and how those begin of which something is dropped."""
    region = phonenumbers.region_code_for_country_code(country_code)
    plan = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    if plan is None or plan.general_desc is None:
        return None
    lengths = {*plan.general_desc.possible_length, *plan.general_desc.possible_length_local_only}
    # The library tells of others whether they are possible, and takes at least two digits and at most 17.
    prefix = plan.national_prefix_for_parsing
    return frozenset(lengths.intersection(range(2, 18))), re.compile(prefix) if prefix else None


def address(raw: Any, *, label: str) -> Address:
    """An address from its parts. Street, town and country are needed; the rest depends on the country."""
    if not isinstance(raw, dict):
        raise AnswerError("not_an_address", gettext("Enter “{label}” as an address", label=label))
    if unknown := sorted(str(part) for part in raw if part not in _ADDRESS_PARTS):
        raise AnswerError(
            "unknown_part", gettext("Enter “{label}” without {parts}", label=label, parts=", ".join(unknown))
        )
    parts = {part: line(raw.get(part) or "", label=label) for part in _ADDRESS_PARTS}
    # A code is not cleaned.
    parts["country"] = (raw.get("country") or "").strip()
    wanted = (
        ("street1", gettext("the street")),
        ("city", gettext("the town or city")),
        ("country", gettext("the country")),
    )
    missing = [words for part, words in wanted if not parts[part]]
    if missing:
        raise AnswerError(
            "incomplete_address", gettext("Enter {parts} of “{label}”", parts=join_list(missing), label=label)
        )
    if not is_country(parts["country"]):
        raise AnswerError("not_a_country", gettext("Choose the country of “{label}” from the list", label=label))
    return Address(**parts)


def money(raw: Any, *, label: str, default_currency: str) -> tuple[Decimal, str]:
    """Amount and currency; the currency may be missing only where a single one is allowed."""
    if not isinstance(raw, dict) or not raw.keys() <= {"amount", "currency"}:
        raise AnswerError("not_an_amount", gettext("Enter “{label}” as an amount with its currency", label=label))
    amount = decimal(raw.get("amount"), label=label)
    if amount < 0:
        raise AnswerError("negative", gettext("Enter “{label}” as zero or more", label=label))
    currency = raw.get("currency") or default_currency
    if not isinstance(currency, str) or not is_currency(currency):
        raise AnswerError("currency_missing", gettext("Choose the currency of “{label}”", label=label))
    return amount, currency
