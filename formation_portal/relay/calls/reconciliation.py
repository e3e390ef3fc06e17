"""Find out from the service's records whether a call in doubt has arrived, without an agent where possible.

All matching records are counted, since the service may rightly have two of the same person. A transition counts as
applied if the entity has the wanted status, or a status that agents can set after that.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State
from formation_portal.gateway.errors import MAX_ID_LENGTH, Unclear
from formation_portal.gateway.records import EntityRecord

from .. import timing
from ..models import OTHER_STATUS, Conclusion, Delivery, DeliveryState, Look, Reason, ResourceKind
from ..service_profile import Capabilities, Profile
from ..sync import acknowledge, requeue
from .bodies import matches
from .outcomes import CallOutcome
from .routes import COLLECTIONS, CREATE, Claim, id_names, sent_action

logger = logging.getLogger(__name__)


class Strategy(StrEnum):
    REPEAT = "repeat"  # send it again, which is harmless there
    LOOK_UP = "look"  # read the service's records
    HOLD = "hold"  # wait for an agent's decision


def strategy_for(row: Delivery, capabilities: Capabilities) -> Strategy:
    """Return the strategy that the service's capabilities allow for a row in doubt (design, "Relay")."""
    kind = row.resource_kind
    honours_keys = capabilities.honours_keys
    if row.is_transition:
        # A transition changes whatever status the entity then has, so it is only repeated if the service honours keys.
        # If it was refused, or is no longer wanted, the entity's status is read instead.
        may_repeat = honours_keys and row.repeats < timing.KEYED_REPEATS
        if may_repeat and row.reason != Reason.STATE_CONFLICT and row.wanted == row.sent:
            return Strategy.REPEAT
        return Strategy.LOOK_UP
    # Any call but a create has the same result twice as once. csp-data is sent whole to a service that is not known to
    # merge it.
    if kind.is_csp or (sent_action(row) != CREATE and kind is not ResourceKind.DOCUMENT):
        return Strategy.REPEAT
    is_replaced = kind is ResourceKind.DOCUMENT and capabilities.replaces_documents
    if not (honours_keys or is_replaced):
        if kind in capabilities.lists:
            return Strategy.LOOK_UP
        if kind not in capabilities.refuses_repeats:
            return Strategy.HOLD
    most = timing.KEYED_REPEATS if honours_keys else timing.REPEATS
    if row.repeats < most:
        return Strategy.REPEAT
    return Strategy.HOLD


_READINGS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """The number of records in the service's list, and the ids of those that match the create in doubt.

    `is_certain`: these records have our client_reference; otherwise they are only alike.
    """

    records: int
    matches: tuple[str, ...]
    is_certain: bool = False


def look_up(claim: Claim) -> Evidence:
    """Read the service's list until two readings are equal, and return the evidence in it. Raises GatewayError."""
    records = _read_list(claim)
    for _ in range(_READINGS - 1):
        earlier = records
        records = _read_list(claim)
        if records == earlier:
            break
    else:
        raise Unclear("The list changed each time it was read")
    body = claim.expected_record()
    reference = body.get("client_reference")
    named = []
    alike = []
    for record in records:
        other = record.get("client_reference")
        if reference and other == reference:
            named.append(record)
        elif not (other and isinstance(other, str)) and matches(claim.kind, body, record):
            alike.append(record)
    if named:
        return Evidence(len(records), _ids(claim.kind, named), is_certain=True)
    return Evidence(len(records), _ids(claim.kind, alike))


def listed_ids(claim: Claim) -> tuple[str, ...]:
    """Return the IDs of all records of the claimed kind that the service lists. Raises GatewayError."""
    return _ids(claim.kind, _read_list(claim))


def _ids(kind: ResourceKind, records: Collection[Mapping[str, Any]]) -> tuple[str, ...]:
    # Other ids in a record are those of records that it refers to.
    names = id_names(kind)
    ids: dict[str, None] = {}
    for record in records:
        remote_id = next((record[name] for name in names if record.get(name)), None)
        if isinstance(remote_id, str) and len(remote_id) <= MAX_ID_LENGTH:
            ids[remote_id] = None
    return tuple(ids)


