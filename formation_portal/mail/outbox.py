"""The outbox: e-mails are added in the caller's transaction, claimed for one attempt, and emptied after weeks."""

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

from formation_portal.core.background import hourly_task
from formation_portal.core.nodes.wake import Channel

from .models import Email, Refusal
from .rendering import render_email

# Receivers can refuse these kinds. All others were requested, or must reach them.
OPTIONAL_KINDS = frozenset({"reminder", "nudge", "part_done"})
# An invitation holds the link that refuses its reminders.
_REFUSED_AT = {kind: kind for kind in OPTIONAL_KINDS} | {"invitation": "nudge"}
_SALT = "formation_portal.letters.refusal"

MAIL = Channel("mail")

_FIRST_WAIT = dt.timedelta(seconds=30)
_LONGEST_WAIT = dt.timedelta(hours=4)
GIVEN_UP_AFTER = dt.timedelta(days=3)
# E-mails with links or codes: their content is removed once they are sent, so that the outbox opens nothing.
KINDS_WITH_SECRETS = frozenset(
    {"code", "signup_code", "invitation", "nudge", "collaboration", "password_reset", "agent"}
)

# For these the receiver is removed, too.
_LAST_EMAILS = frozenset({"account_deleted"})
_EMPTY: dict[str, Any] = {"to": "", "subject": "", "text": "", "html": "", "next_at": None}


def queue_email(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str = "") -> None:
    """Write an e-mail into the outbox, unless one with the same `once` is there, or the receiver refuses this kind.
    URLs in `context` are paths, which the filter `absolute_url` completes. A `reference` in `context` is stored
    with the e-mail."""
    if is_unsubscribed(kind=kind, to=to) or (once and Email.objects.filter(once=once).exists()):
        return
    if kind in _REFUSED_AT:
        context = {**context, "refusal": unsubscribe_path(kind=_REFUSED_AT[kind], to=to)}
    email = render_email(kind=kind, language=language, context=context)
    email.to = to
    email.once = once or None
    email.reference = str(context.get("reference", ""))[:40]
    email.next_at = timezone.now()
    try:
        # A savepoint, since the caller's transaction goes on if another process wrote the same e-mail first.
        with transaction.atomic():
            email.save()
    except IntegrityError:
        if not (email.once and Email.objects.filter(once=email.once).exists()):
            raise
    else:
        MAIL.wake_after_commit()


def claim_next() -> Email | None:
    """Claim the e-mail that has been due for longest. Return None if none is due."""
    return Email.claim_first(Email.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "pk"))


def record_attempt(email: Email, *, error: str, is_final: bool = False) -> None:
    now = timezone.now()
    changes: dict[str, object] = {"error": error, "sent_at": None, "next_at": None}
    if not error:
        changes["sent_at"] = now
        if email.kind in KINDS_WITH_SECRETS:
            changes |= {"subject": "", "text": "", "html": ""}
    elif not is_final and now - email.created_at <= GIVEN_UP_AFTER:
        changes["next_at"] = now + retry_delay(email.tries)
    if changes["next_at"] is None and email.kind in _LAST_EMAILS:
        changes |= _EMPTY
    Email.objects.filter(pk=email.pk, tries=email.tries).update(**changes)


def retry_delay(tries: int) -> dt.timedelta:
    doublings: int = 2 ** min(tries - 1, 20)
    return min(_LONGEST_WAIT, _FIRST_WAIT * doublings)


@hourly_task
def clear_old_emails() -> int:
    """Empty e-mails LETTER_DAYS after they were sent or, if they never were, written. Return their number."""
    before = timezone.now() - dt.timedelta(days=settings.LETTER_DAYS)
    old = Email.objects.alias(at=Coalesce(F("sent_at"), F("created_at"))).filter(at__lt=before).exclude(to="")
    return old.update(**_EMPTY)


def empty_emails_about(reference: str) -> None:
    Email.objects.filter(reference=reference).update(**_EMPTY)


def empty_emails_to(addresses: Iterable[str]) -> None:
    """Empty the e-mails to erased people. Addresses are encrypted, so that all of them are read."""
    erased = {address.lower() for address in addresses}
    emails = Email.objects.exclude(to="").only("number", "to").order_by("pk")
    keys = [email.pk for email in emails.iterator() if email.to.lower() in erased]
    Email.objects.filter(pk__in=keys).update(**_EMPTY)


def is_unsubscribed(*, kind: str, to: str) -> bool:
    return kind in OPTIONAL_KINDS and Refusal.objects.filter(kind=kind, digest=_address_digest(to)).exists()


def unsubscribe_path(*, kind: str, to: str) -> str:
    """Return the path of the page where the receiver refuses a kind, without revealing the address."""
    return reverse("portal:letter_refusal", args=(signing.dumps([kind, _address_digest(to)], salt=_SALT),))


def kind_in_token(token: str) -> str | None:
    """Return the kind that a page's token refuses; None if the token is not ours."""
    kind, _ = _read_token(token)
    return kind


def unsubscribe(token: str) -> None:
    kind, digest = _read_token(token)
    if kind:
        Refusal.objects.get_or_create(kind=kind, digest=digest)


def _read_token(token: str) -> tuple[str | None, str]:
    try:
        kind, digest = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        return None, ""
    return (kind, digest) if kind in OPTIONAL_KINDS else (None, "")


def _address_digest(address: str) -> str:
    # Long enough that nobody finds the address, and short enough for an e-mail.
    return salted_hmac(_SALT, address.strip().lower(), algorithm="sha256").hexdigest()[:32]
