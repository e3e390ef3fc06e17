"""Renews the rows of an application from its wishes, inside the transaction that changed it. Sends nothing."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from formation_portal.applications.drafts import Draft
from formation_portal.contract.lifecycle import State

from .kinds import Kind, Name, container, submission_subject
from .models import Delivery, DeliveryState
from .moves import moves_of
from .profile import profile
from .references import named, names_in
from .wishes import Payload, Wish, wishes

_RENEWED = (
    "wanted",
    "needs",
    "position",
    "state",
    "reason",
    "problems",
    "next_at",
    "attempts",
    "repeats",
    "sent",
    "key",
)


def renew(draft: Draft) -> None:
    """Bring every row's wish up to date: equal to what was acknowledged is done, anything else is queued.

    What is on its way keeps its state, and is compared again once it is known what became of it. At most four
    queries, however large the application, and one more for one that was submitted.
    """
    application, now = draft.application, timezone.now()
    found = Delivery.objects.select_for_update().filter(application=application)
    rows = {_stands_for(row): row for row in found}
    before = {name: _seen(row) for name, row in rows.items()}
    wished = {wish.name: wish for wish in wishes(draft, moves_of(application))}
    reachable = _reachable(wished, rows)
    for name, wish in wished.items():
        if wish.payload is not None and (name in rows or _is_worth_a_row(wish)):
            new = Delivery(application=application, kind=wish.kind, subject=wish.subject)
            row = rows.setdefault(name, new)
            row.position = wish.position
            if row.wanted is None or not wish.kind.is_deed:
                _want(row, _within_reach(wish.payload, reachable))
    _try_again(rows, wished)
    is_frozen = application.stands is State.WITHDRAWN and application.deleted_at is None
    for name, row in rows.items():
        if name not in wished:
            _no_longer_want(row, wished, is_frozen=is_frozen, is_open=application.is_open)
    lets_go = profile().lets_go(application)
    _make_due((row for row in rows.values() if lets_go or row.name[0].is_deed), now)
    Delivery.objects.bulk_create([row for row in rows.values() if row.pk is None])
    changed = [row for name, row in rows.items() if name in before and _seen(row) != before[name]]
    if changed:
        Delivery.objects.bulk_update(changed, _RENEWED)


def _stands_for(row: Delivery) -> Name:
    """What it is the row of. Before every submission had a row of its own, one row stood for the last of them."""
    said = row.wanted or row.sent or row.acknowledged or {}
    if row.name[0] is Kind.SUBMISSION and "submission" in said:
        return (Kind.SUBMISSION, submission_subject(said["submission"]))
    return row.name


def _seen(row: Delivery) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in _RENEWED)


def _reachable(wished: Mapping[Name, Wish], rows: Mapping[Name, Delivery]) -> frozenset[Name]:
    """The things that have a remote id, or are on their way to one."""
    return frozenset(
        name for name, wish in wished.items() if wish.payload is not None or (name in rows and rows[name].remote_id)
    )


def _within_reach(payload: Payload, reachable: Collection[Name]) -> Payload:
    """The payload without answers that refer to what cannot be sent yet: the other answers need not wait for it."""
    if "answers" not in payload:
        return payload
    kept = {
        name: value
        for name, value in payload["answers"].items()
        if (reference := named(value)) is None or reference in reachable
    }
    return payload | {"answers": kept}


def _is_worth_a_row(wish: Wish) -> bool:
    return not wish.kind.is_csp or bool(wish.payload and wish.payload["answers"])


def _want(row: Delivery, payload: Payload | None) -> None:
    is_new, is_other = row.pk is None, row.wanted != payload
    row.wanted = payload
    holder = container(*row.name)
    row.needs = [list(name) for name in dict.fromkeys(([holder] if holder else []) + list(names_in(payload)))]
    if (is_new or is_other) and row.is_settled:
        requeue(row)


def _try_again(rows: Mapping[Name, Delivery], wished: Collection[Name]) -> None:
    """With a new submission, one that was refused or held before goes again: what stood against it was corrected.

    That is one that agents had already worked on, so that it was not given back.
    """
    submissions = [rows[name] for name in wished if name in rows and name[0] is Kind.SUBMISSION]
    if any(row.pk is None for row in submissions):
        for row in submissions:
            if row.state in (DeliveryState.REFUSED, DeliveryState.HELD) and row.is_settled:
                requeue(row)


def requeue(row: Delivery) -> None:
    """Compare a settled row with what was acknowledged, and start afresh where they differ."""
    row.problems, row.reason, row.attempts, row.repeats = [], "", 0, 0
    row.sent, row.key = None, ""
    kind = row.name[0]
    if row.is_as_wanted or (row.wanted is None and (kind.is_csp or kind.is_deed)):
        row.state, row.next_at = DeliveryState.DONE, None
    elif row.state != DeliveryState.WAITING:
        row.state, row.next_at = DeliveryState.QUEUED, None


def _no_longer_want(row: Delivery, wished: Mapping[Name, Wish], *, is_frozen: bool, is_open: bool) -> None:
    """What is gone here is removed there, unless it goes with what it belongs to.

    A deed is never taken back, and a withdrawn application stays there as it is. Why the service refused a submission
    can be read until the next one.
    """
    is_deed = row.name[0].is_deed
    if is_frozen or is_deed:
        if not (is_deed and is_open and row.state == DeliveryState.REFUSED):
            _want(row, row.acknowledged)
        return
    _want(row, None)
    holder = container(*row.name)
    if row.is_settled and holder is not None and holder not in wished:
        row.state, row.next_at = DeliveryState.DONE, None


def _make_due(rows: Iterable[Delivery], now: datetime) -> None:
    for row in rows:
        if row.state == DeliveryState.QUEUED and row.next_at is None:
            row.next_at = now
