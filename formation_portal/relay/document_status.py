"""Read the status of sent documents from the service's list; only the worker does so (INTERFACE.md, "Documents").

A document that the service rejects comes back to the customer like a refused answer (`problems`).
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from formation_portal import gateway
from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL
from formation_portal.core.encrypted_fields import update_rows
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import GatewayError, Unsupported

from . import timing
from .calls import rate_limit
from .calls.outcomes import CallOutcome, outcome_of
from .calls.routes import CREATE
from .models import APPROVED, REJECTED, Delivery, DeliveryState, ResourceKind
from .service_profile import locked_profile

logger = logging.getLogger(__name__)

# The members of a record that may hold a note; INTERFACE.md names no such member.
_NOTES = ("status_note", "note", "reason", "rejection_reason")
_NOTE_LIMIT = 2_000
_RETURNED = gettext_noop("The formation service returned a document")


def read_due_documents() -> int:
    """Read the documents' status for each application due, outside any transaction. Return the number of readings."""
    readings = 0
    now = timezone.now()
    is_new = Q(read_next_at=None, updated_at__lte=now - timing.READ_SOON)
    due = _open_documents().filter(is_new | Q(read_next_at__lte=now)).order_by("application_id")
    for application_id in list(due.values_list("application_id", flat=True).distinct()):
        claimed_until = _claim(application_id)
        if claimed_until is None:
            break
        _read(application_id, claimed_until)
        readings += 1
    return readings


def read_documents_soon(entity_id: str) -> None:
    """Make the documents of an entity due for reading now. `entity_id` is the entity's id at the service."""
    entities = Delivery.objects.filter(kind=ResourceKind.ENTITY, remote_id=entity_id)
    documents = _open_documents().filter(application_id__in=entities.values("application_id"))
    documents.update(read_next_at=timezone.now())


def _open_documents() -> QuerySet[Delivery]:
    sent = Delivery.objects.filter(kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE, application__deleted_at=None)
    return sent.exclude(remote_id="").exclude(document_status=APPROVED).exclude(application__state__in=FINAL)


def _claim(application_id: int) -> datetime | None:
    """Claim the reading of an application's documents. Return when the claim ends; None if no call is allowed now."""
    with transaction.atomic():
        now = timezone.now()
        stored = locked_profile()
        if rate_limit.opens_at(stored, now) > now:
            return None
        rate_limit.count_calls(stored, now, is_retry=False)
        # Until then, other workers find that the reading is not due.
        until = now + timing.scaled(timing.LEASE)
        _open_documents().filter(application_id=application_id).update(read_next_at=until)
    return until


def _read(application_id: int, until: datetime) -> None:
    """Read the service's list of the application's documents, and store the status of each.

    A row whose due time has changed meanwhile is read again later: this reading began before the change.
    """
    entities = Delivery.objects.filter(application_id=application_id, kind=ResourceKind.ENTITY)
    try:
        records = gateway.service().records(entities.get().remote_id, Collection.DOCUMENTS)
    except GatewayError as error:
        wait = timing.READ_DAILY if isinstance(error, Unsupported) else timing.READ_SOON
        claimed = _open_documents().filter(application_id=application_id, read_next_at=until)
        claimed.update(read_next_at=timezone.now() + wait)
        learn_about_service(outcome_of(error, kind=ResourceKind.DOCUMENT, action=CREATE))
        return
    learn_about_service(CallOutcome(DeliveryState.DONE))
    records_by_id = {str(record.get("id") or record.get("document_id") or ""): record for record in records}
    with transaction.atomic():
        application = Application.objects.select_for_update().get(pk=application_id)
        rows = list(_open_documents().filter(Q(read_next_at=until) | Q(read_next_at=None), application=application))
        now = timezone.now()
        is_returned = False
        for row in rows:
            if _note_status(row, records_by_id.get(row.remote_id, {})):
                row.updated_at = now
                is_returned = is_returned or row.is_returned
        # Read again soon after a change, then ever more rarely.
        quiet = now - max((row.updated_at for row in rows), default=now)
        for row in rows:
            row.read_next_at = now + min(timing.READ_RARELY, max(timing.READ_SOON, quiet / 4))
        update_rows(rows, ("document_status", "document_note", "read_next_at", "updated_at"))
        if is_returned:
            services.reopen(open_draft(application), reason=_RETURNED)


def _note_status(row: Delivery, record: Mapping[str, Any]) -> bool:
    before = (row.document_status, row.document_note)
    row.document_status = ""
    row.document_note = ""
    if record.get("status") in (APPROVED, REJECTED):
        row.document_status = record["status"]
        notes = [" ".join(record[name].split()) for name in _NOTES if isinstance(record.get(name), str)]
        row.document_note = next(filter(None, notes), "")[:_NOTE_LIMIT]
    return (row.document_status, row.document_note) != before


def learn_about_service(outcome: CallOutcome) -> None:
    with transaction.atomic():
        rate_limit.record_outcome(locked_profile(), outcome, timezone.now(), was_retry=False)
