"""Find out why a supplementary call was answered with 404, 405 or 501 (INTERFACE.md, "Entities")."""

from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import GatewayError, NoAnswer, NotAuthorised, NotFound, Unsupported

from ..models import DeliveryState
from .outcomes import CallOutcome, outcome_of
from .reconciliation import listed_ids
from .routes import COLLECTIONS, Claim


def outcome_of_missing_call(claim: Claim, error: Unsupported, *, action: str) -> CallOutcome:
    """Read the entity to find out what is missing, and return the outcome: WAITING if the entity can't be read."""
    try:
        is_gone = not _entity_exists(claim) or (isinstance(error, NotFound) and not _record_exists(claim, error))
    except GatewayError as unread:
        return CallOutcome(
            DeliveryState.WAITING,
            retry_after=unread.retry_after,
            status=error.status,
            request_id=error.request_id,
            error=type(error).__name__,
            has_answer=not isinstance(unread, NoAnswer),
        )
    return outcome_of(error, kind=claim.kind, action=action, is_gone=is_gone)


def _entity_exists(claim: Claim) -> bool:
    try:
        claim.service.entity(claim.entity_id)
    except (Unsupported, NotAuthorised):
        # The service may lack this call too. Every service has the entity's list of parties.
        try:
            claim.service.records(claim.entity_id, Collection.PARTIES)
        except NotFound:
            return False
    return True


def _record_exists(claim: Claim, error: Unsupported) -> bool:
    """Tell whether the service still lists the record; if it has no list, the code of `error` decides."""
    if claim.kind not in COLLECTIONS:
        return True
    try:
        return claim.row.remote_id in listed_ids(claim)
    except Unsupported:
        return error.code != "not_found"
