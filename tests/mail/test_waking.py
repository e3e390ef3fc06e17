"""An e-mail leaves as soon as it is committed: whoever sends e-mails is woken, and does not wait for its next look."""

import pytest
from django.db import transaction

from formation_portal.mail.worker import mail_sender
from tests.looking import resting

from .conftest import Post
from .smtp_server import MailServer


@pytest.mark.django_db(transaction=True)
def test_an_email_leaves_at_its_commit_and_not_before(server: MailServer, post: Post) -> None:
    with resting(mail_sender()):
        with transaction.atomic():
            post()
            assert not server.messages
        assert server.wait_for(1)


@pytest.mark.django_db(transaction=True)
def test_a_sender_that_can_have_no_pipe_looks_each_second(
    server: MailServer, post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.mkfifo", full)
    with mail_sender().running():
        post()
        assert server.wait_for(1)
    assert "Nothing wakes mail on this machine (No space left on device): it looks every second" in caplog.text
