"""Each e-mail is sent once, by whichever worker, and tried again where nobody can be reached."""

import datetime as dt
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone

from formation_portal.mail import outbox
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import claim_next, queue_email, record_attempt, retry_delay
from formation_portal.mail.rendering import sample_contexts
from formation_portal.mail.worker import send_due

from .conftest import Post
from .smtp_server import MailServer

pytestmark = pytest.mark.django_db


def test_an_email_arrives_once_as_text_and_html_and_is_emptied_of_its_secret(
    server: MailServer, post: Post, settings: Any
) -> None:
    settings.MAIL_FROM = "Formation Portal <portal@portal.example>"
    email = post()
    assert [send_due(), send_due()] == [1, 0]
    (message,) = server.messages
    assert message["From"] == "Formation Portal <portal@portal.example>"
    assert message["To"] == "ada@example.com"
    assert message["Subject"] == "Your code: 204 816"
    assert message["Content-Language"] == "en"
    assert message["Message-ID"] == f"<{email.number}@portal.example>"
    parts = [part.get_content_type() for part in message.iter_parts()]  # type: ignore[attr-defined]
    assert parts == ["text/plain", "text/html"]
    email.refresh_from_db()
    assert email.sent_at is not None
    assert (email.next_at, email.error, email.tries) == (None, "", 1)
    assert (email.subject, email.text, email.html, email.to) == ("", "", "", "ada@example.com")


@pytest.mark.django_db(transaction=True)
def test_several_workers_send_each_email_once(server: MailServer, post: Post) -> None:
    expected = {f"{number}@example.com" for number in range(24)}
    for address in expected:
        post(address)

    def work() -> None:
        send_due()
        connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: work(), range(4)))
    assert sorted(str(message["To"]) for message in server.messages) == sorted(expected)


