"""Parts of a company as people write them: 40%, 33 1/3 %, 1/3, 400 of 1,000. Exact fractions throughout."""

import re
from fractions import Fraction

from . import reading
from .language import noted, say
from .problems import AnswerError

_WAY_OUT = noted("Enter {of} as a percentage, fraction or number, like 40%, 1/3 or 400 of 1,000")
_TOO_LONG = noted("Enter {of} with at most {limit} digits")
_NO_SIGN = noted("Enter {of} with a % sign or as a fraction, like 50% or 1/2")
_COUNT = re.compile(r"(?P<some>.+?)\s*(?:/|\bof\b)\s*(?P<all>.+?)(?:\s+shares?)?", re.IGNORECASE)
_MIXED = re.compile(r"(?P<whole>\d+)\s+(?P<rest>\d+\s*/\s*\d+)", re.ASCII)
# A comma before three digits may stand between thousands; before one, two or more than three it can't.
_DECIMAL_COMMA = re.compile(r"(\d{1,3}),(\d{1,2}|\d{4,})", re.ASCII)


def part_of_company(raw: object, *, of: str) -> Fraction:
    """The part that was typed. Raises AnswerError with the way out, naming whose part `of` it is."""
    text = reading.line(raw, label=of).replace("\u00a0", " ").replace("\u202f", " ")
    is_percent, bare = text.endswith("%"), text.removesuffix("%").strip()
    part = _read(bare, of) / 100 if is_percent or _is_percent(bare) else _read(bare, of)
    if part < 0:
        raise AnswerError("negative", say("Enter {of} as zero or more", of=of))
    if part > 1:
        raise AnswerError("too_much", say("Enter {of} as 100% or less", of=of))
    if not is_percent and _is_percent(bare) and 0 < part * 100 < 1:
        raise AnswerError("no_sign", say(_NO_SIGN, of=of))
    return part


def _is_percent(bare: str) -> bool:
    """A number alone means percent, and so does one with a fraction behind it."""
    return not _COUNT.fullmatch(bare) or _MIXED.fullmatch(bare) is not None


def _read(bare: str, of: str) -> Fraction:
    if mixed := _MIXED.fullmatch(bare):
        return _number(mixed["whole"], of) + _read(mixed["rest"], of)
    if count := _COUNT.fullmatch(bare):
        some, there_are = _number(count["some"], of), _number(count["all"], of)
        if there_are <= 0:
            raise AnswerError("none_at_all", say(_WAY_OUT, of=of))
        return some / there_are
    return _number(bare, of)


def _number(text: str, of: str) -> Fraction:
    try:
        return Fraction(reading.number(_with_point(text), label=of))
    except AnswerError as error:
        said = _TOO_LONG if error.code == "too_many_digits" else _WAY_OUT
        raise AnswerError(error.code, say(said, of=of, limit=reading.DIGITS_LIMIT)) from None


def _with_point(text: str) -> str:
    whole = _DECIMAL_COMMA.fullmatch(text)
    return f"{whole[1]}.{whole[2]}" if whole else text
