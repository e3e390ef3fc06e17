"""The outbox: letters are added in the caller's transaction, claimed for one attempt, and emptied after weeks.

Some kinds can be refused by their receivers, by a signed link that each of them holds.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from formation_portal.core.nodes.wake import Channel

from .models import Letter, Refusal
from .rendering import render_letter

# Everything else is asked for by its receiver, or has to be known.
OPTIONAL_KINDS = frozenset({"reminder", "nudge", "part_done"})
# Whoever is invited can say at once that they want no reminders.
_REFUSED_AT = {kind: kind for kind in OPTIONAL_KINDS} | {"invitation": "nudge"}
_SALT = "formation_portal.letters.refusal"

# Those who send letters.
MAIL = Channel("mail")

_FIRST_WAIT = dt.timedelta(seconds=30)
_LONGEST_WAIT = dt.timedelta(hours=4)
GIVEN_UP_AFTER = dt.timedelta(days=3)
# Letters that open something: what they said goes once they have been handed over, so that the outbox opens nothing.
KINDS_WITH_SECRETS = frozenset(
    {"code", "signup_code", "invitation", "nudge", "collaboration", "password_reset", "agent"}
)

# Of these not even the receiver is kept then.
_LAST_LETTERS = frozenset({"account_deleted"})
_EMPTY: dict[str, Any] = {"to": "", "subject": "", "text": "", "html": "", "next_at": None}


def add_to_outbox(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str) -> None:
    """Draw it and keep it, unless it was written before or is not wanted."""
    if is_unsubscribed(kind=kind, to=to) or (once and Letter.objects.filter(once=once).exists()):
        return
    if kind in _REFUSED_AT:
        context = {**context, "refusal": unsubscribe_path(kind=_REFUSED_AT[kind], to=to)}
    letter = render_letter(kind=kind, language=language, context=context)
    letter.to, letter.once = to, once or None
    letter.reference = str(context.get("reference", ""))[:40]
    letter.next_at = timezone.now()
    try:
        # A savepoint, since the caller's transaction goes on where somebody else wrote the same letter first.
        with transaction.atomic():
            letter.save()
    except IntegrityError:
        if not (letter.once and Letter.objects.filter(once=letter.once).exists()):
            raise
    else:
        MAIL.wake_after_commit()


def claim_next() -> Letter | None:
    """The letter that has been due for longest, ours until its lease ends; None where none is due."""
    return Letter.claim_first(Letter.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "pk"))


def record_attempt(letter: Letter, *, error: str, is_final: bool = False) -> None:
    """Keep what became of the try; no error means that the mail server has the letter."""
    now = timezone.now()
    is_given_up = is_final or now - letter.created_at > GIVEN_UP_AFTER
    changes: dict[str, object] = {
        "error": error,
        "sent_at": None if error else now,
        "next_at": None if not error or is_given_up else now + retry_delay(letter.tries),
    }
    if not error and letter.kind in KINDS_WITH_SECRETS:
        changes |= {"subject": "", "text": "", "html": ""}
    if changes["next_at"] is None and letter.kind in _LAST_LETTERS:
        changes |= _EMPTY
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
    return old.update(**_EMPTY)


def empty_letters_about(reference: str) -> None:
    """Empty the letters about an application that is erased, sent or not."""
    Letter.objects.filter(reference=reference).update(**_EMPTY)


def empty_letters_to(addresses: Iterable[str]) -> None:
    """Empty the letters to people who are erased, sent or not. Addresses are encrypted, so each letter that still has
    one is opened."""
    erased = {address.lower() for address in addresses}
    letters = Letter.objects.exclude(to="").only("number", "to").order_by("pk")
    theirs = [one.pk for one in letters.iterator() if one.to.lower() in erased]
    Letter.objects.filter(pk__in=theirs).update(**_EMPTY)


def is_unsubscribed(*, kind: str, to: str) -> bool:
    """Whether the receiver wants none of this kind."""
    return kind in OPTIONAL_KINDS and Refusal.objects.filter(kind=kind, digest=_address_digest(to)).exists()


def unsubscribe_path(*, kind: str, to: str) -> str:
    """The path of the page where the receiver says so. It names the address to nobody."""
    return reverse("portal:letter_refusal", args=(signing.dumps([kind, _address_digest(to)], salt=_SALT),))


def kind_in_token(token: str) -> str | None:
    """The kind that a page's token is about; None where the token is not ours."""
    read = _read_token(token)
    return read[0] if read else None


def unsubscribe(token: str) -> None:
    """No more letters of the token's kind to its receiver."""
    if read := _read_token(token):
        Refusal.objects.get_or_create(kind=read[0], digest=read[1])


def _read_token(token: str) -> tuple[str, str] | None:
    try:
        kind, digest = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        return None
    return (kind, digest) if kind in OPTIONAL_KINDS else None


def _address_digest(address: str) -> str:
    # As long as an address has to be hard to find for it, and short enough for a letter.
    return salted_hmac(_SALT, address.strip().lower(), algorithm="sha256").hexdigest()[:32]
