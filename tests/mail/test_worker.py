"""The mail worker runs beside the relay, says where e-mails stay, and empties what is old."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.core.background import hourly_task, run_hourly_tasks
from formation_portal.mail.models import Email
from formation_portal.mail.worker import mail_sender

from .conftest import Post
from .smtp_server import MailServer


@pytest.mark.django_db(transaction=True)
def test_what_lies_in_the_outbox_is_carried_away(server: MailServer, post: Post) -> None:
    post()
    with mail_sender().running():
        assert server.wait_for(1)
    assert Email.objects.exclude(sent_at=None).count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("was_sent", [True, False])
def test_the_content_of_an_email_goes_after_some_weeks_and_its_fate_stays(
    post: Post, settings: Any, was_sent: bool
) -> None:
    settings.LETTER_DAYS = 30
    old, fresh = post(), post()
    at = timezone.now() - dt.timedelta(days=31)
    Email.objects.filter(pk=old.pk).update(created_at=at, sent_at=at if was_sent else None)
    run_hourly_tasks()
    old.refresh_from_db()
    fresh.refresh_from_db()
    assert (old.to, old.subject, old.text, old.html, old.next_at) == ("", "", "", "", None)
    assert (old.kind, old.reference, old.sent_at) == ("code", "FP-1", at if was_sent else None)
    assert fresh.text


@pytest.mark.django_db
def test_trouble_with_one_duty_of_the_round_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def troubled() -> None:
        raise ValueError("ada@example.com")

    monkeypatch.setattr(hourly_task, "functions", [troubled, lambda: done.append("sound")])
    run_hourly_tasks()
    assert done == ["sound"]
    assert "ValueError" in caplog.text
    assert "ada@example.com" not in caplog.text
