"""The status of the documents at the service: read from its list now and then, by the worker alone.

A document that it rejects comes back to the customer like any answer that it refuses, with its note (`problems`). The
interface shows no such list, so a service without one is asked again only after a day (supplement, "Documents").
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
from formation_portal.gateway.errors import GatewayError, Unsupported

from . import timing
from .calls import rate_limit
from .calls.outcomes import CallOutcome, outcome_of
from .calls.routes import CREATE
from .models import APPROVED, ENTITY, REJECTED, Delivery, DeliveryState, ResourceKind
from .service_profile import locked_profile

logger = logging.getLogger(__name__)

# The members in which a note may be; the supplement names none.
_NOTES = ("status_note", "note", "reason", "rejection_reason")
_NOTE_LIMIT = 2_000
_RETURNED = gettext_noop("The formation service returned a document")


def read_due_documents(*, is_eager: bool = False) -> int:
    """Read the documents of each application whose turn it is, as far as the service may be called; how many were read.

    `is_eager` reads those too whose time has not come. Never called inside a transaction.
    """
    done = 0
    now = timezone.now()
    first = Q(read_next_at=None, updated_at__lte=now - timing.READ_SOON)
    rows = _open_documents() if is_eager else _open_documents().filter(first | Q(read_next_at__lte=now))
    for application_id in list(rows.order_by("application_id").values_list("application_id", flat=True).distinct()):
        claimed_until = _claim(application_id, is_eager=is_eager)
        if claimed_until is None:
            break
        _read(application_id, claimed_until)
        done += 1
    return done


def read_soon(entity: str) -> None:
    """The documents of the service's entity with this id are due now, as an event about it has come."""
    kind, subject = ENTITY
    ours = Delivery.objects.filter(kind=kind, subject=subject, remote_id=entity).values("application_id")
    _open_documents().filter(application_id__in=ours).update(read_next_at=timezone.now())


def _open_documents() -> QuerySet[Delivery]:
    """The documents at the service whose status may still change."""
    there = Delivery.objects.filter(kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE, application__deleted_at=None)
    return there.exclude(remote_id="").exclude(document_status=APPROVED).exclude(application__state__in=FINAL)


def _claim(application_id: int, *, is_eager: bool) -> datetime | None:
    """Until when nobody else reads the documents of the application; None where the service may not be called."""
    with transaction.atomic():
        now, stored = timezone.now(), locked_profile()
        if not is_eager:
            if rate_limit.opens_at(stored, now) > now:
                return None
            rate_limit.count_calls(stored, now, is_retry=False)
        # Another worker that comes meanwhile finds that it is not due.
        until = now + timing.lease()
        _open_documents().filter(application_id=application_id).update(read_next_at=until)
    return until


def _read(application_id: int, until: datetime) -> None:
    """Read the list of the application's entity. Rows that are due at another moment by now are to be read again: this
    reading began before that was known, and says nothing of them."""
    kind, subject = ENTITY
    row = Delivery.objects.filter(application_id=application_id, kind=kind, subject=subject).first()
    try:
        records = gateway.service().documents(row.remote_id if row else "")
    except GatewayError as error:
        wait = timing.READ_DAILY if isinstance(error, Unsupported) else timing.READ_SOON
        mine = _open_documents().filter(application_id=application_id, read_next_at=until)
        mine.update(read_next_at=timezone.now() + wait)
        learn_about_service(outcome_of(error, kind=ResourceKind.DOCUMENT, action=CREATE))
        return
    learn_about_service(CallOutcome(DeliveryState.DONE))
    said = {str(record.get("id") or record.get("document_id") or ""): record for record in records}
    with transaction.atomic():
        application = Application.objects.select_for_update().get(pk=application_id)
        rows = list(_open_documents().filter(Q(read_next_at=until) | Q(read_next_at=None), application=application))
        news = [row for row in rows if _note_status(row, said.get(row.remote_id, {}))]
        now = timezone.now()
        for row in news:
            row.updated_at = now
        # Soon after something has changed, then ever more rarely.
        quiet = now - max((row.updated_at for row in rows), default=now)
        for row in rows:
            row.read_next_at = now + min(timing.READ_RARELY, max(timing.READ_SOON, quiet / 4))
        update_rows(rows, ("document_status", "document_note", "read_next_at", "updated_at"))
        if any(row.is_returned for row in news):
            services.reopen(open_draft(application), reason=_RETURNED)


def _note_status(row: Delivery, record: Mapping[str, Any]) -> bool:
    """Note what the record says of a document; whether that is new."""
    before = (row.document_status, row.document_note)
    status = record.get("status")
    notes = (record.get(name) for name in _NOTES)
    note = next((" ".join(one.split()) for one in notes if isinstance(one, str) and one.strip()), "")
    row.document_status = status if status in (APPROVED, REJECTED) else ""
    row.document_note = note[:_NOTE_LIMIT] if row.document_status else ""
    return (row.document_status, row.document_note) != before


def learn_about_service(outcome: CallOutcome) -> None:
    """What the answer shows about the service, as with every other call."""
    with transaction.atomic():
        rate_limit.record_outcome(locked_profile(), outcome, timezone.now(), was_retry=False)
