"""Take one step of the relay: claim a delivery (row), make its call outside any transaction, record the result."""

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
from ..models import Attempt, Delivery, DeliveryState, Reason, ResourceKind, ServiceProfile
from ..problems import locate
from ..service_profile import edit_name, locked_profile
from ..sync import forget_dependents, is_frozen, requeue
from . import rate_limit
from .claiming import claim
from .missing_calls import outcome_of_missing_call
from .outcomes import CallOutcome, outcome_of
from .reconciliation import Evidence, look_up, read_entity, reconcile, reconcile_transition
from .routes import CREATE, Claim, MissingFile, UnreadableFile, certain_part, send, sent_action, submit

logger = logging.getLogger(__name__)


def make_next_call(
    application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()
) -> tuple[int, Delivery | None] | None:
    """Make the application's next call. Return None if there is nothing to do for now.

    Otherwise return the row's primary key, and the row or, if its lease had ended, None.
    """
    claimed = claim(application_id, is_eager=is_eager, tried=tried)
    if claimed is None:
        return None
    with tracing.span(f"relay {claimed.row.kind}") as span, log_context(delivery=claimed.row.pk):
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
    action = sent_action(row)
    # The call has to end within the lease: a process that was asleep must not repeat others' calls.
    longest = max(settings.ENV.call_timeout, settings.ENV.upload_timeout) * settings.RELAY_PACE
    if row.lease_until is None or (row.lease_until - timezone.now()).total_seconds() <= longest:
        return CallOutcome(DeliveryState.WAITING, Reason.TOO_LATE, was_called=False)
    try:
        # The attempt already stores the request id, in case this process dies.
        with log_context(request=claimed.request_id):
            if claimed.kind is ResourceKind.SUBMISSION:
                return CallOutcome(DeliveryState.DONE, request_id=claimed.request_id, entity=submit(claimed))
            remote_id = send(claimed, action)
            return CallOutcome(DeliveryState.DONE, remote_id=remote_id, request_id=claimed.request_id)
    except Unsupported as error:
        return outcome_of_missing_call(claimed, error, action=action)
    except GatewayError as error:
        return outcome_of(error, kind=claimed.kind, action=action)
    except UnreadableFile:
        # A file is never given up automatically: the row waits until it can be read, or an agent decides otherwise.
        return CallOutcome(DeliveryState.WAITING, Reason.FILE_MISSING, was_called=False)
    except MissingFile:
        return CallOutcome(DeliveryState.HELD, Reason.FILE_MISSING, was_called=False)


def record_result(claim: Claim, outcome: CallOutcome) -> Delivery | None:
    """Record a call's outcome and return its row; None if the lease had ended, as another worker may have the row."""
    now = timezone.now()
    with transaction.atomic(durable=True):
        Attempt.objects.filter(delivery=claim.row, lease=claim.lease).update(
            ended_at=now, outcome=outcome.word, status=outcome.status
        )
        row = _end_lease(claim, expected_state=DeliveryState.SENDING)
        if row is None:
            return None
        ResultWriter(row, claim, now).write(outcome)
        row.save()
        _continue_others(row, now=now)
        if row.is_transition and row.state == DeliveryState.DONE and row.reason != Reason.UNSUPPORTED:
            note_transition(row, outcome.entity)
        if outcome.was_called:
            _learn_about_service(row, claim, outcome, now=now)
        return row


def record_lookup(claim: Claim, evidence: Evidence | EntityRecord | CallOutcome) -> Delivery | None:
    """Resolve the claimed row by the evidence that a lookup found, and return it; None if the lease had ended."""
    now = timezone.now()
    with transaction.atomic(durable=True):
        row = _end_lease(claim, expected_state=DeliveryState.RECONCILING)
        if row is None:
            return None
        if isinstance(evidence, EntityRecord):
            reconcile_transition(row, evidence, profile=claim.profile, now=now)
        else:
            reconcile(row, evidence, profile=claim.profile, now=now)
        row.save()
        _continue_others(row, now=now)
        if isinstance(evidence, EntityRecord) and row.state == DeliveryState.DONE:
            note_transition(row, evidence)
        if isinstance(evidence, CallOutcome):
            _learn_about_service(row, claim, evidence, now=now)
        return row


