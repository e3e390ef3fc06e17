"""A mail server, and e-mails to send."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from formation_portal.mail.models import Email
from formation_portal.mail.outbox import queue_email

from .smtp_server import MailServer, mail_server

Post = Callable[..., Email]


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server(settings) as server:
        yield server


@pytest.fixture
def post() -> Post:
    """Writes an e-mail into the outbox."""

    def write(to: str = "ada@example.com", **more: Any) -> Email:
        context = {"code": "204 816", "minutes": 10, "reference": "FP-1"}
        queue_email(kind="code", to=to, language="en", context=context, **more)
        return Email.objects.latest("pk")

    return write
