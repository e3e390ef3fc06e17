"""Takes the next row of an application for one call, and commits that before the call is made."""

import logging
import uuid
from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.core.encrypted_fields import column_values

from .. import timing
from ..models import (
    RESEND,
    UNCLEAR,
    UNSUPPORTED,
    WITHDRAWAL,
    Attempt,
    Delivery,
    DeliveryState,
    ResourceKind,
    ResourceName,
)
from ..order import next_delivery
from ..service_profile import Profile, current_profile, locked_profile, profile_from
from ..sync import requeue
from . import rate_limit
from .reconciliation import Strategy, strategy_for
from .routes import Claim, has_nothing_to_send, is_unsupported

logger = logging.getLogger(__name__)


def claim(application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()) -> Claim | None:
    """The next row of the application, marked and with its attempt; None where there is nothing to do now.

    Rows on the way that need no call are finished. Never called inside a transaction: the claim is committed when it
    returns.
    """
    with transaction.atomic(durable=True):
        # On PostgreSQL a worker goes on with the next application, instead of waiting for whoever changes this one.
        skips = not is_eager and connection.features.has_select_for_update_skip_locked
        application = Application.objects.select_for_update(skip_locked=skips).filter(pk=application_id).first()
        if application is None:
            return None
        # Only now: whoever waited for the lock has a whole lease before it.
        now = timezone.now()
        profile = current_profile()
        if profile.is_paused(now) and not is_eager:
            return None
        rows = list(Delivery.objects.filter(application=application))
        _expire_leases(rows, profile, now=now)
        may_send = profile.may_send(application)
        # The service takes no status before the submission is paid for, but for the customer's withdrawal.
        sendable = [row for row in rows if application.payment_due_since is None or not _is_status_by_agent(row)]
        while chosen := next_delivery(
            sendable, now=now, profile=profile, may_send=may_send, is_eager=is_eager, tried=tried
        ):
            if _finish_without_call(chosen, profile):
                continue
            ids = {one.name: one.remote_id for one in rows if one.remote_id}
            return _claim_row(chosen, application, ids, now=now, is_eager=is_eager)
        # Nothing can be done about queued and held rows before something else changes, which makes them due again.
        # Other rows that are due, but blocked, are tried again in a moment.
        due = [row for row in rows if row.next_at is not None and row.lease_until is None]
        resting = [row.pk for row in due if row.state in (DeliveryState.QUEUED, DeliveryState.HELD)]
        Delivery.objects.filter(pk__in=resting).update(next_at=None)
        behind = [row.pk for row in due if row.pk not in resting and row.next_at is not None and row.next_at <= now]
        if behind:
            Delivery.objects.filter(pk__in=behind).update(next_at=now + timing.short_pause())
        return None


def _is_status_by_agent(row: Delivery) -> bool:
    return row.resource_kind is ResourceKind.STATUS and row.name != WITHDRAWAL


def _claim_row(
    row: Delivery, application: Application, ids: dict[ResourceName, str], *, now: datetime, is_eager: bool
) -> Claim | None:
    """Claim the row, unless the service may not be called yet."""
    stored = locked_profile()
    # Waiting for the lock takes time: the rate counts when calls are made, not when they were planned.
    now = timezone.now()
    profile, lease, was = profile_from(stored), uuid.uuid4(), row.state
    is_lookup = was == DeliveryState.DONE or (
        was == DeliveryState.UNKNOWN and strategy_for(row, profile.capabilities) is Strategy.LOOK_UP
    )
    is_retry = not is_lookup and was != DeliveryState.QUEUED
    if not is_eager:
        opens = rate_limit.opens_at(stored, now, is_retry=is_retry)
        if opens > now:
            if is_retry:
                # Others may be called before: only trying again has to wait.
                Delivery.objects.filter(pk=row.pk).update(next_at=opens)
            return None
        # A list is read twice at least.
        rate_limit.count_calls(stored, now, is_retry=is_retry, calls=2 if is_lookup else 1)
    if is_lookup:
        _save_claim(row, DeliveryState.RECONCILING, lease, was=was, now=now)
        return Claim(row, lease, application, ids, profile, counted_at=now)
    _prepare(row)
    _save_claim(row, DeliveryState.SENDING, lease, was=was, now=now)
    attempt = Attempt.objects.create(delivery=row, key=row.key, lease=lease, request_id=uuid.uuid4().hex)
    return Claim(row, lease, application, ids, profile, attempt.request_id, is_retry, now)


def _finish_without_call(row: Delivery, profile: Profile) -> bool:
    if row.is_transition and row.kind in profile.lacks and row.state != DeliveryState.DONE:
        # The service lacks the call, so an earlier one can't have arrived, and it is not made again.
        row.acknowledged = row.sent if row.state == DeliveryState.UNKNOWN else row.wanted
        row.state, row.unclear_since = DeliveryState.DONE, None
        requeue(row)
        row.reason = UNSUPPORTED
    elif row.state == DeliveryState.UNKNOWN:
        if strategy_for(row, profile.capabilities) is not Strategy.HOLD:
            return False
        logger.error("Delivery %s may have arrived, but cannot be verified: held", row.pk)
        row.state, row.reason, row.next_at = DeliveryState.HELD, UNCLEAR, None
    elif row.state == DeliveryState.DONE:
        return False
    elif has_nothing_to_send(row):
        row.acknowledged = row.wanted
        requeue(row)
    elif is_unsupported(row, profile):
        row.state, row.reason, row.next_at = DeliveryState.HELD, UNSUPPORTED, None
    else:
        return False
    row.save()
    return True


def _prepare(row: Delivery) -> None:
    """What the call will send, with its key: the same payload keeps its key through all tries, another gets another."""
    row.looks = 0
    if row.state == DeliveryState.UNKNOWN:
        row.repeats += 1
        return
    if row.reason == RESEND:
        row.repeats += 1
        # A transition leaves no second record behind.
        row.recheck = not row.is_transition
    if not (row.state == DeliveryState.WAITING and row.key and row.sent == row.wanted):
        row.key = uuid.uuid4().hex
    row.sent = row.wanted


def _save_claim(row: Delivery, state: DeliveryState, lease: uuid.UUID, *, was: str, now: datetime) -> None:
    # When the lease has ended, the row is due again.
    row.state, row.lease, row.lease_until = state, lease, now + timing.lease()
    row.next_at = row.lease_until
    names = ("state", "lease", "lease_until", "next_at", "key", "sent", "repeats", "looks", "recheck")
    # On an engine that ignores row locks, whoever came first has changed the state.
    claimed = Delivery.objects.filter(pk=row.pk, state=was).update(**column_values(row, names), updated_at=now)
    if not claimed:
        raise RuntimeError(f"Delivery {row.pk} was claimed twice")


def _expire_leases(rows: Iterable[Delivery], profile: Profile, *, now: datetime) -> None:
    """Rows whose worker has died: a call may have arrived, and is never queued again; a lookup is simply made again."""
    for row in rows:
        if row.lease_until is None or row.lease_until > now:
            continue
        if row.state == DeliveryState.SENDING:
            logger.warning("Delivery %s: its worker died while sending", row.pk)
            row.tries.filter(ended_at=None).update(ended_at=now, outcome="worker_died")
            row.reason, row.unclear_since = UNCLEAR, row.unclear_since or now
            row.state, row.next_at = DeliveryState.UNKNOWN, now + profile.doubt_time(row.repeats)
        elif row.state == DeliveryState.RECONCILING:
            row.state = DeliveryState.DONE if row.recheck else DeliveryState.UNKNOWN
            row.next_at = now
        row.lease, row.lease_until = None, None
        row.save()
