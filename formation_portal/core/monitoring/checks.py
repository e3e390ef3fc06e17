"""The results of `manage.py doctor`: a verdict, a finding and a remedy.

A finding contains no person's name, no key, no URL with a password, and of an error only its type.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """The outcome of a check: works, needs attention, or does not work."""

    OK = "ok"
    LOOK = "look"
    FAULT = "fault"


class CheckResult(NamedTuple):
    """A line of the doctor's report."""

    check: str
    verdict: Verdict
    finding: str
    remedy: str = ""


def ok(check: str, finding: str) -> CheckResult:
    return CheckResult(check, Verdict.OK, finding)


def look(check: str, finding: str, remedy: str) -> CheckResult:
    return CheckResult(check, Verdict.LOOK, finding, remedy)


def fault(check: str, finding: str, remedy: str) -> CheckResult:
    return CheckResult(check, Verdict.FAULT, finding, remedy)


def verdict_on_age(age: timedelta | None, *, look_after: timedelta, fault_after: timedelta) -> Verdict:
    """Rate the time that the oldest row has waited. An `age` of None means that no row waits."""
    if age is None or age <= look_after:
        return Verdict.OK
    return Verdict.FAULT if age > fault_after else Verdict.LOOK


def age_in_words(age: timedelta) -> str:
    """Describe a duration in its two largest units: 3 d 4 h."""
    seconds = max(0, int(age.total_seconds()))
    minutes = seconds // 60
    hours = minutes // 60
    days = hours // 24
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    if minutes:
        return f"{minutes} min"
    return f"{seconds} s"


class Backlog(NamedTuple):
    """The numbers of rows waiting to be sent and of rows given up, and the oldest waiting row's time (None: no row)."""

    unsent: int
    oldest: datetime | None
    given_up: int

    def age(self, now: datetime) -> timedelta | None:
        return None if self.oldest is None else now - self.oldest

    def in_words(self, now: datetime) -> str:
        """Describe the backlog: 3 unsent, the oldest for 2 h 5 min."""
        age = self.age(now)
        if not age:
            return f"{self.unsent} unsent"
        return f"{self.unsent} unsent, the oldest for {age_in_words(age)}"
