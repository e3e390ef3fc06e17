"""Hands letters over to the mail server.

A letter is sent by one worker at a time. Where a process dies between the server's answer and the row, the letter goes
again, once the process is known to be gone or after its lease, under the same Message-ID: twice in the mailbox is
better than never.
"""

import logging
from collections.abc import Callable
from email.utils import parseaddr
from smtplib import SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from .claiming import conclude, is_still_ours, release_dead_leases, take
from .models import Letter

logger = logging.getLogger(__name__)

# An answer of this number and above is the server's last word.
_PERMANENT = 500


def send_due(*, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Try every letter that is due, one after the other; how many the mail server took."""
    if not settings.LETTERS_GO_OUT:
        return 0
    release_dead_leases()
    sent = 0
    connection = get_connection()
    try:
        while may_go_on() and (letter := take()):
            sent += _tried(letter, connection)
    finally:
        connection.close()
    return sent


def _tried(letter: Letter, connection: BaseEmailBackend) -> bool:
    if not is_still_ours(letter):
        return False
    error, is_final = "", False
    try:
        connection.open()
        connection.send_messages([_message(letter, connection)])
    # Whatever goes wrong about one letter, and be it a fault of ours, must not keep the others waiting.
    except Exception as caught:
        error, is_final = type(caught).__name__, _is_final(caught)
        connection.close()
        # Not the error's own words, which name the receiver.
        logger.warning("Letter %s, try %d: %s", letter, letter.tries, error)
    conclude(letter, error=error, is_final=is_final)
    return not error


def _message(letter: Letter, connection: BaseEmailBackend) -> EmailMultiAlternatives:
    domain = parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2] or "localhost"
    headers = {
        "Message-ID": f"<{letter.number}@{domain}>",
        "Content-Language": letter.language,
        # Machines on holiday need not answer.
        "Auto-Submitted": "auto-generated",
    }
    message = EmailMultiAlternatives(
        letter.subject, letter.text, settings.MAIL_FROM, [letter.to], headers=headers, connection=connection
    )
    message.attach_alternative(letter.html, "text/html")
    return message


def _is_final(error: Exception) -> bool:
    """Whether the server knows no such mailbox: then trying again would only annoy it."""
    if not isinstance(error, SMTPRecipientsRefused):
        return False
    return all(code >= _PERMANENT for code, _ in error.recipients.values())
