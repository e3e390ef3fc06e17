"""Brings the deliveries of an application up to date with its desired state, in the transaction that changed it.

Nothing is sent here: the worker does that, row by row.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State

from . import wake
from .desired_state import DesiredResource, Payload, desired_state, status_changes_of
from .models import (
    Delivery,
    DeliveryState,
    ResourceKind,
    ResourceName,
    parent_of,
    referenced_name,
    referenced_names,
    submission_subject,
)
from .service_profile import current_profile

_SYNCED_FIELDS = (
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


def sync(draft: Draft) -> None:
    """Set what each row wants: equal to what was acknowledged is done, anything else is queued.

    What is on its way keeps its state, and is compared again once it is known what became of it. At most four
    queries, however large the application, and one more for one that was submitted.
    """
    application, now = draft.application, timezone.now()
    found = Delivery.objects.select_for_update().filter(application=application)
    rows = {_name_of(row): row for row in found}
    before = {name: _values(row) for name, row in rows.items()}
    desired = {resource.name: resource for resource in desired_state(draft, status_changes_of(application))}
    # What has a remote id, or will get one.
    sendable = frozenset(
        name
        for name, resource in desired.items()
        if resource.payload is not None or (name in rows and rows[name].remote_id)
    )
    for name, resource in desired.items():
        if resource.payload is not None and (name in rows or not resource.kind.is_csp or resource.payload["answers"]):
            new = Delivery(application=application, kind=resource.kind, subject=resource.subject)
            row = rows.setdefault(name, new)
            row.position = resource.position
            if row.wanted is None or not resource.kind.is_transition:
                _set_wanted(row, _without_unsendable(resource.payload, sendable))
    _retry_refused(rows, desired)
    frozen = is_frozen(application)
    for name, row in rows.items():
        if name not in desired:
            _unset_wanted(row, desired, is_frozen=frozen, is_open=application.is_open)
    may_send = current_profile().may_send(application)
    for row in rows.values():
        is_idle = row.state == DeliveryState.QUEUED and row.next_at is None
        if is_idle and (may_send or row.is_transition):
            row.next_at = now
    Delivery.objects.bulk_create([row for row in rows.values() if row.pk is None])
    changed = [row for name, row in rows.items() if name in before and _values(row) != before[name]]
    if changed:
        Delivery.objects.bulk_update(changed, _SYNCED_FIELDS)


def _name_of(row: Delivery) -> ResourceName:
    """What it is the row of. Rows from before every submission had its own are those of the last submission."""
    payload = row.wanted or row.sent or row.acknowledged or {}
    if row.resource_kind is ResourceKind.SUBMISSION and "submission" in payload:
        return (ResourceKind.SUBMISSION, submission_subject(payload["submission"]))
    return row.name


def _values(row: Delivery) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in _SYNCED_FIELDS)


def _without_unsendable(payload: Payload, sendable: Collection[ResourceName]) -> Payload:
    """The payload without answers that refer to what cannot be sent yet: the other answers need not wait for it."""
    if "answers" not in payload:
        return payload
    kept = {
        name: value
        for name, value in payload["answers"].items()
        if (reference := referenced_name(value)) is None or reference in sendable
    }
    return payload | {"answers": kept}


def _set_wanted(row: Delivery, payload: Payload | None) -> None:
    is_new, is_other = row.pk is None, row.wanted != payload
    row.wanted = payload
    parent = parent_of(*row.name)
    row.needs = [list(name) for name in dict.fromkeys(([parent] if parent else []) + list(referenced_names(payload)))]
    if (is_new or is_other) and row.is_settled:
        requeue(row)


def _retry_refused(rows: Mapping[ResourceName, Delivery], desired: Collection[ResourceName]) -> None:
    """With a new submission, an earlier one that was refused or held is sent again, as what it lacked was corrected.

    That is one on which agents had already worked, so that it did not come back to the customer.
    """
    submissions = [rows[name] for name in desired if name in rows and name[0] is ResourceKind.SUBMISSION]
    if any(row.pk is None for row in submissions):
        for row in submissions:
            if row.state in (DeliveryState.REFUSED, DeliveryState.HELD) and row.is_settled:
                requeue(row)


def is_frozen(application: Application) -> bool:
    """Whether what the service has stays there as it is: the application was withdrawn, and is not deleted."""
    return application.status is State.WITHDRAWN and application.deleted_at is None


def requeue(row: Delivery) -> None:
    """Compare what a row wants with what was acknowledged, and queue it anew where they differ."""
    row.problems, row.reason, row.attempts, row.repeats = [], "", 0, 0
    row.sent, row.key = None, ""
    kind = row.resource_kind
    if row.is_as_wanted or (row.wanted is None and (kind.is_csp or kind.is_transition)):
        row.state, row.next_at = DeliveryState.DONE, None
    elif row.state != DeliveryState.WAITING:
        row.state, row.next_at = DeliveryState.QUEUED, None


def _unset_wanted(
    row: Delivery, desired: Mapping[ResourceName, DesiredResource], *, is_frozen: bool, is_open: bool
) -> None:
    """What is gone here is removed there, unless it goes with what it belongs to.

    A transition is never taken back, and a withdrawn application stays there as it is. Why the service refused a
    submission can be read until the next one.
    """
    is_transition = row.is_transition
    if is_frozen or is_transition:
        if not (is_transition and is_open and row.state == DeliveryState.REFUSED):
            _set_wanted(row, row.acknowledged)
        return
    _set_wanted(row, None)
    parent = parent_of(*row.name)
    if row.is_settled and parent is not None and parent not in desired:
        row.state, row.next_at = DeliveryState.DONE, None


def forget_dependents(row: Delivery) -> None:
    """A resource is gone at the service: what belonged to it, and shareholdings that name it, are gone with it.

    They are queued anew where they are still wanted, also those that were in doubt.
    """
    gone = {row.name}
    others = Delivery.objects.filter(application_id=row.application_id).exclude(pk=row.pk)
    for other in sorted(others, key=lambda one: one.resource_kind.order):
        names_it = other.resource_kind is ResourceKind.SHAREHOLDING and any(list(name) in other.needs for name in gone)
        if (parent_of(*other.name) in gone or names_it) and (other.is_settled or other.state == DeliveryState.UNKNOWN):
            gone.add(other.name)
            other.acknowledged, other.remote_id = None, ""
            if other.state == DeliveryState.UNKNOWN:
                other.state, other.unclear_since = DeliveryState.DONE, None
            requeue(other)
            other.save()


def sync_deliveries(draft: Draft) -> None:
    """Sync the deliveries, and wake the worker once they are committed."""
    sync(draft)
    transaction.on_commit(wake.wake_workers)
