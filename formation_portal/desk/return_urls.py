"""Where a page of a case leads back to. What the queue showed travels along in the addresses and forms of a case, so
that the way back and the next case are those of the same filters.
"""

from collections.abc import Mapping
from urllib.parse import unquote

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from .queue_state import QueueState


def queue_shown(said: Mapping[str, str]) -> QueueState:
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
    return _with(reverse("desk:case", args=[reference]), shown)


def _with(address: str, shown: QueueState | None) -> str:
    return f"{address}?{urlencode({'from': shown.address})}" if shown and shown.address else address


def return_url(posted: QueryDict, reference: str) -> str:
    """The address in `back` where it is one of this case, else that of the case's own page."""
    home, asked = reverse("desk:case", args=[reference]), posted.get("back", "")
    is_ours = url_has_allowed_host_and_scheme(asked, allowed_hosts=None) and asked.startswith(home)
    # Browsers climb by dots that are written as %2e, too.
    return asked if is_ours and ".." not in unquote(asked) and asked.isprintable() else home
