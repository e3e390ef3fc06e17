"""One step of the relay: claim a row, make its call outside any transaction, record the result and what follows."""

import logging
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.core.monitoring import tracing
from formation_portal.core.monitoring.logs import log_context
from formation_portal.gateway.errors import GatewayError, Unsupported
from formation_portal.gateway.records import EntityRecord

from .. import timing
from ..entity_status import note_transition
from ..models import (
    FILE_MISSING,
    STATE_CONFLICT,
    UNCLEAR,
    UNSUPPORTED,
    Attempt,
    Delivery,
    DeliveryState,
    ServiceProfile,
)
from ..problems import locate
from ..service_profile import edit_name, locked_profile
from ..sync import forget_dependents, is_frozen, requeue
from . import rate_limit
from .claiming import claim
from .missing_calls import outcome_of_missing_call
from .outcomes import (
    BOUND_ELSEWHERE,
    IN_PROGRESS,
    NOT_ACCEPTED,
    NOT_ALLOWED,
    NOT_AUTHORISED,
    TOO_LATE,
    CallOutcome,
    outcome_of,
)
from .reconciliation import Evidence, look_up, read_entity, reconcile, reconcile_transition
from .routes import CREATE, REMOVE, ROUTES, Claim, MissingFile, SubmissionRoute, UnreadableFile, sent_action

logger = logging.getLogger(__name__)


def make_next_call(
    application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()
) -> tuple[int, Delivery | None] | None:
    """Make the application's next call: the row's primary key, and the row as it is now, None where its lease had
    ended. None where there is nothing to do for now."""
    claimed = claim(application_id, is_eager=is_eager, tried=tried)
    if claimed is None:
        return None
    traced = tracing.span(f"relay {claimed.row.kind}")
    with traced as span, log_context(delivery=claimed.row.pk):
        row = _look_up(claimed) if claimed.is_lookup else record_result(claimed, _call(claimed))
        if row is not None:
            logger.info("Delivery %s (%s) is %s, request %s", row.pk, row.kind, row.state, claimed.request_id or "-")
            span.set({"delivery": row.pk, "delivery.state": str(row.state), "request.id": claimed.request_id})
    return claimed.row.pk, row


def _look_up(claimed: Claim) -> Delivery | None:
    evidence: Evidence | EntityRecord | CallOutcome
    try:
        evidence = read_entity(claimed) if claimed.row.is_transition else look_up(claimed)
    except GatewayError as error:
        evidence = outcome_of(error, kind=claimed.kind, action=CREATE)
    return record_lookup(claimed, evidence)


def _call(claimed: Claim) -> CallOutcome:
    row = claimed.row
    kind, action = row.resource_kind, sent_action(row)
    # The call has to end within the lease: a process that was asleep must not send what others have done.
    longest = max(settings.ENV.call_timeout, settings.ENV.upload_timeout) * settings.RELAY_PACE
    if row.lease_until is None or (row.lease_until - timezone.now()).total_seconds() <= longest:
        return CallOutcome(DeliveryState.WAITING, TOO_LATE, was_called=False)
    try:
        # Kept with the attempt, so that a process that dies has left it behind.
        with log_context(request=claimed.request_id):
            route, remote_id, entity = ROUTES[kind], "", None
            if isinstance(route, SubmissionRoute):
                entity = route.submit(claimed)
            elif action == REMOVE:
                route.remove(claimed)
            else:
                remote_id = route.create(claimed) if action == CREATE else route.change(claimed)
        return CallOutcome(DeliveryState.DONE, remote_id=remote_id, request_id=claimed.request_id, entity=entity)
    except Unsupported as error:
        return outcome_of_missing_call(claimed, error, action=action)
    except GatewayError as error:
        return outcome_of(error, kind=kind, action=action)
    except UnreadableFile:
        # Never lost by a machine's word: it waits until it can be read, or somebody decides otherwise.
        return CallOutcome(DeliveryState.WAITING, FILE_MISSING, was_called=False)
    except MissingFile:
        return CallOutcome(DeliveryState.HELD, FILE_MISSING, was_called=False)


def record_result(claim: Claim, outcome: CallOutcome) -> Delivery | None:
    """The row after its call; None where its lease had run out meanwhile and somebody else has it."""
    now = timezone.now()
    with transaction.atomic(durable=True):
        Attempt.objects.filter(delivery=claim.row, lease=claim.lease).update(
            ended_at=now, outcome=outcome.word, status=outcome.status
        )
        row = _end_lease(claim, DeliveryState.SENDING)
        if row is None:
            return None
        _WRITERS[outcome.state](row, claim, outcome, now)
        row.save()
        _continue_others(row, claim, now=now)
        if row.is_transition and row.state == DeliveryState.DONE and row.reason != UNSUPPORTED:
            note_transition(row, outcome.entity)
        if outcome.was_called:
            _learn_about_service(row, claim, outcome, now=now)
        return row


