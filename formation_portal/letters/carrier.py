"""The carrier: sends what lies in the outbox, beside the relay's worker, and goes the hourly round.

In a thread of its own, so that a slow mail server keeps no call to the formation service waiting.
"""

import contextlib
import logging
from collections.abc import Iterator

from django.conf import settings

from formation_portal.steady_work import SteadyWork

from .rounds import go_round
from .sending import send_due

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def carrying() -> Iterator[None]:
    """A carrier at work meanwhile."""
    if not settings.LETTERS_GO_OUT:
        logger.info("There is no EMAIL_URL: letters stay in the outbox")
    carrier = SteadyWork(
        name="letters", called="The outbox", work=send_due, hourly=go_round, patience=settings.EMAIL_TIMEOUT
    )
    with carrier.beside():
        yield
