"""Read the status of entities at the service: after events, and once an hour while a case waits for the service.

Only the worker reads the status; a page reads only the URL where the customer pays. No conclusion is drawn while one of
our transitions is under way, or if the service lacks the call (INTERFACE.md, "Entities").
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from formation_portal import gateway
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import UNDECIDED, State
from formation_portal.gateway.errors import GatewayError, Unsupported
from formation_portal.gateway.records import EntityRecord
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.service_status import end_status, receive_status

from . import timing
from .calls import rate_limit
from .calls.outcomes import CallOutcome, outcome_of
from .calls.routes import CREATE
from .document_status import learn_about_service
from .models import (
    TRANSITION_KINDS,
    WITHDRAWAL,
    Delivery,
    DeliveryState,
    EntityReading,
    Reason,
    ResourceKind,
)
from .service_profile import current_profile, locked_profile

logger = logging.getLogger(__name__)

# Steps that count as done here although the service was not called.
_NOT_CALLED = (Reason.UNSUPPORTED, Reason.PROVIDER_INFORMED)


def read_due_entities() -> int:
    """Read each entity that is due, outside any transaction, and return the number of readings."""
    readings = 0
    for entity in list(_due_entities(timezone.now())):
        claimed_until = _claim(entity.application_id)
        if claimed_until is None:
            break
        _read(entity, claimed_until)
        readings += 1
    return readings


def read_entity_soon(entity_id: str) -> None:
    """Make an entity due for reading now. `entity_id` is its id at the service."""
    for entity in _entities().filter(remote_id=entity_id):
        schedule_reading(entity.application_id, at=timezone.now())


def schedule_reading(application_id: int, *, at: datetime) -> None:
    EntityReading.objects.bulk_create(
        [EntityReading(application_id=application_id, next_at=at)],
        update_conflicts=True,
        unique_fields=["application"],
        update_fields=["next_at"],
    )


def _entities() -> QuerySet[Delivery]:
    submitted = Delivery.objects.filter(kind=ResourceKind.ENTITY, application__submitted_at__isnull=False)
    sent = submitted.exclude(remote_id="").filter(application__deleted_at=None)
    return sent.only("application_id", "remote_id").order_by("application_id")


def _due_entities(now: datetime) -> QuerySet[Delivery]:
    is_due = Q(application__entity_reading__next_at__lte=now)
    is_never_read = Q(application__entity_reading=None, application__submitted_at__lte=now - timing.READ_SOON)
    return _entities().filter(is_due | (is_never_read & Q(application__state__in=UNDECIDED)))


def _claim(application_id: int) -> datetime | None:
    """Claim the reading of an entity. Return when the claim ends; None if it is not due, or no call is allowed now."""
    with transaction.atomic():
        now = timezone.now()
        stored = locked_profile()
        is_due = _due_entities(now).filter(application_id=application_id).exists()
        if not is_due or rate_limit.opens_at(stored, now) > now:
            return None
        rate_limit.count_calls(stored, now, is_retry=False)
        until = now + timing.scaled(timing.LEASE)
        schedule_reading(application_id, at=until)
    return until


def _read(entity: Delivery, until: datetime) -> None:
    """Read the entity and note its status, unless a transition was sent meanwhile."""
    states_before = _transition_states(entity.application_id)
    try:
        record = EntityRecord.read(gateway.service().entity(entity.remote_id))
    except GatewayError as error:
        # A key without the right to read entities tells as little as a service without the call.
        is_unreadable = isinstance(error, Unsupported) or error.status == HTTPStatus.FORBIDDEN
        wait = timing.READ_DAILY if is_unreadable else timing.READ_SOON
        EntityReading.objects.filter(pk=entity.application_id, next_at=until).update(next_at=timezone.now() + wait)
        learn_about_service(outcome_of(error, kind=ResourceKind.STATUS, action=CREATE))
        return
    learn_about_service(CallOutcome(DeliveryState.DONE))
    with transaction.atomic():
        application = Application.objects.select_for_update().get(pk=entity.application_id)
        reading = EntityReading.objects.select_for_update().get(pk=application.pk)
        now = timezone.now()
        if _transition_states(application.pk) != states_before:
            reading.next_at = now + timing.READ_SOON
        elif record.id in ("", entity.remote_id):
            _note_record(application, reading, record)
            reading.read_at = now
        if reading.next_at == until:
            reading.next_at = now + timing.READ_HOURLY if application.status in UNDECIDED else None
        reading.save()


def _transition_states(application_id: int) -> list[tuple[int, str]]:
    steps = Delivery.objects.filter(application=application_id, kind__in=TRANSITION_KINDS)
    return list(steps.order_by("pk").values_list("pk", "state"))


def _note_record(application: Application, reading: EntityReading, record: EntityRecord) -> None:
    draft = open_draft(application)
    if application.payment_due_since is not None:
        # The service waits for the payment until it shows another status.
        is_same = record.pending_submission is None and record.status in ("", State.DRAFT, reading.status)
        if record.awaits_payment or is_same:
            _note_payment(draft, reading, record)
            return
        services.set_payment_due(draft, is_due=False)
        reading.payment_url = ""
    steps = list(Delivery.objects.filter(application=application, kind__in=TRANSITION_KINDS))
    for step in steps:
        # The status may change with this transition, which is still open.
        if step.state in (DeliveryState.QUEUED, DeliveryState.WAITING) or not step.is_settled:
            reading.next_at = timezone.now() + timing.READ_SOON
            return
    expected, written_by = _expected_statuses(application, steps)
    is_submission = written_by is not None and written_by.resource_kind is ResourceKind.SUBMISSION
    if is_submission and record.awaits_payment:
        _note_payment(draft, reading, record)
        return
    reading.status = record.status
    if record.status in expected:
        end_status(draft)
    elif record.status:
        reported = ServiceStatus(
            application=application,
            status=record.status,
            note=record.note,
            company_number=record.company_number,
            incorporated_on=record.incorporated_on,
            written_by=written_by.pk if written_by else 0,
        )
        receive_status(draft, reported)


def _expected_statuses(application: Application, steps: Sequence[Delivery]) -> tuple[set[str], Delivery | None]:
    """Return the statuses that our own transitions explain, and the last acknowledged transition or None."""
    expected = {application.state}
    newest_first = sorted(steps, key=lambda step: (step.name == WITHDRAWAL, step.position), reverse=True)
    for step in newest_first:
        if step.state == DeliveryState.DONE and step.acknowledged is not None:
            expected.add(step.acknowledged.get("status", State.SUBMITTED_FOR_REVIEW.value))
            if step.reason not in _NOT_CALLED:
                return expected, step
    return expected | {State.DRAFT.value}, None


def _note_payment(draft: Draft, reading: EntityReading, record: EntityRecord) -> None:
    reading.status = record.status
    reading.payment_url = record.payment_url or reading.payment_url
    services.set_payment_due(draft, is_due=True)


def note_transition(row: Delivery, record: EntityRecord | None) -> None:
    """Schedule a reading after an acknowledged transition, and note a payment that the answer asks for."""
    reading, _ = EntityReading.objects.get_or_create(application_id=row.application_id)
    reading.next_at = timezone.now() + timing.READ_SOON
    if record is not None and record.awaits_payment and row.resource_kind is ResourceKind.SUBMISSION:
        reading.payment_url = ""
        _note_payment(open_draft(Application.objects.get(pk=row.application_id)), reading, record)
    reading.save()


def read_payment(application: Application) -> EntityRecord:
    """Return a record with the URL where the customer pays: read from the service within seconds, or the last known."""
    last = EntityRecord()
    if reading := EntityReading.objects.filter(pk=application.pk).first():
        last = EntityRecord(status=reading.status, payment_url=reading.payment_url)
    entity = Delivery.objects.filter(application=application, kind=ResourceKind.ENTITY).exclude(remote_id="").first()
    if entity is None or current_profile().is_paused(timezone.now()):
        return last
    try:
        fields = gateway.service().entity(entity.remote_id, within=timing.PAYMENT_PAGE_SECONDS)
    except GatewayError as error:
        logger.info("The payment address of %s was not read: %s", application.reference, type(error).__name__)
        return last
    record = EntityRecord.read(fields)
    if not record.awaits_payment:
        # The worker finds out whether the customer has paid.
        schedule_reading(application.pk, at=timezone.now())
    return replace(record, payment_url=record.payment_url or last.payment_url)