def record_lookup(claim: Claim, evidence: Evidence | EntityRecord | CallOutcome) -> Delivery | None:
    """The row after its evidence was read: of a transition the entity, or what became of reading. None where
    its lease had run out meanwhile."""
    now = timezone.now()
    with transaction.atomic(durable=True):
        row = _end_lease(claim, DeliveryState.RECONCILING)
        if row is None:
            return None
        if isinstance(evidence, EntityRecord):
            reconcile_transition(row, evidence, profile=claim.profile, now=now)
        else:
            reconcile(row, evidence, profile=claim.profile, now=now)
        row.save()
        _continue_others(row, claim, now=now)
        if isinstance(evidence, EntityRecord) and row.state == DeliveryState.DONE:
            note_transition(row, evidence)
        if isinstance(evidence, CallOutcome):
            _learn_about_service(row, claim, evidence, now=now)
        return row


def _end_lease(claim: Claim, state: DeliveryState) -> Delivery | None:
    """The row as it is now, locked, if it is still ours; its lease ends."""
    Application.objects.select_for_update().get(pk=claim.application.pk)
    row = Delivery.objects.select_for_update().get(pk=claim.row.pk)
    if row.state != state or row.lease != claim.lease:
        logger.warning("Delivery %s: answered after its lease expired", row.pk)
        return None
    row.lease, row.lease_until = None, None
    return row


def _done(row: Delivery, claim: Claim, outcome: CallOutcome, now: datetime) -> None:
    removed = row.sent is None
    others = Delivery.objects.filter(kind=row.kind, remote_id=outcome.remote_id).exclude(pk=row.pk)
    if outcome.remote_id and others.exists():
        # The service says that two of our things are one: the customer has entered it twice, or the service is wrong.
        if outcome.existed_already:
            _refused(row, claim, outcome, now)
        else:
            logger.error("Delivery %s: the answer names a different record, request %s", row.pk, outcome.request_id)
            _unknown(row, claim, replace(outcome, reason=BOUND_ELSEWHERE), now)
        return
    row.remote_id = "" if removed else outcome.remote_id or row.remote_id
    row.acknowledged = row.sent
    if outcome.existed_already and claim.profile.can_edit and row.sent is not None:
        row.acknowledged = ROUTES[row.resource_kind].certain_part(row.sent)
    row.state, row.unclear_since = DeliveryState.DONE, None
    row.document_status, row.document_note, row.read_next_at = "", "", None
    if row.wanted != row.acknowledged and is_frozen(row.application):
        row.wanted = row.acknowledged
    requeue(row)
    row.reason = outcome.reason
    if row.state == DeliveryState.QUEUED:
        row.next_at = now
    elif row.recheck:
        row.next_at = now + claim.profile.settle_time
    if removed:
        forget_dependents(row)


def _waiting(row: Delivery, claim: Claim, outcome: CallOutcome, now: datetime) -> None:
    """Surely not processed, this time; an earlier try of the same may have been."""
    row.attempts += 1
    wait = timing.pause() if outcome.reason in (NOT_AUTHORISED, NOT_ALLOWED) else None
    wait = wait or timing.backoff(row.attempts, at_least=outcome.retry_after)
    row.state, row.reason, row.next_at = DeliveryState.WAITING, outcome.reason, now + wait
    if row.unclear_since is not None:
        row.state, row.repeats = DeliveryState.UNKNOWN, max(0, row.repeats - 1)


def _unknown(row: Delivery, claim: Claim, outcome: CallOutcome, now: datetime) -> None:
    """It may have arrived: what to do is decided once it is certain that nothing more comes of it.

    A transition that is refused for the entity's status may have been done before: that is looked up at once.
    """
    if outcome.reason == STATE_CONFLICT:
        row.state, row.reason, row.next_at = DeliveryState.UNKNOWN, STATE_CONFLICT, now
        return
    row.state, row.reason = DeliveryState.UNKNOWN, UNCLEAR
    row.unclear_since = row.unclear_since or now
    row.next_at = now + claim.profile.doubt_time(row.repeats)
    if outcome.reason == IN_PROGRESS:
        # The service says that it is still processing it: that is no try in vain.
        row.repeats = max(0, row.repeats - 1)
        row.next_at = now + timedelta(seconds=outcome.retry_after or 1)


