"""One step of the relay: claim a row, make its call outside any transaction, conclude."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import IO

from django.conf import settings
from django.utils import timezone

from formation_portal import gateway
from formation_portal.applications.models import Document
from formation_portal.gateway.errors import GatewayError
from formation_portal.gateway.tracing import request_id

from .claiming import Claim, claim
from .concluding import conclude, conclude_look
from .kinds import Kind
from .looking import Evidence, look
from .models import Delivery, DeliveryState
from .outcomes import FILE_MISSING, TOO_LATE, Outcome, outcome_of
from .parcel import Parcel
from .routes import CREATE, REMOVE, ROUTES, sent_action
from .standing import Standing, read_standing

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """What one step has done: the row as it stands now; None where its lease had ended."""

    claimed: int
    row: Delivery | None


class FileGone(Exception):
    """The upload is not there any more; a newer one has taken its place, or it was lost."""


def step(application_id: int, *, is_eager: bool = False, tried: Collection[int] = ()) -> Step | None:
    """Make the application's next call. None where there is nothing to do for now."""
    taken = claim(application_id, is_eager=is_eager, tried=tried)
    if taken is None:
        return None
    row = conclude_look(taken, _seen(taken)) if taken.is_look else conclude(taken, _call(taken))
    return Step(taken.row.pk, row)


def _seen(taken: Claim) -> Evidence | Standing | Outcome:
    """What the service's records show, or what became of reading them."""
    try:
        return read_standing(_parcel(taken)) if taken.row.name[0].is_deed else look(_parcel(taken))
    except GatewayError as error:
        return outcome_of(error, kind=taken.row.name[0], action=CREATE)


def _call(taken: Claim) -> Outcome:
    row = taken.row
    kind, action = row.name[0], sent_action(row)
    if not _has_time(taken):
        return Outcome(DeliveryState.WAITING, TOO_LATE, was_called=False)
    try:
        with request_id(taken.request_id):
            return Outcome(DeliveryState.DONE, remote_id=_make(taken, kind, action), request_id=taken.request_id)
    except GatewayError as error:
        return outcome_of(error, kind=kind, action=action)
    except FileGone:
        return Outcome(DeliveryState.HELD, FILE_MISSING, was_called=False)


def _has_time(taken: Claim) -> bool:
    """Whether the call would end within the lease: a process that was asleep must not send what others have settled."""
    longest = max(settings.ENV.call_timeout, settings.ENV.upload_timeout) * settings.RELAY_PACE
    left = taken.row.lease_until - timezone.now() if taken.row.lease_until else None
    return left is not None and left.total_seconds() > longest


def _make(taken: Claim, kind: Kind, action: str) -> str:
    route, parcel = ROUTES[kind], _parcel(taken)
    if action == REMOVE:
        route.remove(parcel)
        return ""
    return route.create(parcel) if action == CREATE else route.change(parcel)


def _parcel(taken: Claim) -> Parcel:
    row, can = taken.row, taken.known.can
    # Of what is done and looked at once more, what was acknowledged is what was sent.
    sent = row.sent if row.sent is not None else row.acknowledged if taken.is_look else None
    return Parcel(
        service=gateway.service(),
        kind=row.name[0],
        subject=row.subject,
        sent=sent or {},
        acknowledged=row.acknowledged or {},
        remote_id=row.remote_id,
        key=row.key,
        ids=taken.ids,
        open_file=_opener(row),
        reference=_reference(taken) if row.name[0] in can.references and row.name[0] is not Kind.ENTITY else "",
        merges_csp_data=can.merges_csp_data,
    )


def _reference(taken: Claim) -> str:
    return f"{taken.application.reference}/{taken.row.subject}"


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
        raise FileGone

    return opened
