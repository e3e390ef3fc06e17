"""The type of dates, with the ages that follow from a date of birth."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from .. import canonical
from ..conditions import count_of
from ..localisation import gettext, gettext_noop, join_list, long_date, month_number
from . import spreadsheet
from .base import FieldSpec
from .bounds import Bounds, Days, Objection
from .cleaning import clean_line
from .parsing import ascii_digits, is_blank
from .values import AnswerError, PostData, Raw

TODAY = "today"
# The highest age of a person, if a schema states none.
_OLDEST = 119
_DAYS_A_YEAR = 365
_ADULT = 18
_CENTENARIAN = 100
# A document that expires this soon may be refused.
_SOON = timedelta(days=90)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# The marks of an ordinal number: 3rd in English, 3. in German, 1er in French, 1.º in Spanish.
_ORDINAL_MARKS = re.compile(r"(?<=\d)(st|nd|rd|th|er|\.?º|\.)$", re.IGNORECASE)
_SHORTEST_DATE = len("1.1.1985")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class DateBounds(Bounds):
    """Inclusive bounds of a date and of the age of a person born on it; `today` is taken in the person's favour."""

    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "minimum_age", "maximum_age")

    minimum: date | str | None = None
    maximum: date | str | None = None
    minimum_age: int | None = None
    maximum_age: int | None = None
    is_birth: bool = False
    is_expiry: bool = False

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member.endswith("_age"):
            return count_of(value)
        if value == TODAY:
            return TODAY
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            return None

    @classmethod
    def _are_crossed(cls, least: Any, most: Any) -> bool:
        return TODAY not in (least, most) and bool(least > most)

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        if property_name == "date_of_birth":
            return {"maximum_age": _OLDEST, "is_birth": True}
        if property_name == "date_of_incorporation":
            return {"maximum": TODAY}
        if canonical.expiring_document(property_name):
            return {"is_expiry": True}
        return {}

    def _objections(self, value: date, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        earliest = self.minimum
        latest = self.maximum
        if days is not None and earliest == TODAY:
            earliest = days.first
        if days is not None and latest == TODAY:
            latest = days.last
        if isinstance(earliest, date) and value < earliest:
            generic = gettext("“{label}” must be {date} or later", label=spec.label, date=long_date(earliest))
            if self.minimum == TODAY:
                generic = gettext("“{label}” must not be in the past", label=spec.label)
            yield Objection("too_early", self._sentence("minimum", spec, generic), Decimal((earliest - value).days))
        if isinstance(latest, date) and value > latest:
            generic = gettext("“{label}” must be {date} or earlier", label=spec.label, date=long_date(latest))
            if self.maximum == TODAY:
                generic = gettext("“{label}” must not be in the future", label=spec.label)
            yield Objection("too_late", self._sentence("maximum", spec, generic), Decimal((value - latest).days))
        if days is not None and self.is_birth and value >= days.last:
            # There is no age before birth, so no bound of an age is judged.
            sentence = gettext("“{label}” must be in the past", label=spec.label)
            yield Objection("not_past", sentence, Decimal("Infinity"))
        elif days is not None:
            yield from self._age_objections(value, spec, days)

    def advice(self, value: date, days: Days | None) -> str:
        if days is None:
            return ""
        if self.is_expiry:
            return _expiry_advice(value, days)
        if not self.is_birth or value >= days.last:
            return ""
        age = age_on(days.last, born=value)
        if age < _ADULT:
            return _with_age(gettext("This person is under 18"), value, age)
        if age > _CENTENARIAN:
            return _with_age(gettext("Check the year of birth"), value, age)
        return ""

    def _age_objections(self, value: date, spec: FieldSpec, days: Days) -> Iterator[Objection]:
        highest = age_on(days.last, born=value)
        lowest = age_on(days.first, born=value)
        if self.minimum_age is not None and highest < self.minimum_age:
            generic = gettext("This person must be {age} or older", age=self.minimum_age)
            sentence = _with_age(self._sentence("minimum_age", spec, generic), value, highest)
            yield Objection("too_young", sentence, Decimal((self.minimum_age - highest) * _DAYS_A_YEAR))
        if self.maximum_age is not None and lowest > self.maximum_age:
            generic = gettext("This person must be {age} or younger", age=self.maximum_age)
            sentence = _with_age(self._sentence("maximum_age", spec, generic), value, lowest)
            yield Objection("too_old", sentence, Decimal((lowest - self.maximum_age) * _DAYS_A_YEAR))


class DateField(FieldSpec):
    """A date, typed as day, month and year; sent as YYYY-MM-DD."""

    type_name: ClassVar[str] = "date"
    example: ClassVar[Any] = "2000-01-01"
    payload_hint: ClassVar[str] = "a real date as a text, like 1985-03-27"
    further_examples: ClassVar[tuple[Any, ...]] = ("1950-06-15", "1985-03-27", "2015-01-31", "2024-02-29", "2040-12-31")
    parts: ClassVar[Mapping[str, str]] = {
        "day": gettext_noop("Day"),
        "month": gettext_noop("Month"),
        "year": gettext_noop("Year"),
    }
    wrong_part: ClassVar[Mapping[str, str]] = {"not_a_year": "year", "two_dates": "day"}
    cell_hint: ClassVar[str] = gettext_noop("A date, like 27 March 1985 or 1985-03-27.")
    bounds_type: ClassVar[type[Bounds]] = DateBounds

    def _parse(self, raw: Any) -> date:
        return calendar_date(raw, label=self.label)

    def from_post(self, post: PostData, control: str) -> Raw | None:
        typed = super().from_post(post, control)
        with suppress(AnswerError):
            return _whole_date(typed, label=self.label) or typed
        return typed

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("",)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.date_parts(texts.get("", ""), label=self.label)

    def payload(self, value: Any) -> str:
        return str(value.isoformat())

    def display(self, value: Any) -> str:
        return long_date(value)


def calendar_date(raw: Any, *, label: str) -> date:
    """Parse a date from its parts (the month may be a name) or from YYYY-MM-DD. Raises AnswerError."""
    if isinstance(raw, str) and _ISO_DATE.fullmatch(text := ascii_digits(clean_line(raw))):
        year, month, day = text.split("-")
    elif isinstance(raw, dict):
        raw = _whole_date(raw, label=label) or raw
        day, month, year = [ascii_digits(clean_line(str(raw.get(part, "")))) for part in ("day", "month", "year")]
        if not (day and month and year):
            parts = ((gettext("the day"), day), (gettext("the month"), month), (gettext("the year"), year))
            missing = join_list([name for name, text in parts if not text])
            raise AnswerError("incomplete_date", gettext("Enter {parts} of “{label}”", parts=missing, label=label))
    else:
        raise AnswerError("not_a_date", gettext("Enter “{label}” as a date, like 27 3 1985", label=label))
    if not (_is_digits(year) and len(year) == 4):
        raise AnswerError("not_a_year", gettext("Enter the year of “{label}” with four digits, like 1985", label=label))
    day = _ORDINAL_MARKS.sub("", day)
    month = _ORDINAL_MARKS.sub("", month)
    try:
        if not _is_digits(month):
            head = month.lower()[:3]
            month = str(_MONTHS.index(head) + 1 if head in _MONTHS else month_number(month))
        return date(int(year), int(month), int(day) if _is_digits(day) else 0)
    except (ValueError, OverflowError):
        message = gettext("Enter “{label}” as a real date, like 27 3 1985", label=label)
        raise AnswerError("not_a_date", message) from None


def _whole_date(raw: Any, *, label: str) -> dict[str, str]:
    """Return the parts of a whole date in the box of the day, or {}. Raises AnswerError for one with two readings."""
    if not isinstance(raw, dict) or len(str(raw.get("day", ""))) < _SHORTEST_DATE:
        return {}
    others = {part: raw[part] for part in ("month", "year") if not is_blank(raw.get(part))}
    try:
        parts = spreadsheet.date_parts(str(raw.get("day", "")), label=label)
        # The page shows what was pasted until it is loaded again, so the same month and year may stand beside it.
        if others and calendar_date(parts, label=label) != calendar_date(parts | others, label=label):
            return {}
        return parts
    except AnswerError as error:
        if error.code == "two_dates" and not others:
            raise
        return {}


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def age_on(day: date, *, born: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _expiry_advice(value: date, days: Days) -> str:
    if value < days.first:
        return gettext("This document has expired. Use a valid one")
    if value < days.first + _SOON:
        return gettext("This document expires in less than three months")
    return ""


def _with_age(reason: str, born: date, age: int) -> str:
    reason = reason.rstrip(".")
    return gettext("{reason}. {date} makes this person {age}", reason=reason, date=long_date(born), age=age)