def test_a_receiver_that_is_refused_for_now_is_tried_again_later_and_named_in_no_log(
    server: MailServer, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    email = post()
    server.refusals = ["450 ada@example.com is busy"]
    with caplog.at_level(logging.DEBUG):
        assert send_due() == 0
    email.refresh_from_db()
    assert (email.error, email.tries, email.sent_at) == ("SMTPRecipientsRefused", 1, None)
    assert email.next_at is not None
    assert email.next_at > timezone.now()
    assert "example.com" not in caplog.text
    Email.objects.update(next_at=timezone.now())
    assert send_due() == 1
    email.refresh_from_db()
    assert (email.error, email.tries) == ("", 2)


def test_a_mailbox_that_is_not_there_is_not_tried_again_and_keeps_no_other_waiting(
    server: MailServer, post: Post
) -> None:
    refused = post("one@example.com")
    post("two@example.com")
    server.refusals = ["550 nobody of that name"]
    assert send_due() == 1
    assert server.messages[0]["To"] == "two@example.com"
    refused.refresh_from_db()
    assert (refused.next_at, refused.sent_at, refused.error) == (None, None, "SMTPRecipientsRefused")


def test_a_server_that_is_away_is_tried_again_with_longer_waits(post: Post, settings: Any) -> None:
    settings.LETTERS_GO_OUT = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    email = post()
    assert send_due() == 0
    email.refresh_from_db()
    assert email.error == "ConnectionRefusedError"
    waits = [retry_delay(tries) for tries in range(1, 40)]
    assert waits == sorted(waits)
    assert waits[-1] == dt.timedelta(hours=4)


def test_after_some_days_an_email_is_given_up(server: MailServer, post: Post) -> None:
    email = post()
    Email.objects.update(created_at=timezone.now() - dt.timedelta(days=4))
    server.refusals = ["450 busy"]
    send_due()
    email.refresh_from_db()
    assert email.next_at is None


def test_of_emails_that_are_due_at_once_the_one_written_first_goes_first() -> None:
    now = timezone.now()
    written = [Email.objects.create(kind="code", language="en", next_at=now) for _ in range(3)]
    assert [claim_next() for _ in written] == written


def test_what_a_dead_worker_had_in_hand_goes_again_after_its_lease_under_the_same_name(
    server: MailServer, post: Post
) -> None:
    email = post()
    assert claim_next() == email
    assert send_due() == 0
    Email.objects.update(next_at=timezone.now())
    assert send_due() == 1
    assert str(email.number) in server.messages[0]["Message-ID"]


def test_a_worker_that_comes_late_does_not_change_what_another_has_found(post: Post) -> None:
    email = post()
    late = claim_next()
    assert late is not None
    assert late.has_time_left
    late.next_at = timezone.now() + dt.timedelta(minutes=1)
    assert not late.has_time_left
    Email.objects.update(next_at=timezone.now())
    second = claim_next()
    assert second is not None
    record_attempt(second, error="")
    record_attempt(late, error="TimeoutError")
    email.refresh_from_db()
    assert email.error == ""
    assert email.sent_at is not None


def test_without_a_mail_server_emails_stay_in_the_outbox(post: Post, settings: Any) -> None:
    settings.LETTERS_GO_OUT = False
    email = post()
    assert send_due() == 0
    email.refresh_from_db()
    assert (email.tries, email.error) == (0, "")
    assert email.next_at is not None


def test_an_email_is_written_once_with_the_transaction_that_wrote_it(post: Post) -> None:
    with transaction.atomic():
        post()
        transaction.set_rollback(True)
    assert not Email.objects.exists()
    for once in ("code:1", "code:1", "code:1", "code:2", None):
        post(once=once)
    assert [email.once for email in Email.objects.order_by("pk")] == ["code:1", "code:2", None]
    assert {(email.reference, email.tries, email.sent_at) for email in Email.objects.all()} == {("FP-1", 0, None)}


def test_an_email_that_somebody_else_writes_at_the_same_moment_is_written_once_and_the_transaction_goes_on(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite lets no second connection write in between, so the other writer comes while the e-mail is drawn."""
    draw = outbox.render_email

    def draw_late(**more: Any) -> Email:
        Email.objects.create(kind="code", language="en", subject="Written first", once="code:1")
        return draw(**more)

    monkeypatch.setattr(outbox, "render_email", draw_late)
    with transaction.atomic():
        post(once="code:1")
        Email.objects.create(kind="code", language="en", subject="Written afterwards")
    assert list(Email.objects.values_list("once", flat=True).order_by("pk")) == ["code:1", None]
    assert {email.subject for email in Email.objects.all()} == {"Written first", "Written afterwards"}


def test_what_opens_something_goes_once_it_was_sent_and_everything_else_stays() -> None:
    """Kinds with a link or a code that lets its reader in, beside those that only tell."""
    emptied = set()
    for kind in sample_contexts():
        email = Email.objects.create(kind=kind, to="ada@example.com", language="en", subject=kind, text="Hello")
        outbox.record_attempt(email, error="OSError")
        email.refresh_from_db()
        assert (email.subject, email.text) == (kind, "Hello"), "it has to be tried again"
        outbox.record_attempt(email, error="")
        email.refresh_from_db()
        assert email.subject in ("", kind)
        if not email.text:
            emptied.add(kind)
    secret = {"agent", "code", "collaboration", "invitation", "nudge", "password_reset", "signup_code"}
    assert emptied == secret | {"account_deleted"}


def test_what_was_typed_is_text_in_html_and_one_line_in_a_subject() -> None:
    queue_email(kind="code", to="a@example.com", language="en", context={"code": "O'Neil <b>", "minutes": 1})
    email = Email.objects.get()
    assert "O'Neil <b>" in email.text
    assert "O&#x27;Neil &lt;b&gt;" in email.html
    assert "for 1 minute." in email.text
    queue_email(kind="code", to="a@example.com", language="en", context={"code": "1\r\nBcc: all", "minutes": 1})
    assert Email.objects.latest("pk").subject == "Your code: 1 Bcc: all"
