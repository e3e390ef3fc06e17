"""`manage.py mail --once` sends what is due and says how many e-mails that were."""

import datetime as dt

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal.mail.models import Email

from .conftest import Post
from .smtp_server import MailServer


@pytest.mark.django_db
def test_what_is_due_is_sent_and_counted(server: MailServer, post: Post, capsys: pytest.CaptureFixture[str]) -> None:
    post("ada@example.com")
    post("grace@example.com")
    later = post("later@example.com")
    Email.objects.filter(pk=later.pk).update(next_at=timezone.now() + dt.timedelta(hours=1))
    call_command("mail", "--once")
    assert [message["To"] for message in server.messages] == ["ada@example.com", "grace@example.com"]
    assert capsys.readouterr().out.strip() == "2 e-mails sent"
