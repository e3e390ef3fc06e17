"""What became of a call in doubt: found out from the service's own records, without an agent where that is possible.

The records that may be ours are counted, since the same person may rightly be there twice: the row is bound to one,
looked up again, sent again, or held for an agent. A transition was done, by us or by the service's own staff, where the
entity has the wanted status, or one that agents lead to from there; it is read again, ever more rarely, until that is
known. Rows are changed inside the transaction that records the result.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State
from formation_portal.gateway.errors import MAX_ID_LENGTH, Unclear
from formation_portal.gateway.records import EntityRecord

from .. import timing
from ..models import (
    AMBIGUOUS,
    DUPLICATE,
    RESEND,
    STATE_CONFLICT,
    UNCLEAR,
    UNSUPPORTED,
    Delivery,
    DeliveryState,
    Look,
    ResourceKind,
)
from ..service_profile import Capabilities, Profile
from ..sync import requeue
from .bodies import matches
from .outcomes import CallOutcome
from .routes import CREATE, Claim, sent_action

logger = logging.getLogger(__name__)


class Strategy(StrEnum):
    """How to find out whether a call arrived, or why that doesn't matter."""

    REPEAT = "repeat"  # the same again: harmless there
    LOOK_UP = "look"  # read the service's records
    HOLD = "hold"  # an agent has to find out


def strategy_for(row: Delivery, capabilities: Capabilities) -> Strategy:
    """The strictest strategy for a row in doubt that the service's capabilities allow: a pure choice (design,
    "Relay")."""
    kind, honours_keys = row.resource_kind, capabilities.honours_keys
    if row.is_transition:
        # It changes whatever status the entity has by then, so it is only repeated under a key that counts. One that
        # the service refuses, or that is no longer wanted, is not repeated at all: the entity's status is read.
        may_repeat = honours_keys and row.repeats < timing.KEYED_REPEATS
        is_same = row.reason != STATE_CONFLICT and row.wanted == row.sent
        return Strategy.REPEAT if may_repeat and is_same else Strategy.LOOK_UP
    # The same twice is the same once by nature: anything but making a new record. csp-data goes out whole to a service
    # that is not known to merge it.
    if kind.is_csp or (sent_action(row) != CREATE and kind is not ResourceKind.DOCUMENT):
        return Strategy.REPEAT
    is_replaced = kind is ResourceKind.DOCUMENT and capabilities.replaces_documents
    if not (honours_keys or is_replaced):
        if kind in capabilities.lists:
            return Strategy.LOOK_UP
        if kind not in capabilities.refuses_repeats:
            return Strategy.HOLD
    most = timing.KEYED_REPEATS if honours_keys else timing.REPEATS
    return Strategy.REPEAT if row.repeats < most else Strategy.HOLD


Records = list[dict[str, Any]]

