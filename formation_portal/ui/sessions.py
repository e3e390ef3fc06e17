"""What pages say about the end of the session."""

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from formation_portal.accounts.sessions import can_be_extended, seconds_left

from .formats import time_or_day

WARN_SECONDS = 5 * 60
# Nobody leaves a page open for so long and then wonders; the page need not keep looking.
_FAR_SECONDS = 12 * 60 * 60
_AFTER_THE_END_SECONDS = 2
_CONFIRMED_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """When the session ends, whether it is time to say so, whether that can be put off, and in how many seconds the
    page should ask again."""

    at: str = ""
    is_near: bool = False
    ask_again: int = 0
    was_extended: bool = False
    can_be_extended: bool = True


def session_end(request: HttpRequest, *, is_told: bool = False, was_extended: bool = False) -> SessionEnd | None:
    """How long the visitor stays signed in. A whole page warns nobody before it has asked again.

    `is_told` for a page that has asked by itself, or has just had the session extended. None for who isn't signed in,
    or stays for so long that it doesn't matter.
    """
    left = seconds_left(request, is_used=was_extended) if is_told else seconds_left(request)
    if left is None or left > _FAR_SECONDS:
        return None
    at = time_or_day(timezone.now() + timedelta(seconds=left))
    is_near = left <= WARN_SECONDS
    wait = left + _AFTER_THE_END_SECONDS if is_near and is_told else left - WARN_SECONDS
    is_open = can_be_extended(request)
    was_extended = was_extended and is_open
    return SessionEnd(at, is_near, _CONFIRMED_SECONDS if was_extended else max(1, round(wait)), was_extended, is_open)
