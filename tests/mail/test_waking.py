"""An e-mail leaves as soon as it is committed: PostgreSQL wakes the sender, which does not wait for its next look."""

import pytest
from django.db import connection, transaction

from formation_portal.mail.worker import mail_sender
from tests.looking import resting
from tests.waiting import wait_until

from .conftest import Post
from .smtp_server import MailServer


@pytest.mark.skipif(connection.vendor != "postgresql", reason="not run: on SQLite a sender looks each second")
@pytest.mark.django_db(transaction=True)
def test_an_email_leaves_at_its_commit_and_not_before(server: MailServer, post: Post) -> None:
    with resting(mail_sender()):
        with transaction.atomic():
            post()
            assert not server.messages
        wait_until(lambda: server.messages, what="an e-mail on its way")
