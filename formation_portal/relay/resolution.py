"""The deliveries that need an agent: their queue, and what agents decide about them (design, "Relay").

That is: the service has it, does not have it, should get it again unchanged, or was informed by hand. One transaction
changes the row and keeps the decision; the worker does the rest.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
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
from .models import (
    AMBIGUOUS,
    DUPLICATE,
    FILE_MISSING,
    KEY_REUSED,
    PROVIDER_INFORMED,
    UNCLEAR,
    UNSUPPORTED,
    Attempt,
    Decision,
    Delivery,
    DeliveryState,
    ResourceKind,
)
from .sync import forget_dependents, requeue
from .wake import RELAY

logger = logging.getLogger(__name__)

NOTE_LIMIT = 1000
ID_IN_USE = "Check the ID. Another record here already has it"
# The interface promises no id in the answer to these (interface, "Shareholding", "Document upload").
_MAY_LACK_AN_ID = (ResourceKind.SHAREHOLDING, ResourceKind.DOCUMENT)


class DecisionRefused(Exception):
    """Nothing has changed; the message says what to do, `field` names the control that it belongs to."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class DecisionOutdated(DecisionRefused):
    """The delivery has changed since the agent read it: somebody else decided, or the service answered."""

    def __init__(self) -> None:
        super().__init__(
            "This changed after you opened it, so your decision was not recorded. Check its current status"
        )


def has_id(kind: ResourceKind) -> bool:
    """Whether the service gives such a thing an id of its own at all."""
    return not (kind.is_csp or kind.is_transition)


def may_lack_id(kind: ResourceKind) -> bool:
    """Whether it can be there without an id that we would know."""
    return kind in _MAY_LACK_AN_ID or not has_id(kind)


def clean_remote_id(row: Delivery, text: str) -> str:
    """The id as typed, without blanks around it; empty where the thing has none. Raises DecisionRefused."""
    chosen = text.strip()
    if not has_id(row.resource_kind):
        return ""
    if not chosen and not may_lack_id(row.resource_kind):
        raise DecisionRefused("Enter the ID that the formation service gave you", field="remote_id")
    if len(chosen) > MAX_ID_LENGTH or any(letter.isspace() or not letter.isprintable() for letter in chosen):
        problem = f"Enter an ID of up to {MAX_ID_LENGTH} characters, without spaces"
        raise DecisionRefused(problem, field="remote_id")
    if is_id_of_another_kind(row.resource_kind, chosen):
        raise DecisionRefused("Check the ID. It looks like the ID of a different kind of record", field="remote_id")
    if chosen and Delivery.objects.filter(kind=row.kind, remote_id=chosen).exclude(pk=row.pk).exists():
        raise DecisionRefused(ID_IN_USE, field="remote_id")
    return chosen


def clean_note(text: str) -> str:
    """The note as typed, with plain line ends. Raises DecisionRefused."""
    note = "\n".join(text.split("\r\n")).strip()
    if len(note) > NOTE_LIMIT or any(not letter.isprintable() and letter not in "\n\t" for letter in note):
        raise DecisionRefused(f"Use {NOTE_LIMIT:,} plain characters or fewer", field="note")
    return note


# The rows that wait for a decision. Any transition may: later ones can't be sent before it.
_TRANSITIONS = [kind for kind in ResourceKind if kind.is_transition]
_IS_OPEN = Q(reason__in=(UNCLEAR, AMBIGUOUS)) | Q(kind__in=_TRANSITIONS)
UNDECIDED = Q(state=DeliveryState.HELD) & _IS_OPEN | Q(state=DeliveryState.DONE, reason=DUPLICATE)
# The rows that the service has no call for, so that somebody has to inform the provider by hand.
TO_INFORM = Q(state__in=(DeliveryState.HELD, DeliveryState.DONE), reason=UNSUPPORTED) & ~UNDECIDED


def is_undecided(row: Delivery) -> bool:
    """Whether an agent may decide about the row."""
    return row.needs_a_decision or _is_duplicated(row)


def must_inform_provider(row: Delivery) -> bool:
    """Whether somebody has to inform the provider by hand, since the service has no call for it."""
    return row.reason == UNSUPPORTED and row.state in (DeliveryState.HELD, DeliveryState.DONE) and not is_undecided(row)