def _refused(row: Delivery, claim: Claim, outcome: CallOutcome, now: datetime) -> None:
    if outcome.status == 409 and row.unclear_since is not None and sent_action(row) == CREATE:
        # The record that it conflicts with may be its own.
        _held(row, claim, replace(outcome, reason=UNCLEAR), now)
        return
    if row.wanted != row.sent:
        row.unclear_since = None
        _requeue_changed(row, now)
        return
    problems = locate(outcome.problems, row, claim.ids, open_draft(claim.application))
    cleared = set((row.acknowledged or {}).get("answers", {})) - set((row.sent or {}).get("answers", {}))
    if cleared and all(problem["field"] in cleared for problem in problems):
        # Nobody can answer what is no longer asked: the service can't clear, which only the supplement says.
        row.unclear_since = None
        _held(row, claim, CallOutcome(DeliveryState.HELD, UNSUPPORTED, request_id=outcome.request_id), now)
        return
    if problems and not any(problem["is_answerable"] for problem in problems):
        _held(row, claim, replace(outcome, reason=outcome.reason or NOT_ACCEPTED), now)
        return
    row.unclear_since = None
    row.state, row.reason, row.next_at, row.problems = DeliveryState.REFUSED, outcome.reason, None, problems


def _held(row: Delivery, claim: Claim, outcome: CallOutcome, now: datetime) -> None:
    if outcome.problems and row.unclear_since is not None:
        # An earlier try, whose answer was lost, may have been processed before the service began to refuse it.
        outcome = replace(outcome, reason=UNCLEAR)
    if row.wanted != row.sent and outcome.reason not in (UNSUPPORTED, UNCLEAR):
        _requeue_changed(row, now)
        return
    row.state, row.reason, row.next_at = DeliveryState.HELD, outcome.reason, None
    # Only agents read why it was refused.
    row.problems = locate(outcome.problems, row, claim.ids, open_draft(claim.application)) if outcome.problems else []
    logger.error(
        "Delivery %s (%s of %s) is held: %s, request %s",
        row.pk,
        row.kind,
        claim.application.reference,
        outcome.word,
        outcome.request_id,
    )


_WRITERS: dict[DeliveryState, Any] = {
    DeliveryState.DONE: _done,
    DeliveryState.WAITING: _waiting,
    DeliveryState.UNKNOWN: _unknown,
    DeliveryState.REFUSED: _refused,
    DeliveryState.HELD: _held,
}


def _requeue_changed(row: Delivery, now: datetime) -> None:
    """What was refused or held is no longer wanted: send what is."""
    row.state = DeliveryState.QUEUED
    requeue(row)
    row.next_at = now if row.state == DeliveryState.QUEUED else None


def _learn_about_service(row: Delivery, claim: Claim, outcome: CallOutcome, *, now: datetime) -> None:
    """What the answer shows about the service, whatever becomes of the row."""
    stored = locked_profile()
    rate_limit.count_at_end(stored, claim.counted_at, now)
    if not claim.is_lookup:
        _learn_missing_calls(stored, row, outcome, now=now)
    rate_limit.record_outcome(stored, outcome, now, was_retry=claim.is_retry)


def _learn_missing_calls(stored: ServiceProfile, row: Delivery, outcome: CallOutcome, *, now: datetime) -> None:
    """Keep that the service has, or lacks, a call that only the supplement names."""
    call = row.kind if row.is_transition else edit_name(sent_action(row), row.resource_kind)
    if outcome.reason == UNSUPPORTED:
        stored.lacks = sorted({*stored.lacks, call})
        if row.is_transition:
            # Those held in doubt can't have arrived.
            held = Delivery.objects.filter(kind=row.kind, state=DeliveryState.HELD, reason=UNCLEAR)
            held.update(state=DeliveryState.UNKNOWN, next_at=now, updated_at=now)
        else:
            stored.can_edit = False
    elif row.is_transition and outcome.state == DeliveryState.DONE:
        stored.lacks = [kind for kind in stored.lacks if kind != row.kind]


def _continue_others(row: Delivery, claim: Claim, *, now: datetime) -> None:
    """The others may go on, unless they would wait for the same reason."""
    if row.state != DeliveryState.WAITING or row.reason == FILE_MISSING:
        Delivery.objects.filter(application_id=row.application_id, state=DeliveryState.QUEUED, next_at=None).update(
            next_at=now
        )
    if row.state == DeliveryState.REFUSED:
        draft = open_draft(Application.objects.get(pk=row.application_id))
        services.reopen(draft, reason=gettext_noop("The formation service asks for a change"))
