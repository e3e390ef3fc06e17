"""Takes the next row of an application for one call, and commits that before the call is made."""

import logging
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from formation_portal.applications.models import Application

from .kinds import Name
from .models import UNCLEAR, UNSUPPORTED, Attempt, Delivery, DeliveryState
from .order import next_row
from .profile import Profile, profile
from .renewal import requeue
from .routes import has_nothing_to_send, is_beyond
from .timing import LEASE

logger = logging.getLogger(__name__)
State = DeliveryState


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that is ours until its lease ends, and the remote ids that its call may name."""

    row: Delivery
    lease: uuid.UUID
    application: Application
    ids: dict[Name, str]


def claim(application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()) -> Claim | None:
    """The next row of the application, marked as sending with an attempt; None where there is nothing to do now.

    Rows that need no call on the way there are settled. Never called inside a transaction: what it says is committed
    when it returns.
    """
    now = timezone.now()
    with transaction.atomic(durable=True):
        application = Application.objects.select_for_update().filter(pk=application_id).first()
        if application is None:
            return None
        known = profile()
        if known.is_paused(now) and not is_eager:
            return None
        rows = list(Delivery.objects.filter(application=application))
        for row in rows:
            if row.state == State.SENDING and row.lease_until is not None and row.lease_until <= now:
                _give_up_lease(row, known, now=now)
        go = known.lets_go(application)
        while chosen := next_row(rows, now=now, profile=known, lets_go=go, is_eager=is_eager, tried=tried):
            if not _settles_without_a_call(chosen, known):
                return Claim(
                    chosen,
                    _mark(chosen, now=now),
                    application,
                    {one.name: one.remote_id for one in rows if one.remote_id},
                )
        _rest(rows)
        return None


def _settles_without_a_call(row: Delivery, known: Profile) -> bool:
    if row.state == State.UNKNOWN:
        return False
    if has_nothing_to_send(row):
        row.acknowledged = row.wanted
        requeue(row)
    elif is_beyond(row, known):
        row.state, row.reason, row.next_at = State.HELD, UNSUPPORTED, None
    else:
        return False
    row.save()
    return True


def _mark(row: Delivery, *, now: datetime) -> uuid.UUID:
    was = row.state
    if was == State.UNKNOWN:
        row.repeats += 1
    else:
        # The same wish keeps its key through all tries, another one gets another.
        if not (was == State.WAITING and row.key and row.sent == row.wanted):
            row.key = uuid.uuid4().hex
        row.sent = row.wanted
    lease = uuid.uuid4()
    row.state, row.lease, row.lease_until = State.SENDING, lease, now + LEASE
    # Somebody looks again when the lease has ended.
    row.next_at = row.lease_until
    # On an engine that ignores row locks, whoever came first has changed the state.
    claimed = Delivery.objects.filter(pk=row.pk, state=was).update(
        state=row.state,
        lease=row.lease,
        lease_until=row.lease_until,
        next_at=row.next_at,
        key=row.key,
        sent=row.sent,
        repeats=row.repeats,
        updated_at=now,
    )
    if not claimed:
        raise RuntimeError(f"Delivery {row.pk} was claimed twice")
    Attempt.objects.create(delivery=row, key=row.key, lease=lease)
    return lease


def _give_up_lease(row: Delivery, known: Profile, *, now: datetime) -> None:
    """Its worker has died: the call may have arrived. Never queued again without asking."""
    logger.warning("Delivery %s: its worker died while sending", row.pk)
    row.tries.filter(ended_at=None).update(ended_at=now, outcome="worker_died")
    row.state = State.UNKNOWN if known.honours_keys else State.HELD
    row.reason, row.next_at, row.lease, row.lease_until = UNCLEAR, now, None, None
    row.save()


def _rest(rows: list[Delivery]) -> None:
    """Nothing can be done about these before something else changes; who changes it makes them due again."""
    resting = [row.pk for row in rows if row.state in (State.QUEUED, State.HELD) and row.next_at is not None]
    Delivery.objects.filter(pk__in=resting).update(next_at=None)
