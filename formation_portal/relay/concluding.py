"""Writes down what became of a call, in one transaction, and what follows from it for the other rows."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from formation_portal.applications import saving
from formation_portal.applications.drafts import open_draft
from formation_portal.applications.models import Application

from .claiming import Claim
from .kinds import container
from .models import UNCLEAR, UNSUPPORTED, Attempt, Delivery, DeliveryState
from .outcomes import BOUND_ELSEWHERE, IN_PROGRESS, NOT_AUTHORISED, Outcome
from .problems import located
from .profile import profile, remember
from .renewal import requeue
from .routes import ROUTES
from .timing import PAUSE, REPEATS, SETTLE, backoff

logger = logging.getLogger(__name__)
State = DeliveryState


def conclude(claim: Claim, outcome: Outcome) -> Delivery | None:
    """The row after its call; None where its lease had run out meanwhile and somebody else has it."""
    now = timezone.now()
    with transaction.atomic(durable=True):
        Attempt.objects.filter(delivery=claim.row, lease=claim.lease).update(
            ended_at=now, outcome=outcome.says, status=outcome.status, request_id=outcome.request_id
        )
        Application.objects.select_for_update().get(pk=claim.application.pk)
        row = Delivery.objects.select_for_update().get(pk=claim.row.pk)
        if row.state != State.SENDING or row.lease != claim.lease:
            logger.warning("Delivery %s: answered after its lease had ended", row.pk)
            return None
        row.lease = row.lease_until = None
        _learn(row, outcome, now=now)
        _STEPS[outcome.state](row, claim, outcome, now)
        row.save()
        _tell_the_others(row, claim, now=now)
        return row


def _done(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    removed = row.sent is None
    if outcome.remote_id and _is_bound_elsewhere(row, outcome):
        _bound_elsewhere(row, claim, outcome, now)
        return
    row.remote_id = "" if removed else outcome.remote_id or row.remote_id
    row.acknowledged = row.sent
    if outcome.was_there and profile().can_edit and row.sent is not None:
        row.acknowledged = ROUTES[row.name[0]].known_of(row.sent)
    row.state = State.DONE
    requeue(row)
    row.reason = outcome.reason
    if row.state == State.QUEUED:
        row.next_at = now
    if removed:
        _forget_contents(row)


def _waiting(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    row.attempts += 1
    row.state, row.reason = State.WAITING, outcome.reason
    wait = PAUSE if outcome.reason == NOT_AUTHORISED else backoff(row.attempts, at_least=outcome.retry_after)
    row.next_at = now + wait


def _unknown(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    """It may have arrived: sent again with the same key where the service honours it, else an agent has to look."""
    is_in_progress = outcome.reason == IN_PROGRESS
    may_repeat = profile().honours_keys and (row.repeats < REPEATS or is_in_progress)
    row.state = State.UNKNOWN if may_repeat else State.HELD
    row.reason = UNCLEAR
    row.next_at = None
    if may_repeat:
        row.next_at = now + (timedelta(seconds=outcome.retry_after or 1) if is_in_progress else SETTLE)
    else:
        logger.error("Delivery %s of %s may have arrived: held", row.pk, claim.application.reference)


def _refused(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    if row.wanted != row.sent:
        _again(row, now)
        return
    problems = located(outcome.problems, row, claim.ids, open_draft(claim.application))
    if (cleared := _cleared(row)) and all(problem["field"] in cleared for problem in problems):
        # Nobody can answer what is no longer asked: the service can't clear, which only the supplement says.
        _held(row, claim, Outcome(State.HELD, UNSUPPORTED, request_id=outcome.request_id), now)
        return
    row.state, row.reason, row.next_at, row.problems = State.REFUSED, outcome.reason, None, problems


def _cleared(row: Delivery) -> set[str]:
    """The answers that the call was to clear."""
    return set((row.acknowledged or {}).get("answers", {})) - set((row.sent or {}).get("answers", {}))


def _held(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    if row.wanted != row.sent and outcome.reason != UNSUPPORTED:
        _again(row, now)
        return
    row.state, row.reason, row.next_at = State.HELD, outcome.reason, None
    logger.error(
        "Delivery %s (%s of %s) is held: %s, request %s",
        row.pk,
        row.kind,
        claim.application.reference,
        outcome.says,
        outcome.request_id,
    )


_STEPS: dict[DeliveryState, Any] = {
    State.DONE: _done,
    State.WAITING: _waiting,
    State.UNKNOWN: _unknown,
    State.REFUSED: _refused,
    State.HELD: _held,
}


def _again(row: Delivery, now: datetime) -> None:
    """What was objected to is no longer wanted."""
    row.state = State.QUEUED
    requeue(row)
    row.next_at = now if row.state == State.QUEUED else None


def _is_bound_elsewhere(row: Delivery, outcome: Outcome) -> bool:
    others = Delivery.objects.filter(kind=row.kind, remote_id=outcome.remote_id).exclude(pk=row.pk)
    return others.exists()


def _bound_elsewhere(row: Delivery, claim: Claim, outcome: Outcome, now: datetime) -> None:
    """The service says that two of our things are one: the customer has entered it twice, or the service is wrong."""
    if not outcome.was_there:
        _held(row, claim, Outcome(State.HELD, BOUND_ELSEWHERE, request_id=outcome.request_id), now)
        return
    _refused(row, claim, outcome, now)


def _learn(row: Delivery, outcome: Outcome, *, now: datetime) -> None:
    """What the answer shows about the service, whatever becomes of the row."""
    if outcome.reason == NOT_AUTHORISED:
        remember(paused_until=now + PAUSE)
        logger.error(
            "The formation service does not accept the portal's key (status %s, request %s): nothing is sent before %s",
            outcome.status,
            outcome.request_id,
            now + PAUSE,
        )
    elif outcome.reason == UNSUPPORTED and not row.name[0].is_deed:
        remember(can_edit=False)


def _forget_contents(row: Delivery) -> None:
    """What belonged to a removed thing is gone with it."""
    gone = {row.name}
    rows = list(Delivery.objects.filter(application_id=row.application_id).exclude(pk=row.pk))
    for other in sorted(rows, key=lambda one: one.name[0].order):
        if container(*other.name) in gone and other.is_settled:
            gone.add(other.name)
            other.acknowledged, other.remote_id = None, ""
            requeue(other)
            other.save()


def _tell_the_others(row: Delivery, claim: Claim, *, now: datetime) -> None:
    """The others may go on, unless they would meet what this one has met."""
    if row.state != State.WAITING:
        Delivery.objects.filter(application_id=row.application_id, state=State.QUEUED, next_at=None).update(next_at=now)
    if row.state == State.REFUSED:
        draft = open_draft(Application.objects.get(pk=row.application_id))
        saving.reopen(draft, reason="The formation service asks for a change")