def _read_list(claim: Claim) -> list[dict[str, Any]]:
    if claim.kind is ResourceKind.ENTITY:
        # A service may ignore the filter, so the reference is compared again.
        return claim.service.entities(client_reference=str(claim.sent.get("client_reference") or ""))
    return claim.service.records(claim.entity_id, COLLECTIONS[claim.kind])


def reconcile(row: Delivery, evidence: Evidence | CallOutcome, *, profile: Profile, now: datetime) -> None:
    if isinstance(evidence, CallOutcome):
        conclusion = _not_readable(row, evidence, now=now)
        Look.objects.create(delivery=row, conclusion=conclusion, request_id=evidence.request_id)
        return
    rows = Delivery.objects.filter(kind=row.kind, remote_id__in=evidence.matches)
    bound = set(rows.values_list("remote_id", flat=True))
    unbound = [remote_id for remote_id in evidence.matches if remote_id not in bound]
    if row.recheck and row.unclear_since is None:
        conclusion = _recheck(row, unbound, profile, now)
    else:
        conclusion = _resolve_doubt(row, unbound, evidence, profile, now)
    Look.objects.create(delivery=row, records=evidence.records, matches=unbound, conclusion=conclusion)


def _resolve_doubt(row: Delivery, unbound: Collection[str], evidence: Evidence, profile: Profile, now: datetime) -> str:
    if not unbound:
        return _not_found(row, profile, now)
    if len(unbound) > 1 or (_has_doubtful_siblings(row) and not evidence.is_certain):
        hold(row, Reason.AMBIGUOUS)
        return Conclusion.SEVERAL_MATCHES
    [row.remote_id] = unbound
    acknowledge(row)
    if row.state == DeliveryState.QUEUED:
        row.next_at = now
    elif row.recheck:
        row.next_at = now + profile.settle_time
    return Conclusion.BOUND


def _not_found(row: Delivery, profile: Profile, now: datetime) -> str:
    """Schedule another lookup or, after enough lookups, another call; hold the row after enough calls."""
    row.looks += 1
    if row.looks < timing.LOOKUPS:
        row.state = DeliveryState.UNKNOWN
        row.next_at = now + profile.settle_time
    elif row.repeats < timing.REPEATS:
        # The call certainly did not arrive, so the row is sent as if for the first time.
        _send_again(row, now)
    else:
        hold(row, Reason.UNCLEAR)
    return Conclusion.NOT_FOUND


def _send_again(row: Delivery, now: datetime) -> None:
    row.state = DeliveryState.WAITING
    row.reason = Reason.RESEND
    row.next_at = now
    row.unclear_since = None


def _recheck(row: Delivery, unbound: Collection[str], profile: Profile, now: datetime) -> str:
    row.state = DeliveryState.DONE
    if _has_doubtful_siblings(row):
        row.next_at = now + profile.settle_time
        return Conclusion.UNREADABLE
    row.recheck = False
    row.next_at = None
    if not unbound:
        return Conclusion.AS_WANTED
    row.reason = Reason.DUPLICATE
    logger.error("Delivery %s: the service has %s duplicates", row.pk, len(unbound))
    return Conclusion.DUPLICATES


def _not_readable(row: Delivery, outcome: CallOutcome, *, now: datetime) -> str:
    is_recheck = row.recheck and row.unclear_since is None
    row.state = DeliveryState.DONE if is_recheck else DeliveryState.UNKNOWN
    row.attempts += 1
    row.next_at = now + timing.backoff(row.attempts, at_least=outcome.retry_after)
    if outcome.reason not in (Reason.UNSUPPORTED, "not_found"):
        return Conclusion.UNREADABLE
    if is_recheck:
        row.recheck = False
        row.next_at = None
    else:
        hold(row, hold_reason(row))
    return Conclusion.NO_LIST


def _has_doubtful_siblings(row: Delivery) -> bool:
    """Tell whether another row of the kind is in doubt: a matching record may belong to that row."""
    siblings = Delivery.objects.filter(application_id=row.application_id, kind=row.kind).exclude(pk=row.pk)
    return any(not sibling.is_settled and not sibling.remote_id for sibling in siblings)


