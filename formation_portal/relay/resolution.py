"""Queue the deliveries that need an agent, and record the agents' decisions about them (design, "Relay")."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from formation_portal.applications.access import refuse_own_applications
from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.gateway.errors import MAX_ID_LENGTH

from .calls.bodies import is_id_of_another_kind
from .models import TRANSITION_KINDS, Attempt, Decision, Delivery, DeliveryState, Reason, ResourceKind
from .sync import forget_dependents, requeue
from .wake import RELAY

logger = logging.getLogger(__name__)

NOTE_LIMIT = 1000
ID_IN_USE = "Check the ID. Another record here already has it"
# Kinds for which the interface promises no id in the answer (INTERFACE.md, "Shareholdings", "Documents").
_MAY_LACK_AN_ID = (ResourceKind.SHAREHOLDING, ResourceKind.DOCUMENT)


class DecisionRefused(Exception):
    """Raised when no decision was recorded. The message says what to do; `field` names the form control concerned."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class DecisionOutdated(DecisionRefused):
    """Raised when the delivery has changed since the agent read it: another agent decided, or the service answered."""

    def __init__(self) -> None:
        super().__init__(
            "This changed after you opened it, so your decision was not recorded. Check its current status"
        )


def may_lack_id(kind: ResourceKind) -> bool:
    """Tell whether the service may have a record of this kind without ever telling us its id."""
    return kind in _MAY_LACK_AN_ID or not kind.has_id


def clean_remote_id(row: Delivery, text: str) -> str:
    """Return the id as typed, without blanks around it; "" if the kind has none. Raises DecisionRefused."""
    remote_id = text.strip()
    if not row.resource_kind.has_id:
        return ""
    if not remote_id and not may_lack_id(row.resource_kind):
        raise DecisionRefused("Enter the ID that the formation service gave you", field="remote_id")
    if len(remote_id) > MAX_ID_LENGTH or " " in remote_id or not remote_id.isprintable():
        problem = f"Enter an ID of up to {MAX_ID_LENGTH} characters, without spaces"
        raise DecisionRefused(problem, field="remote_id")
    if is_id_of_another_kind(row.resource_kind, remote_id):
        raise DecisionRefused("Check the ID. It looks like the ID of a different kind of record", field="remote_id")
    if remote_id and Delivery.objects.filter(kind=row.kind, remote_id=remote_id).exclude(pk=row.pk).exists():
        raise DecisionRefused(ID_IN_USE, field="remote_id")
    return remote_id


def clean_note(text: str) -> str:
    note = text.replace("\r\n", "\n").strip()
    if len(note) > NOTE_LIMIT or not note.replace("\n", "").replace("\t", "").isprintable():
        raise DecisionRefused(f"Use {NOTE_LIMIT:,} plain characters or fewer", field="note")
    return note


_DUPLICATE = Q(state=DeliveryState.DONE, reason=Reason.DUPLICATE)
# Held rows that wait for a decision. Every held transition does, since later ones can't be sent before it.
_IS_OPEN = Q(reason__in=(Reason.UNCLEAR, Reason.AMBIGUOUS)) | Q(kind__in=TRANSITION_KINDS)
UNDECIDED = Q(state=DeliveryState.HELD) & _IS_OPEN | _DUPLICATE
# The rows that the service has no call for, so that an agent has to inform the provider by hand.
TO_INFORM = Q(state__in=(DeliveryState.HELD, DeliveryState.DONE), reason=Reason.UNSUPPORTED) & ~UNDECIDED


def _is_duplicated(row: Delivery) -> bool:
    return row.state == DeliveryState.DONE and row.reason == Reason.DUPLICATE


def is_undecided(row: Delivery) -> bool:
    return row.needs_a_decision or _is_duplicated(row)


def must_inform_provider(row: Delivery) -> bool:
    """Tell whether an agent has to inform the provider by hand, since the service has no call for the change."""
    return (
        row.reason == Reason.UNSUPPORTED
        and row.state in (DeliveryState.HELD, DeliveryState.DONE)
        and not is_undecided(row)
    )


def may_inform_provider(row: Delivery) -> bool:
    """Tell whether an agent may record that the provider was informed by hand: only if no call is in doubt."""
    waits_for_file = row.state == DeliveryState.WAITING and row.reason == Reason.FILE_MISSING
    is_held = row.state == DeliveryState.HELD and not is_undecided(row)
    return must_inform_provider(row) or is_held or waits_for_file


