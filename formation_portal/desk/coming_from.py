"""The queue that a case was opened from. Its state comes along in the addresses and forms of the case, so that the way
back and the next case are those of the same filters."""

from collections.abc import Mapping

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from .queue_state import QueueState


def came_from(said: Mapping[str, str]) -> QueueState:
    """What the queue showed: a form carries its address as `shown`, an address as `from`."""
    address = said.get("shown", "") or said.get("from", "")
    return QueueState.read(QueryDict(address.removeprefix("?")))


def queue_url(shown: QueueState) -> str:
    """The queue as it was."""
    return reverse("desk:queue") + shown.address


def party_url(reference: str, token: str, shown: QueueState | None = None) -> str:
    """The page of one of a case's parties."""
    return _with(reverse("desk:party", args=[reference, token]), shown)


def case_url(reference: str, shown: QueueState) -> str:
    """A case's page, opened from a queue that shows this."""
    return _with(reverse("desk:review", args=[reference]), shown)


def _with(address: str, shown: QueueState | None) -> str:
    return f"{address}?{urlencode({'from': shown.address})}" if shown and shown.address else address
