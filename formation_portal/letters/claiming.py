"""Takes the next letter that is due, for one try, so that no other worker sends it meanwhile."""

import datetime as dt

from django.db.models import F
from django.utils import timezone

from formation_portal.processes import held_by_ended, this_process

from .models import Letter

# Longer than any try takes: a mail server has a few seconds for each of its answers (EMAIL_TIMEOUT).
LEASE = dt.timedelta(minutes=10)
# A try isn't begun when its lease is nearly over, as after the process was asleep.
MARGIN = dt.timedelta(minutes=5)
_FIRST_WAIT = dt.timedelta(seconds=30)
_LONGEST_WAIT = dt.timedelta(hours=4)
GIVEN_UP_AFTER = dt.timedelta(days=3)
# Letters that open something: what they said goes once they have been handed over, so that the outbox opens nothing.
KEYS = frozenset({"code", "invitation", "nudge", "collaboration", "password_reset", "agent"})


def take() -> Letter | None:
    """The letter that has been due for longest, ours until its lease ends; None where none is due."""
    now = timezone.now()
    for letter in Letter.objects.filter(next_at__lte=now).order_by("next_at", "pk")[:20]:
        # Whoever took it in between has counted a try.
        mine = Letter.objects.filter(pk=letter.pk, tries=letter.tries, next_at=letter.next_at)
        if mine.update(tries=F("tries") + 1, next_at=now + LEASE, holder=this_process()):
            letter.tries, letter.next_at = letter.tries + 1, now + LEASE
            return letter
    return None


def release_dead_leases() -> None:
    """What a process of this machine tried when it ended is due now, and not when its lease is over."""
    now = timezone.now()
    held_by_ended(Letter.objects.filter(next_at__gt=now)).update(next_at=now, holder="")


def is_still_ours(letter: Letter) -> bool:
    """Whether there is time enough for a try before somebody else takes the letter."""
    return letter.next_at is not None and timezone.now() < letter.next_at - MARGIN


def conclude(letter: Letter, *, error: str, is_final: bool = False) -> None:
    """Keep what became of the try; no error means that the mail server has the letter."""
    now = timezone.now()
    is_given_up = is_final or now - letter.created_at > GIVEN_UP_AFTER
    changes: dict[str, object] = {
        "error": error,
        "holder": "",
        "sent_at": None if error else now,
        "next_at": None if not error or is_given_up else now + wait_after(letter.tries),
    }
    if not error and letter.kind in KEYS:
        changes |= {"subject": "", "text": "", "html": ""}
    Letter.objects.filter(pk=letter.pk, tries=letter.tries).update(**changes)


def wait_after(tries: int) -> dt.timedelta:
    """How long to wait after so many tries: twice as long each time, within bounds."""
    doublings: int = 2 ** min(tries - 1, 20)
    return min(_LONGEST_WAIT, _FIRST_WAIT * doublings)
