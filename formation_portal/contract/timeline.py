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


def least_working_days(words: str) -> int | None:
    """The working days that it takes at least; None where the words tell no range. "1-2 weeks" are 5."""
    found = _RANGE.match(words)
    if found is None:
        return None
    least, unit = int(found[1]), found[3].lower()
    if unit.startswith("working"):
        return least
    days = least * (_WEEK if unit.startswith("week") else 1)
    return -(-days * _SATURDAY // _WEEK)


def working_days_between(start: date, end: date) -> int:
    """The working days after `start`, up to and with `end`; 0 where that is earlier."""
    weeks, rest = divmod(max(0, (end - start).days), _WEEK)
    days = (start + timedelta(days=number) for number in range(1, rest + 1))
    return weeks * _SATURDAY + sum(day.weekday() < _SATURDAY for day in days)


def _after(start: date, number: int, unit: str) -> date:
    if unit.startswith("working"):
        return working_days_after(start, number)
    return start + timedelta(days=number * (_WEEK if unit.startswith("week") else 1))


def working_days_after(start: date, number: int) -> date:
    """The day on which so many working days have passed since `start`."""
    day = start
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < _SATURDAY
    return day