def _end_lease(claim: Claim, *, expected_state: DeliveryState) -> Delivery | None:
    Application.objects.select_for_update().get(pk=claim.application.pk)
    row = Delivery.objects.select_for_update().get(pk=claim.row.pk)
    if row.state != expected_state or row.lease != claim.lease:
        logger.warning("Delivery %s: answered after its lease expired", row.pk)
        return None
    row.lease = None
    row.lease_until = None
    return row


class ResultWriter:
    """Writer of a call's outcome to its row. The caller saves the row."""

    def __init__(self, row: Delivery, claim: Claim, now: datetime) -> None:
        self._row = row
        self._claim = claim
        self._now = now

    def write(self, outcome: CallOutcome) -> None:
        match outcome.state:
            case DeliveryState.DONE:
                self.write_done(outcome)
            case DeliveryState.WAITING:
                self.write_waiting(outcome)
            case DeliveryState.UNKNOWN:
                self.write_unknown(outcome)
            case DeliveryState.REFUSED:
                self.write_refused(outcome)
            case DeliveryState.HELD:
                self.write_held(outcome)

    def write_done(self, outcome: CallOutcome) -> None:
        row = self._row
        others = Delivery.objects.filter(kind=row.kind, remote_id=outcome.remote_id).exclude(pk=row.pk)
        if outcome.remote_id and others.exists():
            # The service has one record for two of our resources: the customer made a duplicate, or the service errs.
            if outcome.existed_already:
                self.write_refused(outcome)
            else:
                logger.error("Delivery %s: the answer names a different record, request %s", row.pk, outcome.request_id)
                self.write_unknown(replace(outcome, reason=Reason.BOUND_ELSEWHERE))
            return
        is_removal = row.sent is None
        row.remote_id = outcome.remote_id or row.remote_id
        row.acknowledged = row.sent
        if outcome.existed_already and self._claim.profile.can_edit and row.sent is not None:
            row.acknowledged = certain_part(row.resource_kind, row.sent)
        row.state = DeliveryState.DONE
        row.unclear_since = None
        row.document_status = ""
        row.document_note = ""
        row.read_next_at = None
        if row.wanted != row.acknowledged and is_frozen(row.application):
            row.wanted = row.acknowledged
        requeue(row)
        row.reason = outcome.reason
        if row.state == DeliveryState.QUEUED:
            row.next_at = self._now
        elif row.recheck:
            row.next_at = self._now + self._claim.profile.settle_time
        if is_removal:
            row.remote_id = ""
            forget_dependents(row)

    def write_waiting(self, outcome: CallOutcome) -> None:
        """Record that this try was surely not processed. If an earlier try is in doubt, the row stays in doubt."""
        row = self._row
        row.attempts += 1
        if outcome.reason in (Reason.NOT_AUTHORISED, Reason.NOT_ALLOWED):
            wait = timing.scaled(timing.PAUSE)
        else:
            wait = timing.backoff(row.attempts, at_least=outcome.retry_after)
        row.state = DeliveryState.WAITING
        row.reason = outcome.reason
        row.next_at = self._now + wait
        if row.unclear_since is not None:
            row.state = DeliveryState.UNKNOWN
            row.repeats = max(0, row.repeats - 1)

    def write_unknown(self, outcome: CallOutcome) -> None:
        """Record that the call may have arrived. A transition that the entity's status forbids is looked up at once."""
        row = self._row
        row.state = DeliveryState.UNKNOWN
        if outcome.reason == Reason.STATE_CONFLICT:
            row.reason = Reason.STATE_CONFLICT
            row.next_at = self._now
            return
        row.reason = Reason.UNCLEAR
        row.unclear_since = row.unclear_since or self._now
        row.next_at = self._now + self._claim.profile.doubt_time(row.repeats)
        if outcome.reason == Reason.IN_PROGRESS:
            # The service is still processing the call, so this try does not count.
            row.repeats = max(0, row.repeats - 1)
            row.next_at = self._now + timedelta(seconds=outcome.retry_after or 1)

    def write_refused(self, outcome: CallOutcome) -> None:
        row = self._row
        if outcome.status == 409 and row.unclear_since is not None and sent_action(row) == CREATE:
            # The conflicting record may be from an earlier try of this row.
            self.write_held(replace(outcome, reason=Reason.UNCLEAR))
            return
        if row.wanted != row.sent:
            row.unclear_since = None
            self._requeue_changed()
            return
        problems = self._locate(outcome)
        cleared = set((row.acknowledged or {}).get("answers", {})) - set((row.sent or {}).get("answers", {}))
        if cleared and all(problem["field"] in cleared for problem in problems):
            # These questions are no longer asked, so the customer can't answer them, and the service can't clear them.
            row.unclear_since = None
            self.write_held(CallOutcome(DeliveryState.HELD, Reason.UNSUPPORTED, request_id=outcome.request_id))
            return
        if problems and not any(problem["is_answerable"] for problem in problems):
            self.write_held(replace(outcome, reason=outcome.reason or Reason.NOT_ACCEPTED))
            return
        row.unclear_since = None
        row.state = DeliveryState.REFUSED
        row.reason = outcome.reason
        row.next_at = None
        row.problems = problems

    def write_held(self, outcome: CallOutcome) -> None:
        row = self._row
        if outcome.problems and row.unclear_since is not None:
            # An earlier try, whose answer was lost, may have been processed before the service began to refuse it.
            outcome = replace(outcome, reason=Reason.UNCLEAR)
        if row.wanted != row.sent and outcome.reason not in (Reason.UNSUPPORTED, Reason.UNCLEAR):
            self._requeue_changed()
            return
        row.hold(outcome.reason)
        # Only agents read the reasons of the refusal.
        row.problems = self._locate(outcome)
        logger.error(
            "Delivery %s (%s of %s) is held: %s, request %s",
            row.pk,
            row.kind,
            self._claim.application.reference,
            outcome.word,
            outcome.request_id,
        )

    def _locate(self, outcome: CallOutcome) -> list[Any]:
        if not outcome.problems:
            return []
        return locate(outcome.problems, self._row, self._claim.ids, open_draft(self._claim.application))

    def _requeue_changed(self) -> None:
        """Queue the row again, since the payload that was refused or held is no longer wanted."""
        self._row.state = DeliveryState.QUEUED
        requeue(self._row)
        if self._row.state == DeliveryState.QUEUED:
            self._row.next_at = self._now