def hold_reason(row: Delivery) -> str:
    """Return the reason to hold a row that no record resolves: STATE_CONFLICT if surely refused, else UNCLEAR."""
    if row.reason == Reason.STATE_CONFLICT and row.unclear_since is None:
        return Reason.STATE_CONFLICT
    return Reason.UNCLEAR


def hold(row: Delivery, reason: str) -> None:
    row.hold(reason)
    logger.error("Delivery %s is held: the service's records are inconclusive: %s", row.pk, reason)


def read_entity(claim: Claim) -> EntityRecord:
    record = claim.service.entity(claim.entity_id)
    claim.check_entity(record)
    return EntityRecord.read(record)


def reconcile_transition(row: Delivery, record: EntityRecord, *, profile: Profile, now: datetime) -> None:
    conclusion = _resolve(row, record, profile, now)
    if row.state == DeliveryState.HELD and row.wanted != row.sent:
        # The transition is no longer wanted: the application was withdrawn, or came back to the customer.
        row.state = DeliveryState.QUEUED
        row.unclear_since = None
        requeue(row)
    Look.objects.create(delivery=row, records=1, conclusion=conclusion)


def _resolve(row: Delivery, record: EntityRecord, profile: Profile, now: datetime) -> str:
    if row.resource_kind is ResourceKind.SUBMISSION and record.awaits_payment:
        # The service has the submission, and carries it out once the customer has paid.
        acknowledge(row)
        return Conclusion.AS_WANTED
    is_known = record.status in list(State)
    if not record.status or (not is_known and row.wanted != row.sent):
        hold(row, hold_reason(row))
        return Conclusion.UNKNOWN_STATUS
    if not is_known:
        # The service may have states of its own between two known ones.
        row.looks += 1
        row.state = DeliveryState.UNKNOWN
        row.next_at = now + timing.lookup_pause(row.looks)
        return Conclusion.UNKNOWN_STATUS
    state = State(record.status)
    if _is_applied(row, state):
        acknowledge(row)
        return Conclusion.AS_WANTED
    if state in _source_states(_target(row)):
        _not_applied(row, profile, now)
    else:
        hold(row, Reason.STATE_CONFLICT)
    return OTHER_STATUS + state


def _not_applied(row: Delivery, profile: Profile, now: datetime) -> None:
    """Schedule another reading of the status; after enough readings, send the transition again or hold it."""
    in_vain = row.repeats - timing.REPEATS
    row.looks += 1
    if row.looks < timing.LOOKUPS:
        wait = timing.lookup_pause(in_vain) if in_vain > 0 else profile.settle_time
        row.state = DeliveryState.UNKNOWN
        row.next_at = now + wait
    elif row.reason == Reason.STATE_CONFLICT and in_vain >= 0:
        # The service surely refuses the transition from that status.
        hold(row, Reason.STATE_CONFLICT)
    else:
        _send_again(row, now)
        # Under the old key the service would only repeat its answer.
        row.key = ""


def _is_applied(row: Delivery, state: State) -> bool:
    target = _target(row)
    if state not in _source_states(target):
        return state in _reached_states(target)
    # If the service has acknowledged no other submission, the returned submission was this one.
    is_submission = row.resource_kind is ResourceKind.SUBMISSION
    if state is not State.RETURNED_FOR_CHANGES or not is_submission or row.acknowledged is not None:
        return False
    others = Delivery.objects.filter(application_id=row.application_id, kind=ResourceKind.SUBMISSION).exclude(pk=row.pk)
    return not others.exclude(acknowledged=None).exists()


def _target(row: Delivery) -> State:
    return State((row.sent or {}).get("status", State.SUBMITTED_FOR_REVIEW))


def _source_states(target: State) -> frozenset[State]:
    states: set[State] = set()
    for transition in TRANSITIONS.values():
        if transition.target is target and transition.is_sent:
            states.update(transition.sources)
    return frozenset(states)


def _reached_states(target: State) -> frozenset[State]:
    """Return the state itself, and all states that agents can reach from it."""
    states = {target}
    for transition in TRANSITIONS.values():
        if transition.by == AGENT and transition.is_sent and target in transition.sources:
            states |= _reached_states(transition.target)
    return frozenset(states)
