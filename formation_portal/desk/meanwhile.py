"""What others did while a page was open, as desk/_meanwhile.html tells it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from formation_portal.reviews.changes_since import ReviewChange


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """One thing that was done: by whom, when, and what."""

    who: str
    at: datetime
    what: str


def meanwhile(moves: Iterable[ReviewChange]) -> tuple[Meanwhile, ...]:
    """The same in words, in the same order."""
    return tuple(Meanwhile(move.by.called if move.by else "The portal", move.at, move.what) for move in moves)
