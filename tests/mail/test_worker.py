"""The mail worker runs beside the relay, says where e-mails stay, and empties what is old."""

import datetime as dt
import threading
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal.core.background import hourly_task, run_hourly_tasks
from formation_portal.mail.models import Email
from formation_portal.mail.worker import mail_sender, send_due
from tests.waiting import wait_until
from tests.worker_process import end, tell_to_end, worker_process

from .conftest import Post
from .smtp_server import MailServer


@pytest.mark.django_db(transaction=True)
def test_what_lies_in_the_outbox_is_carried_away(server: MailServer, post: Post) -> None:
    post()
    with mail_sender().running():
        wait_until(lambda: server.messages, what="an e-mail on its way")
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


@pytest.mark.django_db
def test_what_is_due_is_sent_and_counted(server: MailServer, post: Post, capsys: pytest.CaptureFixture[str]) -> None:
    post("ada@example.com")
    post("grace@example.com")
    later = post("later@example.com")
    Email.objects.filter(pk=later.pk).update(next_at=timezone.now() + dt.timedelta(hours=1))
    call_command("mail", "--once")
    assert [message["To"] for message in server.messages] == ["ada@example.com", "grace@example.com"]
    assert capsys.readouterr().out.strip() == "2 e-mails sent"


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_what_is_under_way_is_sent_once_and_the_rest_stays(
    server: MailServer, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = post(), post("grace@example.com")
    has_come, may_answer = threading.Event(), threading.Event()
    keep = server.keep

    def keep_late(content: bytes) -> None:
        has_come.set()
        may_answer.wait(30)
        keep(content)

    monkeypatch.setattr(server, "keep", keep_late)
    with worker_process("mail", EMAIL_URL=f"smtp://127.0.0.1:{server.port}") as process:
        assert has_come.wait(60)
        tell_to_end(process)
        may_answer.set()
        end(process)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.sent_at is not None, first.tries) == (True, 1)
    assert (second.sent_at, second.tries) == (None, 0)
    assert send_due() == 1, "others go on with the rest"
    assert [message["To"] for message in server.messages] == ["ada@example.com", "grace@example.com"]
    assert Email.objects.filter(sent_at=None).count() == 0
