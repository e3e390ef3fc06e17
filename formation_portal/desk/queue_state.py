"""Read and write the state of the queue in a URL: view, filters, order, position, and the id of a search. The words of
a search stand in no URL, since they are names of people and companies (`queue/searches.py`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.db.models import TextChoices

from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integer, parse_integers

from .url_queries import query_string, read_choice, read_text

_SEARCH = re.compile(r"[A-Za-z0-9_-]{1,24}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOBODY = "nobody"
STATES = tuple(state for state in State if state is not State.DRAFT)


class QueueView(TextChoices):
    # The default: agents land here.
    WAITING = "waiting", "Waiting for us"
    MINE = "mine", "Mine"
    UNCLAIMED = "unclaimed", "Unassigned"
    ANSWERED = "answered", "Resubmitted"
    OVERDUE = "overdue", "Overdue"
    CONFIRM = "confirm", "To confirm"
    ALL = "all", "All open"
    CLOSED = "closed", "Closed"


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """The position of a case in the queue, after which a page begins or before which a page ends."""

    at: datetime
    pk: int

    @classmethod
    def read(cls, text: str) -> "QueuePosition | None":
        numbers = parse_integers(text.split("-"))
        if len(numbers) != 2:
            return None
        at = moment_at(numbers[0])
        return cls(at, numbers[1]) if at else None

    def __str__(self) -> str:
        return f"{micros_of(self.at)}-{self.pk}"


def micros_of(moment: datetime) -> int:
    """Return a time as URLs have it: in microseconds, as exact as in the database."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_at(micros: int) -> datetime | None:
    """Return the time of these microseconds, or None if out of range."""
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class QueueState:
    """The view, filters, order and position of a page of the queue. Unreadable values are ignored."""

    view: QueueView = QueueView.WAITING
    # The id of a search, and its words, which come from the session and stand in no URL.
    search: str = ""
    text: str = ""
    state: str = ""
    # An agent's number, or NOBODY.
    holder: str = ""
    # The name of a jurisdiction, and a product's id in the catalog.
    place: str = ""
    product: str = ""
    newest_first: bool = False
    after: QueuePosition | None = None
    before: QueuePosition | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "QueueState":
        search = query.get("search", "")
        holder = query.get("holder", "")
        after = QueuePosition.read(query.get("after", ""))
        return cls(
            view=QueueView(read_choice(query.get("view", ""), QueueView.values)),
            search=search if _SEARCH.fullmatch(search) else "",
            state=read_choice(query.get("state", ""), ("", *STATES)),
            holder=holder if holder == NOBODY or parse_integer(holder, digits=9) else "",
            place=read_text(query, "place"),
            product=read_text(query, "product"),
            newest_first=query.get("sort") == "newest",
            after=after,
            before=None if after else QueuePosition.read(query.get("before", "")),
        )

    @property
    def address(self) -> str:
        """Return the state as the query of a URL; "" for the default state."""
        parameters = {
            "view": "" if self.view is QueueView.WAITING else self.view.value,
            "search": self.search,
            "state": self.state,
            "holder": self.holder,
            "place": self.place,
            "product": self.product,
            "sort": "newest" if self.newest_first else "",
            "after": self.after,
            "before": self.before,
        }
        return query_string(parameters)

    @property
    def includes_closed(self) -> bool:
        """Tell whether closed cases are included: if all or the waiting cases are searched, or filtered by state."""
        return self.view in (QueueView.WAITING, QueueView.ALL) and bool(self.state or self.text)

    @property
    def first_page(self) -> "QueueState":
        return replace(self, after=None, before=None)
