"""`manage.py mail` ends in order: the e-mail that is under way is sent once, and no other is begun."""

import threading

import pytest

from formation_portal.mail.models import Email
from formation_portal.mail.worker import send_due
from tests.worker_process import end, tell_to_end, worker_process

from .conftest import Post
from .smtp_server import MailServer


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
