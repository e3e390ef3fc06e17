"""The worker that sends the outbox's e-mails and runs the hourly tasks. After a crash it may send an e-mail again,
with the same Message-ID: twice in the mailbox is better than never."""

import logging
from collections.abc import Callable
from email.utils import parseaddr
from smtplib import SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from formation_portal.core.background import BackgroundWorker, run_hourly_tasks
from formation_portal.core.monitoring import tracing

from .models import Email
from .outbox import MAIL, claim_next, record_attempt

logger = logging.getLogger(__name__)

# SMTP replies from this number on are permanent refusals.
_PERMANENT = 500


def send_due(*, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Try every e-mail that is due. Return the number that the mail server accepted."""
    if not settings.LETTERS_GO_OUT:
        return 0
    sent = 0
    connection = get_connection()
    try:
        while may_go_on() and (email := claim_next()):
            if email.has_time_left:
                sent += _send(email, connection)
    finally:
        connection.close()
    return sent


def _send(email: Email, connection: BaseEmailBackend) -> bool:
    error = ""
    is_final = False
    with tracing.span(f"mail {email.kind}") as span:
        try:
            connection.open()
            connection.send_messages([_message(email, connection)])
        # An error of one e-mail, even a fault of ours, must not keep the others waiting.
        except Exception as exception:
            error = type(exception).__name__
            # Another try would not help if the server knows no such mailbox.
            if isinstance(exception, SMTPRecipientsRefused):
                is_final = all(code >= _PERMANENT for code, _ in exception.recipients.values())
            connection.close()
            # Not the error's own words, which name the receiver.
            logger.warning("Letter %s, try %d: %s", email, email.tries, error)
        span.set({"letter": email.pk, "error.type": error}, is_error=bool(error))
    record_attempt(email, error=error, is_final=is_final)
    return not error


def _message(email: Email, connection: BaseEmailBackend) -> EmailMultiAlternatives:
    domain = parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2] or "localhost"
    headers = {
        "Message-ID": f"<{email.number}@{domain}>",
        "Content-Language": email.language,
        # Asks for no automatic replies.
        "Auto-Submitted": "auto-generated",
    }
    message = EmailMultiAlternatives(
        email.subject, email.text, settings.MAIL_FROM, [email.to], headers=headers, connection=connection
    )
    message.attach_alternative(email.html, "text/html")
    return message


def mail_sender() -> BackgroundWorker:
    if not settings.LETTERS_GO_OUT:
        logger.info("There is no EMAIL_URL: letters stay in the outbox")
    return BackgroundWorker(
        name="The outbox",
        work=send_due,
        hourly=run_hourly_tasks,
        stop_timeout=settings.EMAIL_TIMEOUT,
        channel=MAIL,
    )
