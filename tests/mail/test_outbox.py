"""An e-mail is in the outbox if, and only if, the transaction that wrote it was committed."""

from typing import Any

import pytest
from django.db import transaction

from formation_portal.mail import outbox
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import queue_email
from formation_portal.mail.rendering import sample_contexts

from .conftest import Post

pytestmark = pytest.mark.django_db


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
