"""One step of the relay: claim a row, make its call outside any transaction, conclude."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import IO

from formation_portal import gateway
from formation_portal.applications.models import Document
from formation_portal.gateway.errors import GatewayError

from .claiming import Claim, claim
from .concluding import conclude
from .kinds import Kind
from .models import Delivery, DeliveryState
from .outcomes import FILE_MISSING, Outcome, outcome_of
from .routes import CHANGE, CREATE, REMOVE, ROUTES, Parcel

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
    return Step(taken.row.pk, conclude(taken, _call(taken)))


def _call(taken: Claim) -> Outcome:
    row = taken.row
    kind, action = row.name[0], _action(row)
    try:
        return Outcome(DeliveryState.DONE, remote_id=_make(taken, kind, action))
    except GatewayError as error:
        return outcome_of(error, kind=kind, action=action)
    except FileGone:
        return Outcome(DeliveryState.HELD, FILE_MISSING)


def _action(row: Delivery) -> str:
    if row.sent is None:
        return REMOVE
    return CREATE if row.acknowledged is None else CHANGE


def _make(taken: Claim, kind: Kind, action: str) -> str:
    row, route = taken.row, ROUTES[kind]
    parcel = Parcel(
        service=gateway.service(),
        kind=kind,
        subject=row.subject,
        sent=row.sent or {},
        acknowledged=row.acknowledged or {},
        remote_id=row.remote_id,
        key=row.key,
        ids=taken.ids,
        open_file=_opener(row),
    )
    if action == REMOVE:
        route.remove(parcel)
        return ""
    return route.create(parcel) if action == CREATE else route.change(parcel)


def _opener(row: Delivery) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        digest = (row.sent or {}).get("sha256")
        document = Document.objects.filter(
            application_id=row.application_id, subject=row.subject, sha256=digest
        ).first()
        try:
            if document is not None:
                file: IO[bytes] = document.file.storage.open(str(document.file.name))
                return file
        except FileNotFoundError:
            logger.exception("The upload of delivery %s is lost", row.pk)
        raise FileGone

    return opened
