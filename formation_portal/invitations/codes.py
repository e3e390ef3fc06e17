"""The keys in e-mailed links, and the codes that guests enter. Only digests of both are stored."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import urlencode

from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import impersonal_words
from formation_portal.mail.outbox import queue_email

from .models import Invitation

VALID_FOR = timedelta(minutes=10)
MAX_TRIES = 5
MAX_CODES_A_DAY = 10
# A second press of a button within this time sends nothing.
SAME_PRESS = timedelta(seconds=30)
_CODE_DIGITS = 6
_SALT = "formation_portal.invitations.code"


class TooMany(Exception):
    """The refusal of another code: the guest has had as many as are sent in a day."""


def digest_of_key(key: str) -> str:
    """Return the digest by which a link's key is stored. It has no salt, since nobody can guess a key of 256 bits."""
    return hashlib.sha256(key.encode()).hexdigest()


def send_link(draft: Draft, invited: Invitation | Collaborator, *, kind: str, view: str, language: str) -> None:
    """Save `invited` with a new key, and queue an e-mail with the key's only copy. The e-mail has no names."""
    key = secrets.token_urlsafe(32)
    invited.key_digest = digest_of_key(key)
    invited.save()
    link = f"{reverse(view)}?{urlencode({'key': key})}"
    context = {"link": link, "until": invited.expires_at, **impersonal_words(draft, language)}
    queue_email(kind=kind, to=invited.email, language=language, context=context)


def send_code(invitation: Invitation) -> None:
    """Send a code that replaces the last one, unless that was sent seconds ago. Raises TooMany."""
    now = timezone.now()
    with transaction.atomic():
        locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
        if locked.code_digest and locked.code_sent_at and now - locked.code_sent_at < SAME_PRESS:
            return
        if locked.codes_since is None or now >= locked.codes_since + timedelta(days=1):
            locked.codes_since = now
            locked.codes_sent = 0
        if locked.codes_sent >= MAX_CODES_A_DAY:
            raise TooMany
        locked.codes_sent += 1
        code = f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"
        locked.code_digest = _digest_of_code(locked, code)
        locked.code_sent_at = now
        locked.code_tries = 0
        locked.opened_at = locked.opened_at or now
        locked.save()
        context = {"code": code, "minutes": VALID_FOR // timedelta(minutes=1)}
        queue_email(kind="code", to=locked.email, language=locked.language, context=context)


def try_code(invitation: Invitation, typed: str) -> bool:
    """Tell whether the typed code is right; a right code is used up. Every try counts, even simultaneous ones."""
    with transaction.atomic():
        locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
        if not tries_left(locked, now=timezone.now()):
            return False
        locked.code_tries += 1
        # Digits of any script, with any separators.
        digits = "".join(str(int(letter)) for letter in typed[:100] if letter.isdecimal())
        is_right = constant_time_compare(locked.code_digest, _digest_of_code(locked, digits))
        if is_right:
            locked.code_digest = ""
        locked.save(update_fields=["code_tries", "code_digest"])
    return is_right


def tries_left(invitation: Invitation, *, now: datetime) -> int:
    """Return how often the code may still be tried: 0 if none was sent, or if it is used up or too old."""
    sent_at = invitation.code_sent_at
    if not invitation.code_digest or sent_at is None or now >= sent_at + VALID_FOR:
        return 0
    return max(0, MAX_TRIES - invitation.code_tries)


def _digest_of_code(invitation: Invitation, code: str) -> str:
    """Return the stored digest of a code. It is keyed with our secret, since a million codes are quickly tried."""
    return salted_hmac(_SALT, f"{invitation.pk}/{invitation.round}:{code}", algorithm="sha256").hexdigest()
