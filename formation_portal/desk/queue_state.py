"""What a page of the queue shows: view, filters, order and place, all of it in the address; of a search only its id.

The words of a search are names of people and companies. They are posted, and kept in the session (`queue/searches.py`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.utils.http import urlencode

from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integer, parse_integers

# What is typed to search for; more than this is no reference and no name.
_LONGEST = 200
_SEARCH = re.compile(r"[A-Za-z0-9_-]{1,24}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOBODY = "nobody"
STATES = tuple(state for state in State if state is not State.DRAFT)


class View(StrEnum):
    """The saved views."""

    # What waits for us: where agents land, and what an address means that names none.
    WAITING = "waiting"
    MINE = "mine"
    UNCLAIMED = "unclaimed"
    ANSWERED = "answered"
    OVERDUE = "overdue"
    CONFIRM = "confirm"
    ALL = "all"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """A case's place in the order: the list goes on behind it, wherever it stands by then."""

    at: datetime
    pk: int

    @classmethod
    def read(cls, text: str) -> "QueuePosition | None":
        """The place that an address names, or None where it names none."""
        numbers = parse_integers(text.split("-"))
        at = moment_at(numbers[0]) if len(numbers) == 2 else None
        return cls(at, numbers[1]) if at else None

    def __str__(self) -> str:
        return f"{micros_of(self.at)}-{self.pk}"


def micros_of(moment: datetime) -> int:
    """A moment as an address names it: in microseconds, exactly as the database keeps it."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_at(micros: int) -> datetime | None:
    """The moment that an address names like that, or None for one that no calendar has."""
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def typed_search(posted: Mapping[str, str]) -> str:
    """The words that the search form posts."""
    return _read(posted, "q")


def _read(query: Mapping[str, str], name: str) -> str:
    return " ".join(query.get(name, "").replace("\x00", "").split())[:_LONGEST]


@dataclass(frozen=True, slots=True)
class QueueState:
    """What an address says. What can't be read filters nothing."""

    view: View = View.WAITING
    # The id of a search, and its words once the session was asked for them; no address has those.
    search: str = ""
    text: str = ""
    state: str = ""
    # An agent's number, or NOBODY.
    holder: str = ""
    # What a place is called, and a product's id in the catalog.
    place: str = ""
    product: str = ""
    newest_first: bool = False
    after: QueuePosition | None = None
    before: QueuePosition | None = None
    # For who may not see names: what is typed is a reference, and finds nothing else. No address says so.
    by_reference: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "QueueState":
        """From an address, or from what the search form posts."""
        search = query.get("search", "")
        view, state, holder = query.get("view", ""), query.get("state", ""), query.get("holder", "")
        after = QueuePosition.read(query.get("after", ""))
        return cls(
            view=View(view) if view in set(View) else View.WAITING,
            search=search if _SEARCH.fullmatch(search) else "",
            state=state if state in set(STATES) else "",
            holder=holder if holder == NOBODY or parse_integer(holder, digits=9) else "",
            place=_read(query, "place"),
            product=_read(query, "product"),
            newest_first=query.get("sort") == "newest",
            after=after,
            before=None if after else QueuePosition.read(query.get("before", "")),
        )

    @property
    def address(self) -> str:
        """The same as the part of an address that begins with a question mark; empty where it would say nothing."""
        parameters = {
            "view": "" if self.view is View.WAITING else self.view.value,
            "search": self.search,
            "state": self.state,
            "holder": self.holder,
            "place": self.place,
            "product": self.product,
            "sort": "newest" if self.newest_first else "",
            "after": str(self.after or ""),
            "before": str(self.before or ""),
        }
        words = urlencode({name: value for name, value in parameters.items() if value})
        return f"?{words}" if words else ""

    @property
    def looks_at_closed(self) -> bool:
        """Whether closed cases are looked at too: where one asks for a state, or searches among all."""
        return self.view in (View.WAITING, View.ALL) and bool(self.state or self.text)

    @property
    def unsearched(self) -> "QueueState":
        """The same without its search."""
        return replace(self, search="", text="")

    @property
    def from_the_top(self) -> "QueueState":
        """The first page of it."""
        return replace(self, after=None, before=None)
