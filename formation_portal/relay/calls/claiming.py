"""Claim an application's next delivery (row) for one call, and commit the claim before the call is made."""

import logging
import uuid
from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.core.encrypted_fields import column_values

from .. import timing
from ..models import WITHDRAWAL, Attempt, Delivery, DeliveryState, Reason, ResourceKind, ResourceName
from ..order import next_delivery
from ..service_profile import Profile, current_profile, locked_profile, profile_from
from ..sync import requeue
from . import rate_limit
from .reconciliation import Strategy, strategy_for
from .routes import Claim, has_nothing_to_send, is_unsupported

logger = logging.getLogger(__name__)


def claim(application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()) -> Claim | None:
    """Claim the application's next row for a call or a lookup; return None if there is nothing to do now.

    Earlier rows that need no call are finished or held. Never call it inside a transaction: it commits the claim.
    """
    with transaction.atomic(durable=True):
        # On PostgreSQL a worker goes on with the next application, instead of waiting until this one is unlocked.
        skips = not is_eager and connection.features.has_select_for_update_skip_locked
        application = Application.objects.select_for_update(skip_locked=skips).filter(pk=application_id).first()
        if application is None:
            return None
        # Read the time after the wait for the lock, so that the lease has its full length.
        now = timezone.now()
        profile = current_profile()
        if profile.is_paused(now) and not is_eager:
            return None
        rows = list(Delivery.objects.filter(application=application))
        _expire_leases(rows, profile, now=now)
        may_send = profile.may_send(application)
        sendable = rows
        if application.payment_due_since is not None:
            # Until the submission is paid for, the service takes no status but the customer's withdrawal.
            sendable = [row for row in rows if row.kind != ResourceKind.STATUS or row.name == WITHDRAWAL]
        while row := next_delivery(
            sendable, now=now, profile=profile, may_send=may_send, is_eager=is_eager, tried=tried
        ):
            if _finish_without_call(row, profile):
                continue
            ids = {row.name: row.remote_id for row in rows if row.remote_id}
            return _claim_row(row, application, ids, is_eager=is_eager)
        _postpone(rows, now=now)
        return None


def _postpone(rows: Iterable[Delivery], *, now: datetime) -> None:
    """Postpone due rows that can't be sent now. Queued and held rows rest until a change makes them due again."""
    resting = []
    blocked = []
    for row in rows:
        if row.next_at is None or row.lease_until is not None:
            continue
        if row.state in (DeliveryState.QUEUED, DeliveryState.HELD):
            resting.append(row.pk)
        elif row.next_at <= now:
            blocked.append(row.pk)
    Delivery.objects.filter(pk__in=resting).update(next_at=None)
    Delivery.objects.filter(pk__in=blocked).update(next_at=now + timing.scaled(timing.SHORT_PAUSE))


def _claim_row(
    row: Delivery, application: Application, ids: dict[ResourceName, str], *, is_eager: bool
) -> Claim | None:
    """Claim the row; return None if the service may not be called yet."""
    stored = locked_profile()
    # Waiting for the lock takes time: the rate counts when calls are made, not when they were planned.
    now = timezone.now()
    profile = profile_from(stored)
    lease = uuid.uuid4()
    before = row.state
    is_lookup = before == DeliveryState.DONE or (
        before == DeliveryState.UNKNOWN and strategy_for(row, profile.capabilities) is Strategy.LOOK_UP
    )
    is_retry = not is_lookup and before != DeliveryState.QUEUED
    if not is_eager:
        opens = rate_limit.opens_at(stored, now, is_retry=is_retry)
        if opens > now:
            if is_retry:
                # Only retries have to wait: other rows may be sent meanwhile.
                Delivery.objects.filter(pk=row.pk).update(next_at=opens)
            return None
        # A lookup reads a list at least twice.
        rate_limit.count_calls(stored, now, is_retry=is_retry, calls=2 if is_lookup else 1)
    if is_lookup:
        _save_claim(row, DeliveryState.RECONCILING, lease, before=before, now=now)
        return Claim(row, lease, application, ids, profile, counted_at=now)
    _prepare(row)
    _save_claim(row, DeliveryState.SENDING, lease, before=before, now=now)
    attempt = Attempt.objects.create(delivery=row, key=row.key, lease=lease, request_id=uuid.uuid4().hex)
    return Claim(row, lease, application, ids, profile, attempt.request_id, is_retry, now)


def _finish_without_call(row: Delivery, profile: Profile) -> bool:
    """Finish or hold a row that needs no call, and return True; else return False."""
    if row.is_transition and row.kind in profile.lacks and row.state != DeliveryState.DONE:
        # The service lacks the call, so an earlier try can't have arrived, and no further one is made.
        row.acknowledged = row.sent if row.state == DeliveryState.UNKNOWN else row.wanted
        row.state = DeliveryState.DONE
        row.unclear_since = None
        requeue(row)
        row.reason = Reason.UNSUPPORTED
    elif row.state == DeliveryState.UNKNOWN:
        if strategy_for(row, profile.capabilities) is not Strategy.HOLD:
            return False
        logger.error("Delivery %s may have arrived, but cannot be verified: held", row.pk)
        row.hold(Reason.UNCLEAR)
    elif row.state == DeliveryState.DONE:
        return False
    elif has_nothing_to_send(row):
        row.acknowledged = row.wanted
        requeue(row)
    elif is_unsupported(row, profile):
        row.hold(Reason.UNSUPPORTED)
    else:
        return False
    row.save()
    return True


def _prepare(row: Delivery) -> None:
    """Set the call's payload and Idempotency-Key. A retry keeps the key; a new payload gets a new key."""
    row.looks = 0
    if row.state == DeliveryState.UNKNOWN:
        row.repeats += 1
        return
    if row.reason == Reason.RESEND:
        row.repeats += 1
        # A transition that is sent again creates no second record.
        row.recheck = not row.is_transition
    if not (row.state == DeliveryState.WAITING and row.key and row.sent == row.wanted):
        row.key = uuid.uuid4().hex
    row.sent = row.wanted


def _save_claim(row: Delivery, state: DeliveryState, lease: uuid.UUID, *, before: str, now: datetime) -> None:
    row.state = state
    row.lease = lease
    row.lease_until = now + timing.scaled(timing.LEASE)
    # When the lease has ended, the row is due again.
    row.next_at = row.lease_until
    names = ("state", "lease", "lease_until", "next_at", "key", "sent", "repeats", "looks", "recheck")
    # On an engine that ignores row locks, another worker may have changed the state first.
    claimed = Delivery.objects.filter(pk=row.pk, state=before).update(**column_values(row, names), updated_at=now)
    if not claimed:
        raise RuntimeError(f"Delivery {row.pk} was claimed twice")


def _expire_leases(rows: Iterable[Delivery], profile: Profile, *, now: datetime) -> None:
    """End the leases of workers that have died: a call is then in doubt, never queued again; a lookup is repeated."""
    for row in rows:
        if row.lease_until is None or row.lease_until > now:
            continue
        if row.state == DeliveryState.SENDING:
            logger.warning("Delivery %s: its worker died while sending", row.pk)
            row.calls.filter(ended_at=None).update(ended_at=now, outcome="worker_died")
            row.state = DeliveryState.UNKNOWN
            row.reason = Reason.UNCLEAR
            row.unclear_since = row.unclear_since or now
            row.next_at = now + profile.doubt_time(row.repeats)
        elif row.state == DeliveryState.RECONCILING:
            row.state = DeliveryState.DONE if row.recheck else DeliveryState.UNKNOWN
            row.next_at = now
        row.lease = None
        row.lease_until = None
        row.save()
