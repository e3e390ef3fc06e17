"""What a move of an application adds to the totals. Nothing is read or written here."""

from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from formation_portal.contract.lifecycle import FINAL, State

from .buckets import bucket_of
from .cells import Cell, Table
from .sides import Side, side_of
from .spans import Span

# The column that counts the deeds that lead to a state.
DEEDS = {
    State.SUBMITTED_FOR_REVIEW: "submitted",
    State.RETURNED_FOR_CHANGES: "returned",
    State.SUBMITTED_TO_CSP: "approved",
    State.REJECTED: "declined",
    State.INCORPORATED: "incorporated",
    State.WITHDRAWN: "withdrawn",
}


def moved_to(state: State, at: datetime, *, clock: Any, form: str) -> Counter[Cell]:
    """What the move adds; the clock goes on. `clock` is a CaseClock, which a migration knows without its class."""
    day, more = timezone.localdate(at), Counter[Cell]()
    if state in DEEDS:
        for span in Span:
            more[Cell(Table.DEEDS, (span.value, span.start_of(day)), DEEDS[state])] += 1
    if (side_of(state) or "") != clock.side:
        _turn(clock, side_of(state), at, more)
    if state in FINAL:
        _close(clock, day, form, more)
    return more


def _turn(clock: Any, side: Side | None, at: datetime, more: Counter[Cell]) -> None:
    """From one side to the other. Where somebody has put the clock back meanwhile, no time has passed."""
    if clock.side:
        more[Cell(Table.OPEN, (clock.came_on,), clock.side)] -= 1
        passed = max(0, (at - clock.since) // timedelta(seconds=1))
        setattr(clock, clock.side, (getattr(clock, clock.side) or 0) + passed)
    clock.side, clock.since, clock.came_on = side or "", None, None
    if side:
        clock.since, clock.came_on = at, timezone.localdate(at)
        more[Cell(Table.OPEN, (clock.came_on,), side.value)] += 1


def _close(clock: Any, day: date, form: str, more: Counter[Cell]) -> None:
    spent = {side.value: getattr(clock, side) for side in Side if getattr(clock, side) is not None}
    for span in Span:
        key = (span.value, span.start_of(day))
        for side, seconds in spent.items():
            more[Cell(Table.DURATIONS, (*key, bucket_of(seconds)), side)] += 1
            more[Cell(Table.CLOSINGS, (*key, form), f"cases_{side}")] += 1
            more[Cell(Table.CLOSINGS, (*key, form), f"seconds_{side}")] += seconds
