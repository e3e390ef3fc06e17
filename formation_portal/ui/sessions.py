"""The end of a session, as pages announce it."""

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from formation_portal.accounts.sessions import can_be_extended, seconds_left

from .formats import day_and_time

WARN_SECONDS = 5 * 60
# A page does not watch the end of a session that is further away.
_FAR_SECONDS = 12 * 60 * 60
_AFTER_THE_END_SECONDS = 2
_CONFIRMED_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The end of the session. `is_near`: the page warns. `ask_again`: the seconds after which the page asks again."""

    at: str = ""
    is_near: bool = False
    ask_again: int = 0
    was_extended: bool = False
    can_be_extended: bool = True


def session_end(request: HttpRequest, *, is_told: bool = False, was_extended: bool = False) -> SessionEnd | None:
    """Return the end of the visitor's session; None if they are not signed in, or the end is far away.

    `is_told`: the script of a page asks, or has just extended the session. A newly loaded page does not warn before its
    script has asked.
    """
    seconds = seconds_left(request, is_used=was_extended or not is_told)
    if seconds is None or seconds > _FAR_SECONDS:
        return None
    at = day_and_time(timezone.now() + timedelta(seconds=seconds))
    is_near = seconds <= WARN_SECONDS
    wait = seconds + _AFTER_THE_END_SECONDS if is_near and is_told else seconds - WARN_SECONDS
    is_open = can_be_extended(request)
    was_extended = was_extended and is_open
    return SessionEnd(at, is_near, _CONFIRMED_SECONDS if was_extended else max(1, round(wait)), was_extended, is_open)
