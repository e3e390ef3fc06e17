"""What an agent decides about a thing that nothing else can settle: it is there, it is not, or the provider was told by
hand (design, "Relay").

One transaction moves the row and keeps the decision; the worker does the rest.
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
from formation_portal.audit.models import Deed

from . import wake
from .contents import forget_contents
from .given import note_in, remote_id_in
from .kinds import Kind
from .models import SURPLUS, TOLD, TWINS, UNCLEAR, UNSUPPORTED, Decision, Delivery, DeliveryState
from .refusals import IN_USE, NotDecided, Overtaken
from .renewal import requeue

logger = logging.getLogger(__name__)
State = DeliveryState

# The rows that wait for a decision. Any deed may: what comes after it can't be told before.
_DEEDS = [kind for kind in Kind if kind.is_deed]
_IS_OPEN = Q(reason__in=(UNCLEAR, TWINS)) | Q(kind__in=_DEEDS)
UNDECIDED = Q(state=State.HELD) & _IS_OPEN | Q(state=State.DONE, reason=SURPLUS)
# The rows that the service has no call for, so that somebody has to tell the provider in another way.
TO_TELL = Q(state__in=(State.HELD, State.DONE), reason=UNSUPPORTED) & ~UNDECIDED


def is_undecided(row: Delivery) -> bool:
    """Whether an agent may decide about the row as it stands."""
    return row.needs_a_decision or _has_too_many(row)


def is_to_tell(row: Delivery) -> bool:
    """Whether somebody has to tell the provider by hand, since the service has no call for it."""
    return row.reason == UNSUPPORTED and row.state in (State.HELD, State.DONE) and not is_undecided(row)


def may_be_told(row: Delivery) -> bool:
    """Whether an agent may record that the provider was told by hand: also where it is held for another reason, if
    nothing of it is in doubt."""
    return is_to_tell(row) or (row.state == State.HELD and not is_undecided(row))


def bind(
    delivery_id: int, *, agent: AbstractBaseUser, remote_id: str, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """It is there, under this id: counts as received as it was sent, and what has waited for its id goes on.

    `seen_at` is the row's `updated_at` when the agent read it. Raises Overtaken where the row has moved since then,
    NotDecided where the id can't be its id.
    """
    with _deciding(delivery_id, is_undecided, seen_at=seen_at) as row:
        chosen = remote_id_in(row, remote_id)
        if _has_too_many(row) and chosen != row.remote_id:
            forget_contents(row)
        if row.state == State.HELD and row.sent is not None:
            row.acknowledged = row.sent
        row.remote_id = chosen or row.remote_id
        row.state = State.DONE
        return _decided(row, agent, Decision.Deed.BIND, note=note_in(note), remote_id=chosen)


def declare_absent(
    delivery_id: int, *, agent: AbstractBaseUser, note: str = "", seen_at: datetime | None = None
) -> Decision:
    """What was sent last is not there: it is sent once more, under a new key. Raises Overtaken, NotDecided.

    Where only a change of the thing was in doubt, the change is sent again.
    """
    with _deciding(delivery_id, is_undecided, seen_at=seen_at) as row:
        if _has_too_many(row):
            row.acknowledged = None
            forget_contents(row)
        if row.acknowledged is None:
            row.remote_id = ""
        row.state = State.QUEUED
        return _decided(row, agent, Decision.Deed.ABSENT, note=note_in(note))


def record_told(
    delivery_id: int,
    *,
    agent: AbstractBaseUser,
    note: str,
    remote_id: str = "",
    also: Collection[int] = (),
    seen_at: datetime | None = None,
) -> Decision:
    """The provider was told by hand: counts as received as it is wanted, and what has waited for it goes on.

    The note says who was told and how. `remote_id` is asked for where the thing was never there. `also` are the numbers
    of other steps of the same application (`steps_to_tell`) that were told with it. Raises Overtaken, NotDecided.
    """
    with _deciding(delivery_id, may_be_told, seen_at=seen_at) as row:
        told = note_in(note)
        if not told:
            raise NotDecided("Enter who you informed, and how", field="note")
        chosen = remote_id_in(row, remote_id) if row.acknowledged is None else row.remote_id
        for step in steps_to_tell(row).select_for_update().filter(pk__in=also):
            _told(step, agent, note=told, remote_id="")
        return _told(row, agent, note=told, remote_id=chosen)


def steps_to_tell(row: Delivery) -> QuerySet[Delivery]:
    """The other steps of its application that the provider is to be told of by hand, in their order."""
    steps = Delivery.objects.filter(TO_TELL, application_id=row.application_id, kind__in=_DEEDS)
    return steps.exclude(pk=row.pk).order_by("position", "pk")


def _told(row: Delivery, agent: AbstractBaseUser, *, note: str, remote_id: str) -> Decision:
    row.acknowledged, row.remote_id = row.wanted, remote_id
    if row.wanted is None:
        row.remote_id = ""
        forget_contents(row)
    return _decided(row, agent, Decision.Deed.TOLD, note=note, remote_id=row.remote_id)


@contextmanager
def _deciding(delivery_id: int, is_open: Callable[[Delivery], bool], *, seen_at: datetime | None) -> Iterator[Delivery]:
    """The row, locked after its application as the worker does it, while a decision about it is open."""
    with transaction.atomic():
        of_row = Delivery.objects.filter(pk=delivery_id).values("application_id")
        Application.objects.select_for_update().get(pk__in=of_row)
        row = Delivery.objects.select_for_update().select_related("application").get(pk=delivery_id)
        if not is_open(row) or (seen_at is not None and seen_at != row.updated_at):
            raise Overtaken
        yield row


def _decided(
    row: Delivery, agent: AbstractBaseUser, deed: Decision.Deed, *, note: str, remote_id: str = ""
) -> Decision:
    """Compare the row with what is wanted, make it and what waits for it due, and keep what was decided."""
    now = timezone.now()
    requeue(row)
    if deed == Decision.Deed.TOLD:
        row.reason = TOLD
    row.looks, row.recheck, row.unclear_since = 0, False, None
    row.next_at = now if row.state == State.QUEUED else None
    _save(row)
    Delivery.objects.filter(application=row.application, state=State.QUEUED, next_at=None).update(next_at=now)
    decision = Decision.objects.create(
        delivery=row, agent_id=agent.pk, deed=deed, remote_id=remote_id, note=note, told=_what_was_told(row, deed)
    )
    logger.info(
        "Delivery %s (%s of %s): agent %s decided %s", row.pk, row.kind, row.application.reference, agent.pk, deed.value
    )
    transaction.on_commit(wake.workers)
    subject = f"delivery {row.pk}"
    chain.append(
        Deed.DECISION,
        by=agent,
        application=row.application,
        subject=subject,
        rows=[decision],
        decision=decision.pk,
        said=deed,
    )
    return decision


def _what_was_told(row: Delivery, deed: Decision.Deed) -> Any:
    return row.wanted if deed == Decision.Deed.TOLD else None


def _save(row: Delivery) -> None:
    """Another application may have taken the same id in the same moment; the database lets only one have it."""
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise NotDecided(IN_USE, field="remote_id") from error


def _has_too_many(row: Delivery) -> bool:
    return row.state == State.DONE and row.reason == SURPLUS
