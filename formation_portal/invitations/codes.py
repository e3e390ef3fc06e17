"""The code that stands between a link and a part: it goes to the address that the link went to, and to no other.

So a link that was forwarded opens nothing. Ten codes a day with five tries each are 700 guesses in a million before the
link has expired.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from formation_portal import letters

from .keys import code_digest, digits, new_code
from .models import Invitation

LASTS = timedelta(minutes=10)
TRIES = 5
SENT_A_DAY = 10
_DAY = timedelta(days=1)
# A second press within this time means the same letter.
_SAME_PRESS = timedelta(seconds=30)


class TooMany(Exception):
    """No more codes today."""


@dataclass(frozen=True, slots=True)
class Try:
    """What came of a guess: right; or wrong, with so many tries left. None left: the code is dead, or there is none."""

    is_right: bool
    left: int = 0


def send_code(invitation: Invitation) -> None:
    """Send another code, which takes the place of the last one. Raises TooMany. Marks the invitation as opened."""
    now = timezone.now()
    with transaction.atomic():
        locked = _locked(invitation)
        if locked.code_digest and locked.code_sent_at and now - locked.code_sent_at < _SAME_PRESS:
            return
        _count(locked, now)
        code = new_code()
        locked.code_digest, locked.code_sent_at, locked.code_tries = _digest(locked, code), now, 0
        locked.opened_at = locked.opened_at or now
        locked.save()
        context = {"code": code, "minutes": LASTS // timedelta(minutes=1)}
        letters.post(kind="code", to=locked.email, language=locked.language, context=context)


def try_code(invitation: Invitation, typed: str) -> Try:
    """Whether this is the code. Each guess counts, also those that come at once; a right one is used up."""
    with transaction.atomic():
        locked = _locked(invitation)
        if not is_waiting(locked, now=timezone.now()):
            return Try(is_right=False)
        locked.code_tries += 1
        is_right = constant_time_compare(locked.code_digest, _digest(locked, digits(typed)))
        if is_right:
            locked.code_digest = ""
        locked.save(update_fields=["code_tries", "code_digest"])
    return Try(is_right, TRIES - locked.code_tries)


def is_waiting(invitation: Invitation, *, now: datetime) -> bool:
    """Whether a code was sent that can still be entered."""
    sent_at = invitation.code_sent_at
    is_fresh = sent_at is not None and now < sent_at + LASTS
    return bool(invitation.code_digest) and is_fresh and invitation.code_tries < TRIES


def _count(invitation: Invitation, now: datetime) -> None:
    if invitation.codes_since is None or now >= invitation.codes_since + _DAY:
        invitation.codes_since, invitation.codes_sent = now, 0
    if invitation.codes_sent >= SENT_A_DAY:
        raise TooMany
    invitation.codes_sent += 1


def _digest(invitation: Invitation, code: str) -> str:
    return code_digest(code, of=f"{invitation.pk}/{invitation.round}")


def _locked(invitation: Invitation) -> Invitation:
    return Invitation.objects.select_for_update().get(pk=invitation.pk)
