"""The figures of the outbox, for metrics, and the checks of e-mails, for `manage.py doctor`."""

import smtplib
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.core.monitoring.checks import Backlog, CheckResult, Verdict, fault, look, ok, verdict_on_age

from .models import Email

# Failed e-mails are tried again for three days, first after half a minute.
_LATE = timedelta(hours=1)
_TOO_LATE = timedelta(hours=12)
# A worker polls each second.
_UNTOUCHED = timedelta(minutes=5)
_GIVEN_UP_FOR = timedelta(days=7)


def outbox() -> Backlog:
    waiting = Email.objects.filter(next_at__isnull=False).aggregate(count=Count("pk"), oldest=Min("created_at"))
    lately = timezone.now() - _GIVEN_UP_FOR
    lost = Email.objects.filter(next_at=None, sent_at=None, created_at__gt=lately)
    return Backlog(waiting["count"], waiting["oldest"], lost.count())


def check_mail_server() -> Iterator[CheckResult]:
    """Check that the mail server accepts a connection and the password. Sends nothing."""
    if not settings.LETTERS_GO_OUT:
        if settings.DEMO:
            yield ok("Mail server", "none: e-mails stay in the outbox, which the demo shows")
        else:
            yield fault("Mail server", "none, so nobody can confirm an address or submit", "Set EMAIL_URL.")
        return
    connection = get_connection()
    if not isinstance(connection, EmailBackend):
        yield ok("Mail server", "none: e-mails are written to a folder")
        return
    try:
        connection.open()
    except smtplib.SMTPAuthenticationError:
        yield fault("Mail server", "refuses user or password", "Correct both in EMAIL_URL.")
    except (OSError, smtplib.SMTPException) as error:
        remedy = "Start the mail server, or correct host, port and scheme in EMAIL_URL."
        yield fault("Mail server", f"can't be reached ({type(error).__name__})", remedy)
    else:
        yield ok("Mail server", "takes a connection")
    finally:
        connection.close()


def check_emails() -> Iterator[CheckResult]:
    backlog = outbox()
    if not settings.LETTERS_GO_OUT:
        yield ok("E-mails", f"{backlog.unsent} in the outbox")
        return
    now = timezone.now()
    if Email.objects.filter(next_at__lt=now - _UNTOUCHED).exists():
        yield fault("E-mails", "letters are due and nobody sends them", "Start manage.py serve or manage.py mail.")
    waiting = backlog.in_words(now)
    verdict = verdict_on_age(backlog.age(now), look_after=_LATE, fault_after=_TOO_LATE)
    if verdict is not Verdict.OK:
        yield CheckResult("E-mails", verdict, waiting, "The log says why the mail server does not take them.")
    elif backlog.given_up:
        lost = f"{waiting}; {backlog.given_up} given up within a week"
        yield look("E-mails", lost, "The log names each letter's error; the receiver's address may be wrong.")
    else:
        yield ok("E-mails", waiting)
