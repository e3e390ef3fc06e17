"""Settles a row by what the service's records show: bound, looked for again, sent again, or held for an agent.

Counts decide, not existence: the same person may rightly be there twice. Called inside the concluding transaction.
"""

import logging
from collections.abc import Collection
from datetime import datetime

from . import timing
from .looking import Evidence
from .models import OTHERWISE, RESEND, SURPLUS, TWINS, UNCLEAR, UNSUPPORTED, Delivery, DeliveryState, Look
from .outcomes import Outcome
from .profile import Profile
from .renewal import requeue

logger = logging.getLogger(__name__)
State = DeliveryState

BOUND, NOT_THERE, SEVERAL, NO_LIST, NOT_READ, AS_IT_SHOULD_BE = (
    "bound",
    "not there",
    "several may be it",
    "no list to read",
    "could not be read",
    "as it should be",
)


def settle_by(row: Delivery, found: Evidence | Outcome, *, known: Profile, now: datetime) -> None:
    """Move the row as the evidence allows, and keep what was seen."""
    free: tuple[str, ...] = ()
    if isinstance(found, Outcome):
        said = _not_read(row, found, now=now)
        records, request_id = 0, found.request_id
    else:
        free = _free(row, found)
        records, request_id = found.records, ""
        settle = _after_all if row.recheck and row.unclear_since is None else _in_doubt
        said = settle(row, free, found, known, now)
    Look.objects.create(delivery=row, records=records, matches=list(free), conclusion=said, request_id=request_id)


def _free(row: Delivery, found: Evidence) -> tuple[str, ...]:
    """The matching ids that belong to nothing here."""
    bound = Delivery.objects.filter(kind=row.kind, remote_id__in=found.matches).values_list("remote_id", flat=True)
    taken = set(bound)
    return tuple(one for one in found.matches if one not in taken)


def _in_doubt(row: Delivery, free: Collection[str], found: Evidence, known: Profile, now: datetime) -> str:
    if not free:
        return _not_there(row, known, now)
    if len(free) > 1 or (_doubtful_siblings(row) and not found.is_certain):
        hold(row, TWINS)
        return SEVERAL
    [row.remote_id] = free
    row.acknowledged, row.state, row.unclear_since = row.sent, State.DONE, None
    requeue(row)
    row.next_at = now if row.state == State.QUEUED else now + known.settle if row.recheck else None
    return BOUND


def _not_there(row: Delivery, known: Profile, now: datetime) -> str:
    """Look once more, then send it once more; after so many of both in vain it is held."""
    row.looks += 1
    if row.looks < timing.LOOKS:
        row.state, row.next_at = State.UNKNOWN, now + known.settle
    elif row.repeats < timing.REPEATS:
        # It is certain that nothing arrived: as good as never sent.
        row.state, row.reason, row.next_at, row.unclear_since = State.WAITING, RESEND, now, None
    else:
        hold(row, UNCLEAR)
    return NOT_THERE


def _after_all(row: Delivery, free: Collection[str], found: Evidence, known: Profile, now: datetime) -> str:
    """It was made anew after a call in doubt: has that call done it after all?"""
    row.state = State.DONE
    if _doubtful_siblings(row):
        row.next_at = now + known.settle
        return NOT_READ
    row.recheck, row.next_at = False, None
    if not free:
        return AS_IT_SHOULD_BE
    row.reason = SURPLUS
    logger.error("Delivery %s: the service has %s duplicates", row.pk, len(free))
    return SURPLUS


def _not_read(row: Delivery, outcome: Outcome, *, now: datetime) -> str:
    is_recheck = row.recheck and row.unclear_since is None
    row.state = State.DONE if is_recheck else State.UNKNOWN
    row.attempts += 1
    row.next_at = now + timing.backoff(row.attempts, at_least=outcome.retry_after)
    if outcome.reason not in (UNSUPPORTED, "not_found"):
        return NOT_READ
    if is_recheck:
        row.recheck, row.next_at = False, None
    else:
        hold(row, why_unsettled(row))
    return NO_LIST


def _doubtful_siblings(row: Delivery) -> bool:
    """Whether the service may have others of the kind that nobody here knows the ids of."""
    siblings = Delivery.objects.filter(application_id=row.application_id, kind=row.kind).exclude(pk=row.pk)
    return any(not one.is_settled and not one.remote_id for one in siblings)


def why_unsettled(row: Delivery) -> str:
    """Why a row is held of which nothing can be read: only what was never in doubt was surely refused."""
    return OTHERWISE if row.reason == OTHERWISE and row.unclear_since is None else UNCLEAR


def hold(row: Delivery, reason: str) -> None:
    """Leave it to an agent."""
    row.state, row.reason, row.next_at = State.HELD, reason, None
    logger.error("Delivery %s is held: the service's records are inconclusive: %s", row.pk, reason)
