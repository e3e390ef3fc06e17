"""What `manage.py doctor` is told by a check: a verdict, what was found, and what to do about it.

Each package has its checks in its `health.py`; the command lists them in order. Nothing found names a person, a key or
an address with a password: of errors their kinds are told, not their words.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """All is well; somebody should look at it; something does not work."""

    OK = "ok"
    LOOK = "look"
    FAULT = "fault"


class CheckResult(NamedTuple):
    """One line: what was looked at, how it is, what was found, and the remedy where it isn't well."""

    check: str
    verdict: Verdict
    found: str
    remedy: str = ""


def ok(check: str, found: str) -> CheckResult:
    """All is well."""
    return CheckResult(check, Verdict.OK, found)


def look(check: str, found: str, remedy: str) -> CheckResult:
    """It works, and somebody should look at it."""
    return CheckResult(check, Verdict.LOOK, found, remedy)


def fault(check: str, found: str, remedy: str) -> CheckResult:
    """It does not work."""
    return CheckResult(check, Verdict.FAULT, found, remedy)


def verdict_on_age(age: timedelta | None, *, look_after: timedelta, fault_after: timedelta) -> Verdict:
    """What to think of something that has been waiting for so long; None: nothing waits."""
    if age is None or age <= look_after:
        return Verdict.OK
    return Verdict.FAULT if age > fault_after else Verdict.LOOK


def age_in_words(age: timedelta) -> str:
    """In its two largest units: 3 d 4 h."""
    seconds = max(0, int(age.total_seconds()))
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


class Backlog(NamedTuple):
    """Rows that wait to be sent, when the oldest was written, and how many were given up."""

    unsent: int
    oldest: datetime | None
    given_up: int

    def age(self, now: datetime) -> timedelta | None:
        """How long the oldest has been waiting; None where none does."""
        return None if self.oldest is None else now - self.oldest

    def in_words(self, now: datetime) -> str:
        """3 unsent, the oldest for 2 h 5 min."""
        age = self.age(now)
        return f"{self.unsent} unsent" + (f", the oldest for {age_in_words(age)}" if age else "")
