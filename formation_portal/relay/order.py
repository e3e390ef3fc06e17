"""Which row of an application is next: a pure choice among its rows (design, "Relay", "Order")."""

from collections.abc import Collection, Iterable
from datetime import datetime

from .calls.routes import CREATE, is_unsupported, needs_an_edit, sent_action, wanted_action
from .models import UNSUPPORTED, Delivery, DeliveryState
from .resources import WITHDRAWAL, ResourceKind, ResourceName
from .service_profile import Profile

State = DeliveryState

_NONE_TRIED: frozenset[int] = frozenset()


def next_delivery(
    rows: Collection[Delivery],
    *,
    now: datetime,
    profile: Profile,
    may_send: bool,
    is_eager: bool = False,
    tried: Collection[int] = _NONE_TRIED,
) -> Delivery | None:
    """The row to work on, or None: one call in flight an entity, removals first and backwards, then in order.

    What waits to be tried again holds up what comes after it; what is in doubt holds up others of its kind, so that
    evidence about two of them is never mixed up. `is_eager` takes what would have to wait, but nothing that was
    `tried`.
    """
    if any(row.state in (State.SENDING, State.RECONCILING) for row in rows):
        return None
    existing, is_closed = {row.name for row in rows if row.remote_id}, is_closed_for_changes(rows)
    in_doubt = {
        row.name[0]
        for row in rows
        if row.state == State.UNKNOWN and sent_action(row) == CREATE and not row.name[0].is_csp
    }
    for row in sorted(rows, key=_rank):
        if not _is_movable(row, profile, may_send=may_send) or is_blocked(row, rows, existing, is_closed=is_closed):
            continue
        if row.state != State.UNKNOWN and row.name[0] in in_doubt and wanted_action(row) == CREATE:
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


def _is_movable(row: Delivery, profile: Profile, *, may_send: bool) -> bool:
    """Whether the row is ours to move: queued or waiting, in doubt, or done with one more look due."""
    if row.state == State.UNKNOWN:
        return True
    if row.state == State.DONE:
        return row.recheck and row.next_at is not None
    if row.state == State.HELD:
        return row.reason == UNSUPPORTED and needs_an_edit(row) and not is_unsupported(row, profile)
    # A deed waits for no corrections: it was done.
    return (may_send or row.name[0].is_transition) and row.state in (State.QUEUED, State.WAITING)


def _is_due(row: Delivery, now: datetime) -> bool:
    return row.next_at is not None and row.next_at <= now


def is_blocked(row: Delivery, rows: Iterable[Delivery], existing: Collection[ResourceName], *, is_closed: bool) -> bool:
    """Whether something has to come first: a thing whose remote id it names, or what was done before it.

    A deed waits for those before it, and a submission for everything else too. Things wait while the entity `is_shut`
    at the service. A withdrawal stands before every deed.
    """
    if any((ResourceKind(kind), subject) not in existing for kind, subject in row.needs):
        return True
    if not row.name[0].is_transition:
        return is_closed and row.state in (State.QUEUED, State.WAITING)
    if any(transition.position < row.position for transition in _open_transitions(rows)):
        return True
    # Of one in doubt it is found out first: until then, things wait for it.
    is_to_go = row.name[0] is ResourceKind.SUBMISSION and row.state != State.UNKNOWN
    return is_to_go and any(other.state != State.DONE for other in rows if not other.name[0].is_transition)


def is_closed_for_changes(rows: Iterable[Delivery]) -> bool:
    """Whether the service takes no changes of things for now: next comes an agent's deed, which only what was submitted
    meets, or it is not known whether a submission has arrived."""
    upcoming = min(_open_transitions(rows), key=lambda transition: transition.position, default=None)
    if upcoming is None:
        return False
    return upcoming.name[0] is ResourceKind.STATUS or not upcoming.is_settled


def _open_transitions(rows: Iterable[Delivery]) -> list[Delivery]:
    """The deeds that the service has still to be told, but for a withdrawal."""
    return [row for row in rows if row.name[0].is_transition and row.name != WITHDRAWAL and row.state != State.DONE]