_READINGS = 5
# The members in which a record's own id may be; other ids in it are those of what it refers to.
_ID_NAMES: Mapping[ResourceKind, tuple[str, ...]] = {
    ResourceKind.ENTITY: ("id", "entity_id"),
    ResourceKind.PARTY: ("party_id", "id"),
    ResourceKind.SHARE_CLASS: ("id", "share_class_id"),
    ResourceKind.SHAREHOLDING: ("id", "shareholding_id"),
    ResourceKind.DOCUMENT: ("id", "document_id"),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the service's list shows: how many records, and the ids of those that agree with what was sent.

    `is_certain`: the match is by our own reference, not by likeness.
    """

    records: int
    matches: tuple[str, ...]
    is_certain: bool = False


def look_up(claim: Claim) -> Evidence:
    """The evidence about what a create may have made. Raises GatewayError where no list can be read.

    It is read until two readings are equal, so that nobody concludes from a list that is just changing.
    """
    records = _READERS[claim.kind](claim)
    for _ in range(_READINGS - 1):
        earlier, records = records, _READERS[claim.kind](claim)
        if records == earlier:
            break
    else:
        raise Unclear("The list changed each time it was read")
    body = claim.expected_record()
    reference = body.get("client_reference")
    if reference and (named := [record for record in records if record.get("client_reference") == reference]):
        return Evidence(len(records), _ids(claim.kind, named), is_certain=True)
    alike = []
    for record in records:
        shown = record.get("client_reference")
        has_another = isinstance(shown, str) and shown not in ("", reference)
        if not has_another and matches(claim.kind, body, record):
            alike.append(record)
    return Evidence(len(records), _ids(claim.kind, alike))


def listed_ids(claim: Claim) -> tuple[str, ...]:
    """Return the IDs of all records of the claimed kind that the service lists. Raises GatewayError."""
    return _ids(claim.kind, _READERS[claim.kind](claim))


def _ids(kind: ResourceKind, records: Collection[Mapping[str, Any]]) -> tuple[str, ...]:
    found = (next((record[name] for name in _ID_NAMES[kind] if record.get(name)), None) for record in records)
    return tuple(dict.fromkeys(one for one in found if isinstance(one, str) and len(one) <= MAX_ID_LENGTH))


_READERS: Mapping[ResourceKind, Callable[[Claim], Records]] = {
    # A service may ignore the filter, so the reference is compared again.
    ResourceKind.ENTITY: lambda claim: claim.service.entities(
        client_reference=str(claim.sent.get("client_reference") or "")
    ),
    ResourceKind.PARTY: lambda claim: claim.service.parties(claim.entity_id),
    ResourceKind.SHARE_CLASS: lambda claim: claim.service.share_classes(claim.entity_id),
    ResourceKind.SHAREHOLDING: lambda claim: claim.service.shareholdings(claim.entity_id),
    ResourceKind.DOCUMENT: lambda claim: claim.service.documents(claim.entity_id),
}


BOUND, NOT_FOUND, SEVERAL_MATCHES, NO_LIST, UNREADABLE, AS_WANTED = (
    "bound",
    "not there",
    "several may be it",
    "no list to read",
    "could not be read",
    "as it should be",
)


def reconcile(row: Delivery, found: Evidence | CallOutcome, *, profile: Profile, now: datetime) -> None:
    """Update the row as the evidence allows, and keep what was found."""
    unbound: tuple[str, ...] = ()
    if isinstance(found, CallOutcome):
        conclusion = _not_readable(row, found, now=now)
        records, request_id = 0, found.request_id
    else:
        rows = Delivery.objects.filter(kind=row.kind, remote_id__in=found.matches)
        bound = set(rows.values_list("remote_id", flat=True))
        # The matching ids that belong to nothing here.
        unbound = tuple(one for one in found.matches if one not in bound)
        records, request_id = found.records, ""
        resolve = _recheck if row.recheck and row.unclear_since is None else _resolve_doubt
        conclusion = resolve(row, unbound, found, profile, now)
    Look.objects.create(
        delivery=row, records=records, matches=list(unbound), conclusion=conclusion, request_id=request_id
    )


def _resolve_doubt(row: Delivery, unbound: Collection[str], found: Evidence, profile: Profile, now: datetime) -> str:
    if not unbound:
        return _not_found(row, profile, now)
    if len(unbound) > 1 or (_doubtful_siblings(row) and not found.is_certain):
        hold(row, AMBIGUOUS)
        return SEVERAL_MATCHES
    [row.remote_id] = unbound
    row.acknowledged, row.state, row.unclear_since = row.sent, DeliveryState.DONE, None
    requeue(row)
    row.next_at = now if row.state == DeliveryState.QUEUED else now + profile.settle_time if row.recheck else None
    return BOUND


def _not_found(row: Delivery, profile: Profile, now: datetime) -> str:
    """Look it up once more, then send it once more; after so many of both in vain it is held."""
    row.looks += 1
    if row.looks < timing.LOOKUPS:
        row.state, row.next_at = DeliveryState.UNKNOWN, now + profile.settle_time
    elif row.repeats < timing.REPEATS:
        # It is certain that nothing arrived, as if it had never been sent.
        row.state, row.reason, row.next_at, row.unclear_since = DeliveryState.WAITING, RESEND, now, None
    else:
        hold(row, UNCLEAR)
    return NOT_FOUND


def _recheck(row: Delivery, unbound: Collection[str], found: Evidence, profile: Profile, now: datetime) -> str:
    """It was created anew after a call in doubt: has that call created it after all?"""
    row.state = DeliveryState.DONE
    if _doubtful_siblings(row):
        row.next_at = now + profile.settle_time
        return UNREADABLE
    row.recheck, row.next_at = False, None
    if not unbound:
        return AS_WANTED
    row.reason = DUPLICATE
    logger.error("Delivery %s: the service has %s duplicates", row.pk, len(unbound))
    return DUPLICATE


def _not_readable(row: Delivery, outcome: CallOutcome, *, now: datetime) -> str:
    is_recheck = row.recheck and row.unclear_since is None
    row.state = DeliveryState.DONE if is_recheck else DeliveryState.UNKNOWN
    row.attempts += 1
    row.next_at = now + timing.backoff(row.attempts, at_least=outcome.retry_after)
    if outcome.reason not in (UNSUPPORTED, "not_found"):
        return UNREADABLE
    if is_recheck:
        row.recheck, row.next_at = False, None
    else:
        hold(row, hold_reason(row))
    return NO_LIST


def _doubtful_siblings(row: Delivery) -> bool:
    """Whether the service may have others of the kind that nobody here knows the ids of."""
    siblings = Delivery.objects.filter(application_id=row.application_id, kind=row.kind).exclude(pk=row.pk)
    return any(not one.is_settled and not one.remote_id for one in siblings)


def hold_reason(row: Delivery) -> str:
    """Why a row is held of which nothing can be read: only what was never in doubt was surely refused."""
    return STATE_CONFLICT if row.reason == STATE_CONFLICT and row.unclear_since is None else UNCLEAR


def hold(row: Delivery, reason: str) -> None:
    """Leave it to an agent."""
    row.state, row.reason, row.next_at = DeliveryState.HELD, reason, None
    logger.error("Delivery %s is held: the service's records are inconclusive: %s", row.pk, reason)


UNKNOWN_STATUS, OTHER_STATUS = "no state that we know", "it stands at {state}"


def read_entity(claim: Claim) -> EntityRecord:
    """Read the service's record of the entity. Raises GatewayError."""
    record = claim.service.entity(claim.entity_id)
    if record.get("id") not in (None, claim.entity_id):
        raise Unclear("The answer is for a different record")
    return EntityRecord.read(record)


def reconcile_transition(row: Delivery, record: EntityRecord, *, profile: Profile, now: datetime) -> None:
    """Update the row as the entity's status allows, and keep what was found."""
    conclusion = _resolve(row, record, profile, now)
    if row.state == DeliveryState.HELD and row.wanted != row.sent:
        # It is no longer wanted: the application was withdrawn, or came back to the customer.
        row.state, row.unclear_since = DeliveryState.QUEUED, None
        requeue(row)
    Look.objects.create(delivery=row, records=1, matches=[], conclusion=conclusion)


def _resolve(row: Delivery, record: EntityRecord, profile: Profile, now: datetime) -> str:
    # None: a status that the lifecycle doesn't know.
    state = next((state for state in State if state == record.status), None)
    if row.resource_kind is ResourceKind.SUBMISSION and record.awaits_payment:
        # The service has the submission, and carries it out once the customer has paid.
        row.acknowledged, row.unclear_since = row.sent, None
        requeue(row)
        return AS_WANTED
    if not record.status or (state is None and row.wanted != row.sent):
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
        source
        for transition in TRANSITIONS.values()
        if transition.target is target and transition.is_sent
        for source in transition.sources
    )


def _reached_states(target: State) -> frozenset[State]:
    """The state itself, and those that agents lead to from it."""
    further = [
        _reached_states(transition.target)
        for transition in TRANSITIONS.values()
        if transition.by == AGENT and transition.is_sent and target in transition.sources
    ]
    return frozenset({target}).union(*further)
