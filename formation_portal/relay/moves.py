"""What agents have done with an application, as the service is told it: read from the history's moves."""

from collections.abc import Iterator
from dataclasses import dataclass

from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import AGENT, DEEDS, State

# What the service takes of a note (supplement, "Entities"); what is beyond is read here.
NOTE_LIMIT = 10_000
_TOLD = frozenset(deed.target for deed in DEEDS.values() if deed.by == AGENT)
_PLAIN_CONTROLS = "\n\t"


@dataclass(frozen=True, slots=True)
class Move:
    """One deed of an agent: its number in the history, the round of submissions that it belongs to, where it led."""

    number: int
    round: int
    status: State
    note: str


def moves_of(application: Application) -> tuple[Move, ...]:
    """What is to be told, oldest first: one query, and none for what was never submitted, or withdrawn."""
    if not application.submissions or application.stands is State.WITHDRAWN:
        return ()
    return tuple(_moves(application))


def _moves(application: Application) -> Iterator[Move]:
    moved = list(Change.objects.filter(application=application).exclude(moved_to="").order_by("pk"))
    # Counted from the last one: a history may be older than its moves.
    number = application.submissions - sum(_is_submission(change) for change in moved)
    for change in moved:
        number += _is_submission(change)
        # Without anybody who did it, the service itself has asked for it.
        if change.who_id is not None and State(change.moved_to) in _TOLD:
            yield Move(change.pk, number, State(change.moved_to), _note(change))


def _is_submission(change: Change) -> bool:
    return change.moved_to == State.SUBMITTED_FOR_REVIEW


def _note(change: Change) -> str:
    """What the service is told with it, within what it takes."""
    note = str(change.named.get("note", ""))
    kept = (letter if letter in _PLAIN_CONTROLS or not _is_control(letter) else " " for letter in note)
    return "".join(kept)[:NOTE_LIMIT]


def _is_control(letter: str) -> bool:
    return letter < " " or letter == "\x7f"
