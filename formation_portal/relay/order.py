"""Which row of an application is next: a pure choice among its rows (design, "Relay", "Order")."""

from collections.abc import Collection, Iterable
from datetime import datetime

from .kinds import Kind, Name
from .models import UNSUPPORTED, Delivery, DeliveryState
from .profile import Profile
from .routes import CREATE, action_of, is_beyond, sent_action, takes_an_edit

State = DeliveryState

_NOT_AGAIN: frozenset[int] = frozenset()


def next_row(
    rows: Collection[Delivery],
    *,
    now: datetime,
    profile: Profile,
    lets_go: bool,
    is_eager: bool = False,
    tried: Collection[int] = _NOT_AGAIN,
) -> Delivery | None:
    """The row to work on, or None: one call in flight an entity, removals first and backwards, then in order.

    What waits to be tried again holds up what comes after it; what is in doubt holds up others of its kind, so that
    evidence about two of them is never mixed up. `is_eager` takes what would have to wait, but nothing that was
    `tried`.
    """
    if any(row.state in (State.SENDING, State.RECONCILING) for row in rows):
        return None
    there = {row.name for row in rows if row.remote_id}
    in_doubt = {
        row.name[0]
        for row in rows
        if row.state == State.UNKNOWN and sent_action(row) == CREATE and not row.name[0].is_csp
    }
    for row in sorted(rows, key=_rank):
        if not _is_open(row, profile, lets_go=lets_go) or is_blocked(row, rows, there):
            continue
        if row.state != State.UNKNOWN and row.name[0] in in_doubt and action_of(row) == CREATE:
            continue
        if row.pk not in tried and (is_eager or row.state in (State.QUEUED, State.HELD) or _is_due(row, now)):
            return row
        if row.state == State.WAITING:
            return None
    return None


def _rank(row: Delivery) -> tuple[int, int, int, int]:
    kind = row.name[0]
    if row.is_removal:
        return (0, -kind.order, 0, row.pk)
    return (1, kind.order, row.position, row.pk)


def _is_open(row: Delivery, profile: Profile, *, lets_go: bool) -> bool:
    """Whether the row is ours to move: queued or waiting, in doubt, or done with one more look due."""
    if row.state == State.UNKNOWN:
        return True
    if row.state == State.DONE:
        return row.recheck and row.next_at is not None
    if row.state == State.HELD:
        return row.reason == UNSUPPORTED and takes_an_edit(row) and not is_beyond(row, profile)
    return lets_go and row.state in (State.QUEUED, State.WAITING)


def _is_due(row: Delivery, now: datetime) -> bool:
    return row.next_at is not None and row.next_at <= now


def is_blocked(row: Delivery, rows: Iterable[Delivery], there: Collection[Name]) -> bool:
    """Whether the row names a thing without a remote id, or is a submission with something before it unfinished."""
    if any((Kind(kind), subject) not in there for kind, subject in row.needs):
        return True
    if row.name[0] is not Kind.SUBMISSION:
        return False
    return any(other.state != State.DONE for other in rows if not other.name[0].is_deed)
