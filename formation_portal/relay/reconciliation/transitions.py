"""Finds out by the entity's status whether a transition in doubt was done, and updates the row accordingly.

Where the entity has the wanted status, or one that agents lead to from there, the transition was done, by us or by the
service's own staff. As long as the status can be read, no agent is needed: it is read again, ever more rarely, until it
is known. Called inside the transaction that records the result.
"""

from dataclasses import dataclass
from datetime import datetime

from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State
from formation_portal.gateway.errors import Unclear

from .. import timing
from ..calls.outgoing_call import OutgoingCall
from ..models import RESEND, STATE_CONFLICT, Delivery, DeliveryState, Look
from ..resources import ResourceKind
from ..service_profile import Profile
from ..sync import requeue
from .records import AS_WANTED, hold, hold_reason

UNKNOWN_STATUS, OTHER_STATUS = "no state that we know", "it stands at {state}"


@dataclass(frozen=True, slots=True)
class EntityStatus:
    """The state that the service's record of the entity shows. None: one that the lifecycle doesn't know, or, where
    nothing `is_shown`, none at all."""

    state: State | None
    is_shown: bool


def read_entity_status(call: OutgoingCall) -> EntityStatus:
    """The entity's status. Raises GatewayError where it can't be read."""
    record = call.service.entity(call.entity_id)
    if record.get("id") not in (None, call.entity_id):
        raise Unclear("The answer is for a different record")
    shown = record.get("status")
    return EntityStatus(
        next((state for state in State if state == shown), None), isinstance(shown, str) and shown != ""
    )


def reconcile_transition(row: Delivery, found: EntityStatus, *, profile: Profile, now: datetime) -> None:
    """Update the row as the entity's status allows, and keep what was found."""
    conclusion = _resolve(row, found, profile, now)
    if row.state == DeliveryState.HELD and row.wanted != row.sent:
        # It is no longer wanted: the application was withdrawn, or came back to the customer.
        row.state, row.unclear_since = DeliveryState.QUEUED, None
        requeue(row)
    Look.objects.create(delivery=row, records=1, matches=[], conclusion=conclusion)


def _resolve(row: Delivery, found: EntityStatus, profile: Profile, now: datetime) -> str:
    state = found.state
    if not found.is_shown or (state is None and row.wanted != row.sent):
        hold(row, hold_reason(row))
        return UNKNOWN_STATUS
    if state is None:
        # The service has states of its own on the way from one to the next.
        row.looks += 1
        row.state, row.next_at = DeliveryState.UNKNOWN, now + timing.lookup_pause(row.looks)
        return UNKNOWN_STATUS
    if _is_applied(row, state):
        row.acknowledged, row.unclear_since = row.sent, None
        row.state = DeliveryState.DONE
        requeue(row)
        return AS_WANTED
    conclusion = OTHER_STATUS.format(state=state)
    if state in _source_states(_target(row)):
        _not_applied(row, profile, now)
    else:
        hold(row, STATE_CONFLICT)
    return conclusion


def _not_applied(row: Delivery, profile: Profile, now: datetime) -> None:
    """Read the status once more, later after each try in vain; then send the transition again, right after reading."""
    in_vain = row.repeats - timing.REPEATS
    row.looks += 1
    if row.looks < timing.LOOKUPS:
        wait = timing.lookup_pause(in_vain) if in_vain > 0 else profile.settle_time
        row.state, row.next_at = DeliveryState.UNKNOWN, now + wait
    elif row.reason == STATE_CONFLICT and in_vain >= 0:
        # It is known: the service refuses it there.
        hold(row, STATE_CONFLICT)
    else:
        row.state, row.reason, row.next_at, row.unclear_since = DeliveryState.WAITING, RESEND, now, None
        # Under its old key the service would only repeat what it has answered.
        row.key = ""


def _is_applied(row: Delivery, state: State) -> bool:
    target = _target(row)
    if state not in _source_states(target):
        return state in _reached_states(target)
    # A submission of which the service has acknowledged none before: what was returned there was it.
    is_submission = row.resource_kind is ResourceKind.SUBMISSION
    if state is not State.RETURNED_FOR_CHANGES or not is_submission or row.acknowledged is not None:
        return False
    others = Delivery.objects.filter(application_id=row.application_id, kind=ResourceKind.SUBMISSION).exclude(pk=row.pk)
    return all(one.acknowledged is None for one in others)


def _target(row: Delivery) -> State:
    return State((row.sent or {}).get("status", State.SUBMITTED_FOR_REVIEW))


def _source_states(target: State) -> frozenset[State]:
    """The states from which a transition leads to the target."""
    return frozenset(
        source for transition in TRANSITIONS.values() if transition.target is target for source in transition.sources
    )


def _reached_states(target: State) -> frozenset[State]:
    """The state itself, and those that agents lead to from it."""
    further = [
        _reached_states(transition.target)
        for transition in TRANSITIONS.values()
        if transition.by == AGENT and target in transition.sources
    ]
    return frozenset({target}).union(*further)
