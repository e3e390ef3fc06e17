"""Choose the next delivery of an application from its rows, without side effects (design, "Relay", "Order")."""

from collections.abc import Collection, Iterable
from datetime import datetime

from .calls.routes import CREATE, is_unsupported, needs_an_edit, sent_action, wanted_action
from .models import WITHDRAWAL, Delivery, DeliveryState, Reason, ResourceKind, ResourceName
from .service_profile import Profile


def next_delivery(
    rows: Collection[Delivery],
    *,
    now: datetime,
    profile: Profile,
    may_send: bool,
    is_eager: bool = False,
    tried: Collection[int] = (),
) -> Delivery | None:
    """Return the row to work on; None if none can go, or a call is under way. Removals come first, in reverse order.

    A row that waits for a retry holds up later rows, unless it waits for a file. A create in doubt holds up other
    creates of its kind, so that their records are never mixed up. `is_eager` takes rows that are not due yet, too. Rows
    in `tried` are skipped.
    """
    if any(row.state in (DeliveryState.SENDING, DeliveryState.RECONCILING) for row in rows):
        return None
    existing = {row.name for row in rows if row.remote_id}
    is_closed = is_closed_for_changes(rows)
    kinds_in_doubt = set()
    for row in rows:
        if row.state == DeliveryState.UNKNOWN and sent_action(row) == CREATE and not row.resource_kind.is_csp:
            kinds_in_doubt.add(row.resource_kind)
    for row in sorted(rows, key=_rank):
        if not _is_movable(row, profile, may_send=may_send) or is_blocked(row, rows, existing, is_closed=is_closed):
            continue
        if row.state != DeliveryState.UNKNOWN and row.resource_kind in kinds_in_doubt and wanted_action(row) == CREATE:
            continue
        is_due = row.next_at is not None and row.next_at <= now
        if row.pk not in tried and (is_eager or row.state in (DeliveryState.QUEUED, DeliveryState.HELD) or is_due):
            return row
        if row.state == DeliveryState.WAITING and row.reason != Reason.FILE_MISSING:
            return None
    return None


def _rank(row: Delivery) -> tuple[int, int, int, int]:
    order = row.resource_kind.order
    if row.wanted is None and row.acknowledged is not None:
        return (0, -order, 0, row.pk)
    return (1, order, row.position, row.pk)


def _is_movable(row: Delivery, profile: Profile, *, may_send: bool) -> bool:
    """Tell whether a worker may act on the row: queued, waiting, in doubt, done with a lookup due, or now supported."""
    if row.state == DeliveryState.UNKNOWN:
        return True
    if row.state == DeliveryState.DONE:
        return row.recheck and row.next_at is not None
    if row.state == DeliveryState.HELD:
        return row.reason == Reason.UNSUPPORTED and needs_an_edit(row) and not is_unsupported(row, profile)
    # A transition has already happened here, so it does not wait for the customer's corrections.
    return (may_send or row.is_transition) and row.state in (DeliveryState.QUEUED, DeliveryState.WAITING)


def is_blocked(row: Delivery, rows: Iterable[Delivery], existing: Collection[ResourceName], *, is_closed: bool) -> bool:
    """Tell whether another row has to come first: a row whose remote id this one needs, or an earlier transition.

    A transition waits for earlier transitions, a submission for all other rows too. Other rows wait while the entity
    `is_closed` for changes. A withdrawal comes before every other transition.
    """
    if any((ResourceKind(kind), subject) not in existing for kind, subject in row.needs):
        return True
    if not row.is_transition:
        return is_closed and row.state in (DeliveryState.QUEUED, DeliveryState.WAITING)
    if any(transition.position < row.position for transition in _open_transitions(rows)):
        return True
    # A submission in doubt is looked up at once, since all other rows wait for it.
    is_to_go = row.resource_kind is ResourceKind.SUBMISSION and row.state != DeliveryState.UNKNOWN
    return is_to_go and any(other.state != DeliveryState.DONE for other in rows if not other.is_transition)


def is_closed_for_changes(rows: Iterable[Delivery]) -> bool:
    """Tell whether other rows must wait: the next open transition is a change of status, or may have arrived."""
    upcoming = min(_open_transitions(rows), key=lambda transition: transition.position, default=None)
    if upcoming is None:
        return False
    return upcoming.resource_kind is ResourceKind.STATUS or not upcoming.is_settled


def _open_transitions(rows: Iterable[Delivery]) -> list[Delivery]:
    return [row for row in rows if row.is_transition and row.name != WITHDRAWAL and row.state != DeliveryState.DONE]
