"""What an agent decides about a delivery that nothing else can resolve: the service has it, does not have it, or the
provider was informed by hand (design, "Relay").

One transaction changes the row and keeps the decision; the worker does the rest.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction

from .. import wake
from ..models import AMBIGUOUS, DUPLICATE, PROVIDER_INFORMED, UNCLEAR, UNSUPPORTED, Decision, Delivery, DeliveryState
from ..resources import ResourceKind
from ..sync import forget_dependents, requeue
from .decision_input import ID_IN_USE, DecisionOutdated, DecisionRefused, clean_note, clean_remote_id

logger = logging.getLogger(__name__)

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
    if nothing of it is in doubt."""
    return must_inform_provider(row) or (row.state == DeliveryState.HELD and not is_undecided(row))


def bind(
    delivery_id: int, *, agent: AbstractBaseUser, remote_id: str, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """It is there, under this id: counts as received as it was sent, and what has waited for its id goes on.

    `seen_at` is the row's `updated_at` when the agent read it. Raises DecisionOutdated where the row has changed since
    then, DecisionRefused where the id can't be its id.
    """
    with _locked_for_decision(delivery_id, is_undecided, seen_at=seen_at) as row:
        chosen = clean_remote_id(row, remote_id)
        if _is_duplicated(row) and chosen != row.remote_id:
            forget_dependents(row)
        if row.state == DeliveryState.HELD and row.sent is not None:
            row.acknowledged = row.sent
        row.remote_id = chosen or row.remote_id
        row.state = DeliveryState.DONE
        return _record(row, agent, Decision.Deed.BIND, note=clean_note(note), remote_id=chosen)


def declare_absent(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """What was sent last is not there: it is sent once more, under a new key. Raises DecisionOutdated, DecisionRefused.

    Where only a change of the thing was in doubt, the change is sent again.
    """
    with _locked_for_decision(delivery_id, is_undecided, seen_at=seen_at) as row:
        if _is_duplicated(row):
            row.acknowledged = None
            forget_dependents(row)
        if row.acknowledged is None:
            row.remote_id = ""
        row.state = DeliveryState.QUEUED
        return _record(row, agent, Decision.Deed.ABSENT, note=clean_note(note))


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
    with _locked_for_decision(delivery_id, may_inform_provider, seen_at=seen_at) as row:
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
    return _record(row, agent, Decision.Deed.PROVIDER_INFORMED, note=note, remote_id=row.remote_id)


@contextmanager
def _locked_for_decision(
    delivery_id: int, is_open: Callable[[Delivery], bool], *, seen_at: datetime | None
) -> Iterator[Delivery]:
    """The row, locked after its application as the worker does it, while a decision about it is open."""
    with transaction.atomic():
        of_row = Delivery.objects.filter(pk=delivery_id).values("application_id")
        Application.objects.select_for_update().get(pk__in=of_row)
        row = Delivery.objects.select_for_update().select_related("application").get(pk=delivery_id)
        if not is_open(row) or (seen_at is not None and seen_at != row.updated_at):
            raise DecisionOutdated
        yield row


def _record(row: Delivery, agent: AbstractBaseUser, deed: Decision.Deed, *, note: str, remote_id: str = "") -> Decision:
    """Compare the row with what is wanted, make it and what waits for it due, and keep what was decided."""
    now = timezone.now()
    requeue(row)
    told: Any = None
    if deed == Decision.Deed.PROVIDER_INFORMED:
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
    transaction.on_commit(wake.wake_workers)
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
