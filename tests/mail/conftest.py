"""A mail server, and e-mails to send."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from formation_portal.mail.models import Letter
from formation_portal.mail.outbox import queue_letter

from .smtp_server import MailServer, mail_server

Post = Callable[..., Letter]


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server(settings) as server:
        yield server


@pytest.fixture
def post() -> Post:
    """Writes an e-mail into the outbox."""

    def write(to: str = "ada@example.com", **more: Any) -> Letter:
        context = {"code": "204 816", "minutes": 10, "reference": "FP-1"}
        queue_letter(kind="code", to=to, language="en", context=context, **more)
        return Letter.objects.latest("pk")

    return write
