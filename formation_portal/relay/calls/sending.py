"""One step of the relay: claim a row, make its call outside any transaction, record the result."""

import logging
from collections.abc import Callable, Collection
from typing import IO

from django.conf import settings
from django.utils import timezone

from formation_portal import gateway
from formation_portal.applications.models import Document
from formation_portal.gateway.calls import use_request_id
from formation_portal.gateway.errors import GatewayError

from ..claiming import Claim, claim
from ..models import Delivery, DeliveryState
from ..reconciliation.records import Evidence, look_up
from ..reconciliation.transitions import EntityStatus, read_entity_status
from ..resources import ResourceKind
from .outcomes import FILE_MISSING, TOO_LATE, CallOutcome, outcome_of
from .outgoing_call import OutgoingCall
from .results import record_lookup, record_result
from .routes import CREATE, REMOVE, ROUTES, sent_action

logger = logging.getLogger(__name__)


class MissingFile(Exception):
    """The upload is not there any more; a newer one has taken its place, or it was lost."""


def make_next_call(
    application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()
) -> tuple[int, Delivery | None] | None:
    """Make the application's next call: the row's primary key, and the row as it is now, None where its lease had
    ended. None where there is nothing to do for now."""
    claimed = claim(application_id, is_eager=is_eager, tried=tried)
    if claimed is None:
        return None
    row = record_lookup(claimed, _look_up(claimed)) if claimed.is_lookup else record_result(claimed, _call(claimed))
    return claimed.row.pk, row


def _look_up(claimed: Claim) -> Evidence | EntityStatus | CallOutcome:
    """What the service's records show, or what became of reading them."""
    try:
        return (
            read_entity_status(_outgoing_call(claimed))
            if claimed.row.is_transition
            else look_up(_outgoing_call(claimed))
        )
    except GatewayError as error:
        return outcome_of(error, kind=claimed.row.resource_kind, action=CREATE)


def _call(claimed: Claim) -> CallOutcome:
    row = claimed.row
    kind, action = row.resource_kind, sent_action(row)
    # The call has to end within the lease: a process that was asleep must not send what others have done.
    longest = max(settings.ENV.call_timeout, settings.ENV.upload_timeout) * settings.RELAY_PACE
    if row.lease_until is None or (row.lease_until - timezone.now()).total_seconds() <= longest:
        return CallOutcome(DeliveryState.WAITING, TOO_LATE, was_called=False)
    try:
        with use_request_id(claimed.request_id):
            route, call, remote_id = ROUTES[kind], _outgoing_call(claimed), ""
            if action == REMOVE:
                route.remove(call)
            else:
                remote_id = route.create(call) if action == CREATE else route.change(call)
        return CallOutcome(DeliveryState.DONE, remote_id=remote_id, request_id=claimed.request_id)
    except GatewayError as error:
        return outcome_of(error, kind=kind, action=action)
    except MissingFile:
        return CallOutcome(DeliveryState.HELD, FILE_MISSING, was_called=False)


def _outgoing_call(claimed: Claim) -> OutgoingCall:
    row, capabilities = claimed.row, claimed.profile.capabilities
    # Of what is done and looked at once more, what was acknowledged is what was sent.
    sent = row.sent if row.sent is not None else row.acknowledged if claimed.is_lookup else None
    has_reference = row.resource_kind in capabilities.references and row.resource_kind is not ResourceKind.ENTITY
    return OutgoingCall(
        service=gateway.service(),
        kind=row.resource_kind,
        subject=row.subject,
        sent=sent or {},
        acknowledged=row.acknowledged or {},
        remote_id=row.remote_id,
        key=row.key,
        ids=claimed.ids,
        open_file=_opener(row),
        reference=f"{claimed.application.reference}/{row.subject}" if has_reference else "",
        merges_csp_data=capabilities.merges_csp_data,
    )


def _opener(row: Delivery) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        digest = (row.sent or {}).get("sha256")
        document = (
            Document.objects.in_use()
            .filter(application_id=row.application_id, subject=row.subject, sha256=digest)
            .first()
        )
        try:
            if document is not None:
                file: IO[bytes] = document.file.storage.open(str(document.file.name))
                return file
        except FileNotFoundError:
            logger.exception("The file of delivery %s is missing", row.pk)
        raise MissingFile

    return opened
