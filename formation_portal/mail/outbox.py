"""The outbox: letters are added in the caller's transaction, claimed for one attempt, and emptied after weeks."""

import datetime as dt
from collections.abc import Mapping

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from .models import Letter
from .rendering import render_letter
from .unsubscribing import is_optional, is_unsubscribed, unsubscribe_path


def add_to_outbox(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str) -> None:
    """Draw it and keep it, unless it was written before or is not wanted."""
    if is_unsubscribed(kind=kind, to=to) or (once and Letter.objects.filter(once=once).exists()):
        return
    if is_optional(kind):
        context = {**context, "refusal": unsubscribe_path(kind=kind, to=to)}
    letter = render_letter(kind=kind, language=language, context=context)
    letter.to, letter.once = to, once or None
    letter.reference = str(context.get("reference", ""))[:40]
    letter.next_at = timezone.now()
    _save_once(letter)


def _save_once(letter: Letter) -> None:
    try:
        # A savepoint, since the caller's transaction goes on where somebody else wrote the same letter first.
        with transaction.atomic():
            letter.save()
    except IntegrityError:
        if not (letter.once and Letter.objects.filter(once=letter.once).exists()):
            raise


_FIRST_WAIT = dt.timedelta(seconds=30)
_LONGEST_WAIT = dt.timedelta(hours=4)
GIVEN_UP_AFTER = dt.timedelta(days=3)
# Letters that open something: what they said goes once they have been handed over, so that the outbox opens nothing.
KINDS_WITH_SECRETS = frozenset({"code", "invitation", "nudge", "collaboration", "password_reset", "agent"})


def claim_next() -> Letter | None:
    """The letter that has been due for longest, ours until its lease ends; None where none is due."""
    due = Letter.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "pk")[:20]
    return next((letter for letter in due if letter.claim()), None)


def record_attempt(letter: Letter, *, error: str, is_final: bool = False) -> None:
    """Keep what became of the try; no error means that the mail server has the letter."""
    now = timezone.now()
    is_given_up = is_final or now - letter.created_at > GIVEN_UP_AFTER
    changes: dict[str, object] = {
        "error": error,
        "holder": "",
        "sent_at": None if error else now,
        "next_at": None if not error or is_given_up else now + retry_delay(letter.tries),
    }
    if not error and letter.kind in KINDS_WITH_SECRETS:
        changes |= {"subject": "", "text": "", "html": ""}
    Letter.objects.filter(pk=letter.pk, tries=letter.tries).update(**changes)


def retry_delay(tries: int) -> dt.timedelta:
    """How long to wait after so many tries: twice as long each time, within bounds."""
    doublings: int = 2 ** min(tries - 1, 20)
    return min(_LONGEST_WAIT, _FIRST_WAIT * doublings)


def clear_old_letters() -> int:
    """Empty the letters that were sent, or else written, longer than LETTER_DAYS ago; how many there were.

    One that was never sent goes nowhere any more. That it was written, and when it went, is kept.
    """
    before = timezone.now() - dt.timedelta(days=settings.LETTER_DAYS)
    old = Letter.objects.alias(at=Coalesce(F("sent_at"), F("created_at"))).filter(at__lt=before).exclude(to="")
    return old.update(to="", subject="", text="", html="", next_at=None)