def _learn_about_service(row: Delivery, claim: Claim, outcome: CallOutcome, *, now: datetime) -> None:
    stored = locked_profile()
    rate_limit.count_at_end(stored, claim.counted_at, now)
    if not claim.is_lookup:
        _learn_missing_calls(stored, row, outcome, now=now)
    rate_limit.record_outcome(stored, outcome, now, was_retry=claim.is_retry)


def _learn_missing_calls(stored: ServiceProfile, row: Delivery, outcome: CallOutcome, *, now: datetime) -> None:
    """Record whether the service has the supplementary call that was made."""
    call = row.kind if row.is_transition else edit_name(sent_action(row), row.resource_kind)
    if outcome.reason == Reason.UNSUPPORTED:
        stored.lacks = sorted({*stored.lacks, call})
        if row.is_transition:
            # Transitions of this kind that are held in doubt can't have arrived.
            in_doubt = Delivery.objects.filter(kind=row.kind, state=DeliveryState.HELD, reason=Reason.UNCLEAR)
            in_doubt.update(state=DeliveryState.UNKNOWN, next_at=now, updated_at=now)
        else:
            stored.can_edit = False
    elif row.is_transition and outcome.state == DeliveryState.DONE:
        stored.lacks = sorted({*stored.lacks} - {row.kind})


def _continue_others(row: Delivery, *, now: datetime) -> None:
    """Make the application's other queued rows due, unless they must wait too. A refusal reopens the application."""
    if row.state != DeliveryState.WAITING or row.reason == Reason.FILE_MISSING:
        Delivery.objects.filter(application_id=row.application_id, state=DeliveryState.QUEUED, next_at=None).update(
            next_at=now
        )
    if row.state == DeliveryState.REFUSED:
        draft = open_draft(Application.objects.get(pk=row.application_id))
        services.reopen(draft, reason=gettext_noop("The formation service asks for a change"))
