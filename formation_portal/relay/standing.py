"""Settles a deed by where the entity stands at the service: done, to be told again, or held for an agent.

Where it stands at the wanted state, or at one that agents lead to from there, the deed was done, by us or by the
service's own people. Called inside the concluding transaction.
"""

from dataclasses import dataclass
from datetime import datetime

from formation_portal.contract.lifecycle import AGENT, DEEDS, State
from formation_portal.gateway.errors import Unclear

from .evidence import AS_IT_SHOULD_BE, hold, not_there, why_unsettled
from .kinds import Kind
from .models import OTHERWISE, Delivery, DeliveryState, Look
from .parcel import Parcel
from .profile import Profile
from .renewal import requeue

NO_STATE, STANDS_OTHERWISE = "no state that we know", "it stands at {state}"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state that the service's record of the entity shows; None where it shows none that the lifecycle knows."""

    state: State | None


def read_standing(parcel: Parcel) -> Standing:
    """Where the entity stands. Raises GatewayError where that can't be read."""
    record = parcel.service.entity(parcel.entity_id)
    if record.get("id") not in (None, parcel.entity_id):
        raise Unclear("The answer's record is of something else")
    return Standing(next((state for state in State if state == record.get("status")), None))


def settle_deed(row: Delivery, found: Standing, *, known: Profile, now: datetime) -> None:
    """Move the row as the evidence allows, and keep what was seen."""
    said = _settled(row, found.state, known, now)
    if row.state == DeliveryState.HELD and row.wanted != row.sent:
        # Nobody wants it told any more: the application was withdrawn, or given back.
        row.state, row.unclear_since = DeliveryState.QUEUED, None
        requeue(row)
    Look.objects.create(delivery=row, records=1, matches=[], conclusion=said)


def _settled(row: Delivery, state: State | None, known: Profile, now: datetime) -> str:
    if state is None:
        hold(row, why_unsettled(row))
        return NO_STATE
    if _has_come(row, state):
        row.acknowledged, row.unclear_since = row.sent, None
        row.state = DeliveryState.DONE
        requeue(row)
        return AS_IT_SHOULD_BE
    said = STANDS_OTHERWISE.format(state=state)
    if state in _before(_target(row)):
        not_there(row, known, now)
        # Under its old key the service would only repeat what it has answered.
        row.key = row.key if row.state == DeliveryState.UNKNOWN else ""
    else:
        hold(row, OTHERWISE)
    return said


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
