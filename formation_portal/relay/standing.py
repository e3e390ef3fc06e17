"""Settles a deed by where the entity stands at the service: done, to be told again, or held for an agent.

Where it stands at the wanted state, or at one that agents lead to from there, the deed was done, by us or by the
service's own people. As long as the status can be read, no agent is needed to find out: it is read again, ever more
rarely, until it is known. Called inside the concluding transaction.
"""

from dataclasses import dataclass
from datetime import datetime

from formation_portal.contract.lifecycle import AGENT, DEEDS, State
from formation_portal.gateway.errors import Unclear

from . import timing
from .evidence import AS_IT_SHOULD_BE, hold, why_unsettled
from .kinds import Kind
from .models import OTHERWISE, RESEND, Delivery, DeliveryState, Look
from .parcel import Parcel
from .profile import Profile
from .renewal import requeue

NO_STATE, STANDS_OTHERWISE = "no state that we know", "it stands at {state}"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state that the service's record of the entity shows. None: one that the lifecycle doesn't know, or, where
    nothing `is_shown`, none at all."""

    state: State | None
    is_shown: bool


def read_standing(parcel: Parcel) -> Standing:
    """Where the entity stands. Raises GatewayError where that can't be read."""
    record = parcel.service.entity(parcel.entity_id)
    if record.get("id") not in (None, parcel.entity_id):
        raise Unclear("The answer is for a different record")
    shown = record.get("status")
    return Standing(next((state for state in State if state == shown), None), isinstance(shown, str) and shown != "")


def settle_deed(row: Delivery, found: Standing, *, known: Profile, now: datetime) -> None:
    """Move the row as the evidence allows, and keep what was seen."""
    said = _settled(row, found, known, now)
    if row.state == DeliveryState.HELD and row.wanted != row.sent:
        # Nobody wants it told any more: the application was withdrawn, or given back.
        row.state, row.unclear_since = DeliveryState.QUEUED, None
        requeue(row)
    Look.objects.create(delivery=row, records=1, matches=[], conclusion=said)


def _settled(row: Delivery, found: Standing, known: Profile, now: datetime) -> str:
    state = found.state
    if not found.is_shown or (state is None and row.wanted != row.sent):
        hold(row, why_unsettled(row))
        return NO_STATE
    if state is None:
        # The service has states of its own on the way from one to the next.
        row.looks += 1
        row.state, row.next_at = DeliveryState.UNKNOWN, now + timing.rarely(row.looks)
        return NO_STATE
    if _has_come(row, state):
        row.acknowledged, row.unclear_since = row.sent, None
        row.state = DeliveryState.DONE
        requeue(row)
        return AS_IT_SHOULD_BE
    said = STANDS_OTHERWISE.format(state=state)
    if state in _before(_target(row)):
        _not_come(row, known, now)
    else:
        hold(row, OTHERWISE)
    return said


def _not_come(row: Delivery, known: Profile, now: datetime) -> None:
    """Read it once more, later each time that it was told in vain; then tell it again, right after it was read."""
    in_vain = row.repeats - timing.REPEATS
    row.looks += 1
    if row.looks < timing.LOOKS:
        wait = timing.rarely(in_vain) if in_vain > 0 else known.settle
        row.state, row.next_at = DeliveryState.UNKNOWN, now + wait
    elif row.reason == OTHERWISE and in_vain >= 0:
        # It is known: the service refuses it there.
        hold(row, OTHERWISE)
    else:
        row.state, row.reason, row.next_at, row.unclear_since = DeliveryState.WAITING, RESEND, now, None
        # Under its old key the service would only repeat what it has answered.
        row.key = ""


def _has_come(row: Delivery, state: State) -> bool:
    target = _target(row)
    if state in _before(target):
        return state is State.RETURNED_FOR_CHANGES and _is_first_submission(row)
    return state in _from(target)


def _target(row: Delivery) -> State:
    return State((row.sent or {}).get("status", State.SUBMITTED_FOR_REVIEW))


def _before(target: State) -> frozenset[State]:
    """The states that the deed leads out of."""
    return frozenset(source for deed in DEEDS.values() if deed.target is target for source in deed.sources)


def _from(target: State) -> frozenset[State]:
    """The state itself, and those that agents lead to from it."""
    further = [_from(deed.target) for deed in DEEDS.values() if deed.by == AGENT and target in deed.sources]
    return frozenset({target}).union(*further)


def _is_first_submission(row: Delivery) -> bool:
    """Whether it is a submission, and the service has acknowledged none before: what was returned there was it."""
    others = Delivery.objects.filter(application_id=row.application_id, kind=Kind.SUBMISSION).exclude(pk=row.pk)
    is_submission = row.name[0] is Kind.SUBMISSION
    return is_submission and row.acknowledged is None and not any(one.acknowledged is not None for one in others)
