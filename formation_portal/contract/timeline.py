"""How long a product says that it takes, as dates. It says so in free words; a plain range at their start is read."""

import re
from datetime import date, timedelta

_RANGE = re.compile(r"\s*(\d{1,3})(?:\s*(?:-|–|to)\s*(\d{1,3}))?\s+(working days?|days?|weeks?)\b", re.IGNORECASE)
_WEEK = 7
_SATURDAY = 5


def expected_between(words: str, *, start: date) -> tuple[date, date] | None:
    """The first and the last day on which it usually ends, counted from `start`; None where the words tell no range.

    "5-8 working days" leaves out Saturdays and Sundays; which other days are holidays nobody here knows.
    """
    found = _RANGE.match(words)
    if found is None:
        return None
    least, unit = int(found[1]), found[3].lower()
    most = int(found[2] or found[1])
    if most < least:
        return None
    return _after(start, least, unit), _after(start, most, unit)


def _after(start: date, number: int, unit: str) -> date:
    if unit.startswith("working"):
        return _working_days_after(start, number)
    return start + timedelta(days=number * (_WEEK if unit.startswith("week") else 1))


def _working_days_after(start: date, number: int) -> date:
    day = start
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < _SATURDAY
    return day