# A delivery held for one of these reasons may have been processed, or would fail again.
_NEVER_SENT_AGAIN = frozenset(
    {Reason.UNCLEAR, Reason.AMBIGUOUS, Reason.UNSUPPORTED, Reason.FILE_MISSING, Reason.KEY_REUSED}
)


def may_send_again(row: Delivery) -> bool:
    """Return whether the service surely did not process the last call, so that an agent may repeat it unchanged."""
    if row.state == DeliveryState.REFUSED:
        return not (row.is_transition and row.application.is_open)
    return row.state == DeliveryState.HELD and row.unclear_since is None and row.reason not in _NEVER_SENT_AGAIN


def send_again(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """Send a refused or held delivery again, under a new key. Raises DecisionRefused."""
    with _locked_for_decision(delivery_id, Decision.Kind.SEND_AGAIN, agent=agent, seen_at=seen_at) as row:
        return _record(row, agent, Decision.Kind.SEND_AGAIN, note=clean_note(note))


def bind(
    delivery_id: int, *, agent: AbstractBaseUser, remote_id: str, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """Record that the service has the resource, as it was sent, under this id. Raises DecisionRefused.

    `seen_at` is the row's `updated_at` when the agent read it. Raises DecisionOutdated if the row has changed since.
    """
    with _locked_for_decision(delivery_id, Decision.Kind.BIND, agent=agent, seen_at=seen_at) as row:
        remote_id = clean_remote_id(row, remote_id)
        if _is_duplicated(row) and remote_id != row.remote_id:
            forget_dependents(row)
        if row.state == DeliveryState.HELD and row.sent is not None:
            row.acknowledged = row.sent
        row.remote_id = remote_id or row.remote_id
        row.state = DeliveryState.DONE
        return _record(row, agent, Decision.Kind.BIND, note=clean_note(note), remote_id=remote_id)


def declare_absent(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """Record that the service lacks the last sent payload, and send that once more under a new key."""
    with _locked_for_decision(delivery_id, Decision.Kind.ABSENT, agent=agent, seen_at=seen_at) as row:
        if _is_duplicated(row):
            row.acknowledged = None
            forget_dependents(row)
        if row.acknowledged is None:
            row.remote_id = ""
        row.state = DeliveryState.QUEUED
        return _record(row, agent, Decision.Kind.ABSENT, note=clean_note(note))


def record_provider_informed(
    delivery_id: int,
    *,
    agent: AbstractBaseUser,
    note: str,
    remote_id: str = "",
    also: Collection[int] = (),
    seen_at: datetime | None = None,
) -> Decision:
    """Record that the provider was informed by hand: the row counts as received. Raises DecisionRefused.

    The note says who was informed and how. `remote_id` is required if the service never had the resource. `also` are
    the ids of other steps of the application (`steps_to_inform`) about which the provider was informed too.
    """
    with _locked_for_decision(delivery_id, Decision.Kind.PROVIDER_INFORMED, agent=agent, seen_at=seen_at) as row:
        note = clean_note(note)
        if not note:
            raise DecisionRefused("Enter who you informed, and how", field="note")
        remote_id = clean_remote_id(row, remote_id) if row.acknowledged is None else row.remote_id
        for step in steps_to_inform(row).select_for_update().filter(pk__in=also):
            _inform(step, agent, note=note, remote_id="")
        return _inform(row, agent, note=note, remote_id=remote_id)


def steps_to_inform(row: Delivery) -> QuerySet[Delivery]:
    steps = Delivery.objects.filter(TO_INFORM, application_id=row.application_id, kind__in=TRANSITION_KINDS)
    return steps.exclude(pk=row.pk).order_by("position", "pk")


def _inform(row: Delivery, agent: AbstractBaseUser, *, note: str, remote_id: str) -> Decision:
    row.acknowledged = row.wanted
    row.remote_id = remote_id
    if row.wanted is None:
        row.remote_id = ""
        forget_dependents(row)
    return _record(row, agent, Decision.Kind.PROVIDER_INFORMED, note=note, remote_id=row.remote_id)


@contextmanager
def _locked_for_decision(
    delivery_id: int, kind: Decision.Kind, *, agent: AbstractBaseUser, seen_at: datetime | None
) -> Iterator[Delivery]:
    """Lock a delivery's application, then the delivery. Raises DecisionOutdated, or OwnApplication for its owner."""
    with transaction.atomic():
        of_row = Delivery.objects.filter(pk=delivery_id).values("application_id")
        Application.objects.select_for_update().get(pk__in=of_row)
        row = Delivery.objects.select_for_update().select_related("application").get(pk=delivery_id)
        refuse_own_applications([row.application_id], agent=agent.pk)
        is_open = is_undecided(row)
        if kind == Decision.Kind.SEND_AGAIN:
            is_open = may_send_again(row)
        elif kind == Decision.Kind.PROVIDER_INFORMED:
            is_open = may_inform_provider(row)
        if not is_open or (seen_at is not None and seen_at != row.updated_at):
            raise DecisionOutdated
        yield row


def _record(row: Delivery, agent: AbstractBaseUser, kind: Decision.Kind, *, note: str, remote_id: str = "") -> Decision:
    """Store the decision. Make the row due if it is to be sent again, and the queued rows that waited for it."""
    now = timezone.now()
    requeue(row)
    informed_payload: Any = None
    if kind == Decision.Kind.PROVIDER_INFORMED:
        row.reason = Reason.PROVIDER_INFORMED
        informed_payload = row.wanted
    row.looks = 0
    row.recheck = False
    row.unclear_since = None
    if row.state == DeliveryState.QUEUED:
        row.next_at = now
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        # Another application has taken the same id in the same moment; the database lets only one have it.
        raise DecisionRefused(ID_IN_USE, field="remote_id") from error
    Delivery.objects.filter(application=row.application, state=DeliveryState.QUEUED, next_at=None).update(next_at=now)
    decision = Decision.objects.create(
        delivery=row,
        agent_id=agent.pk,
        kind=kind,
        remote_id=remote_id,
        note=note,
        informed_payload=informed_payload,
    )
    logger.info(
        "Delivery %s (%s of %s): agent %s decided %s", row.pk, row.kind, row.application.reference, agent.pk, kind.value
    )
    RELAY.wake_after_commit()
    chain.append(
        AuditAction.DECISION,
        by=agent,
        application=row.application,
        subject=f"delivery {row.pk}",
        rows=[decision],
        decision=decision.pk,
        said=kind,
    )
    return decision


# A call whose lease has run out is in doubt; the worker records that on its next round.
_LEFT_SENDING = Q(state=DeliveryState.SENDING, lease_until__lte=Now())
# The queue's groups with their labels. Duplicates are also in "undecided"; no other row is in two groups.
_GROUPS: Mapping[str, tuple[str, Q]] = {
    "undecided": ("To decide", UNDECIDED),
    "duplicates": ("Duplicates", _DUPLICATE),
    "unknown": ("Being checked", Q(state__in=(DeliveryState.UNKNOWN, DeliveryState.RECONCILING)) | _LEFT_SENDING),
    "by_hand": ("Inform the service", TO_INFORM),
    "held": ("Held", Q(state=DeliveryState.HELD) & ~UNDECIDED & ~TO_INFORM),
    "refused": ("Not accepted", Q(state=DeliveryState.REFUSED)),
    "waiting": ("Waiting", Q(state=DeliveryState.WAITING)),
}
_IN_ANY_GROUP = reduce(or_, (condition for _, condition in _GROUPS.values()))


def deliveries_in(group: str = "") -> QuerySet[Delivery]:
    """Return the rows of one of the `queue_groups`, by default of all, the oldest problem (`since`) first."""
    _, condition = _GROUPS.get(group, ("", _IN_ANY_GROUP))
    first_try = Attempt.objects.filter(delivery=OuterRef("pk"), key=OuterRef("key")).order_by("pk")
    since = Coalesce("unclear_since", Subquery(first_try.values("started_at")[:1]), "updated_at")
    rows = Delivery.objects.filter(condition).select_related("application").prefetch_related("calls")
    return rows.annotate(since=since).order_by("since", "pk")


def queue_groups() -> tuple[tuple[str, str, int], ...]:
    """Return name in URLs, label and number of rows for the whole queue, then for each group. One database query."""
    groups = {"": ("All", _IN_ANY_GROUP), **_GROUPS}
    counts = Delivery.objects.aggregate(
        **{f"in_{name}": Count("pk", filter=condition) for name, (_, condition) in groups.items()}
    )
    return tuple((name, label, counts[f"in_{name}"]) for name, (label, _) in groups.items())


def unresolved_deliveries() -> QuerySet[Delivery]:
    """Return the deliveries that wait for an agent: held, duplicated, or to be told to the provider by hand."""
    return Delivery.objects.filter(UNDECIDED | TO_INFORM | Q(state=DeliveryState.HELD))