def may_inform_provider(row: Delivery) -> bool:
    """Whether an agent may record that the provider was informed by hand: also where it is held for another reason,
    if nothing of it is in doubt, or where a file can't be read."""
    waits_for_file = row.state == DeliveryState.WAITING and row.reason == FILE_MISSING
    is_held = row.state == DeliveryState.HELD and not is_undecided(row)
    return must_inform_provider(row) or is_held or waits_for_file


# Held for these reasons, a delivery may have been processed, or sending it again is in vain.
_NEVER_SENT_AGAIN = frozenset({UNCLEAR, AMBIGUOUS, UNSUPPORTED, FILE_MISSING, KEY_REUSED})


def may_send_again(row: Delivery) -> bool:
    """Return whether the service surely did not process the last call, so that an agent may repeat it unchanged.

    A refused submission that went back to the customer is sent by the customer.
    """
    if row.state == DeliveryState.REFUSED:
        return not (row.is_transition and row.application.is_open)
    return row.state == DeliveryState.HELD and row.unclear_since is None and row.reason not in _NEVER_SENT_AGAIN


def send_again(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """Send a delivery that was refused or held again, unchanged, under a new key.

    Raises DecisionOutdated where its outcome is unknown or it has changed, DecisionRefused.
    """
    with _locked_for_decision(delivery_id, may_send_again, agent=agent, seen_at=seen_at) as row:
        return _record(row, agent, Decision.Kind.SEND_AGAIN, note=clean_note(note))


def bind(
    delivery_id: int, *, agent: AbstractBaseUser, remote_id: str, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """It is there, under this id: counts as received as it was sent, and what has waited for its id goes on.

    `seen_at` is the row's `updated_at` when the agent read it. Raises DecisionOutdated where the row has changed since
    then, DecisionRefused where the id can't be its id.
    """
    with _locked_for_decision(delivery_id, is_undecided, agent=agent, seen_at=seen_at) as row:
        chosen = clean_remote_id(row, remote_id)
        if _is_duplicated(row) and chosen != row.remote_id:
            forget_dependents(row)
        if row.state == DeliveryState.HELD and row.sent is not None:
            row.acknowledged = row.sent
        row.remote_id = chosen or row.remote_id
        row.state = DeliveryState.DONE
        return _record(row, agent, Decision.Kind.BIND, note=clean_note(note), remote_id=chosen)


def declare_absent(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """What was sent last is not there: it is sent once more, under a new key. Raises DecisionOutdated, DecisionRefused.

    Where only a change of the thing was in doubt, the change is sent again.
    """
    with _locked_for_decision(delivery_id, is_undecided, agent=agent, seen_at=seen_at) as row:
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
    """The provider was informed by hand: counts as received as it is wanted, and what has waited for it goes on.

    The note says who was informed and how. `remote_id` is required where the service never had it. `also` are
    the numbers of other steps of the same application (`steps_to_inform`) of which the provider was informed as well.
    Raises DecisionOutdated, DecisionRefused.
    """
    with _locked_for_decision(delivery_id, may_inform_provider, agent=agent, seen_at=seen_at) as row:
        told = clean_note(note)
        if not told:
            raise DecisionRefused("Enter who you informed, and how", field="note")
        chosen = clean_remote_id(row, remote_id) if row.acknowledged is None else row.remote_id
        for step in steps_to_inform(row).select_for_update().filter(pk__in=also):
            _inform(step, agent, note=told, remote_id="")
        return _inform(row, agent, note=told, remote_id=chosen)


def steps_to_inform(row: Delivery) -> QuerySet[Delivery]:
    """The other steps of its application that the provider is to be informed of, in their order."""
    steps = Delivery.objects.filter(TO_INFORM, application_id=row.application_id, kind__in=_TRANSITIONS)
    return steps.exclude(pk=row.pk).order_by("position", "pk")


def _inform(row: Delivery, agent: AbstractBaseUser, *, note: str, remote_id: str) -> Decision:
    row.acknowledged, row.remote_id = row.wanted, remote_id
    if row.wanted is None:
        row.remote_id = ""
        forget_dependents(row)
    return _record(row, agent, Decision.Kind.PROVIDER_INFORMED, note=note, remote_id=row.remote_id)


@contextmanager
def _locked_for_decision(
    delivery_id: int, is_open: Callable[[Delivery], bool], *, agent: AbstractBaseUser, seen_at: datetime | None
) -> Iterator[Delivery]:
    """The row, locked after its application as the worker does it, while a decision about it is open. Raises
    OwnApplication where the agent would decide about their own."""
    with transaction.atomic():
        of_row = Delivery.objects.filter(pk=delivery_id).values("application_id")
        Application.objects.select_for_update().get(pk__in=of_row)
        row = Delivery.objects.select_for_update().select_related("application").get(pk=delivery_id)
        refuse_own_applications([row.application_id], agent=agent.pk)
        if not is_open(row) or (seen_at is not None and seen_at != row.updated_at):
            raise DecisionOutdated
        yield row


def _record(row: Delivery, agent: AbstractBaseUser, deed: Decision.Kind, *, note: str, remote_id: str = "") -> Decision:
    """Compare the row with what is wanted, make it and what waits for it due, and keep what was decided."""
    now = timezone.now()
    requeue(row)
    told: Any = None
    if deed == Decision.Kind.PROVIDER_INFORMED:
        row.reason, told = PROVIDER_INFORMED, row.wanted
    row.looks, row.recheck, row.unclear_since = 0, False, None
    row.next_at = now if row.state == DeliveryState.QUEUED else None
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        # Another application has taken the same id in the same moment; the database lets only one have it.
        raise DecisionRefused(ID_IN_USE, field="remote_id") from error
    Delivery.objects.filter(application=row.application, state=DeliveryState.QUEUED, next_at=None).update(next_at=now)
    decision = Decision.objects.create(
        delivery=row, agent_id=agent.pk, deed=deed, remote_id=remote_id, note=note, told=told
    )
    logger.info(
        "Delivery %s (%s of %s): agent %s decided %s", row.pk, row.kind, row.application.reference, agent.pk, deed.value
    )
    RELAY.wake_after_commit()
    chain.append(
        AuditAction.DECISION,
        by=agent,
        application=row.application,
        subject=f"delivery {row.pk}",
        rows=[decision],
        decision=decision.pk,
        said=deed,
    )
    return decision


def _is_duplicated(row: Delivery) -> bool:
    return row.state == DeliveryState.DONE and row.reason == DUPLICATE


_DUPLICATE = Q(state=DeliveryState.DONE, reason=DUPLICATE)
# A lease that has run out means that nobody knows; the worker says so when it next comes by.
_LEFT_SENDING = Q(state=DeliveryState.SENDING, lease_until__lte=Now())


# A duplicate is to be decided too; no other row is in two groups.
_GROUPS: Mapping[str, tuple[str, Q]] = {
    "undecided": ("To decide", UNDECIDED),
    "surplus": ("Duplicates", _DUPLICATE),
    "unknown": ("Being checked", Q(state__in=(DeliveryState.UNKNOWN, DeliveryState.RECONCILING)) | _LEFT_SENDING),
    "by_hand": ("Inform the service", TO_INFORM),
    "held": ("Held", Q(state=DeliveryState.HELD) & ~UNDECIDED & ~TO_INFORM),
    "refused": ("Not accepted", Q(state=DeliveryState.REFUSED)),
    "waiting": ("Waiting", Q(state=DeliveryState.WAITING)),
}


def deliveries_in(group: str = "") -> QuerySet[Delivery]:
    """The rows of one group, or of all, the oldest first; each with `since`, when its problem began.

    One query for the rows and one for their attempts.
    """
    _, chosen = _GROUPS.get(group, ("", _in_any_group()))
    first_try = Attempt.objects.filter(delivery=OuterRef("pk"), key=OuterRef("key")).order_by("pk")
    since = Coalesce("unclear_since", Subquery(first_try.values("started_at")[:1]), "updated_at")
    found = Delivery.objects.filter(chosen).select_related("application").prefetch_related("tries")
    return found.annotate(since=since).order_by("since", "pk")


def queue_groups() -> tuple[tuple[str, str, int], ...]:
    """All together, then every group: its name in addresses, its label, and how many rows it holds. One query."""
    meant = {"": ("All", _in_any_group()), **_GROUPS}
    counts = Delivery.objects.aggregate(
        **{f"in_{value}": Count("pk", filter=chosen) for value, (_, chosen) in meant.items()}
    )
    return tuple((value, label, counts[f"in_{value}"]) for value, (label, _) in meant.items())


def unresolved_deliveries() -> QuerySet[Delivery]:
    """Return the deliveries that wait for an agent: held for any reason, duplicates, and steps to tell by hand."""
    return Delivery.objects.filter(UNDECIDED | TO_INFORM | Q(state=DeliveryState.HELD))


def _in_any_group() -> Q:
    together = Q()
    for _, chosen in _GROUPS.values():
        together |= chosen
    return together
