"""Turn an answer of the service, or the lack of an answer, into the next state of a delivery."""

from dataclasses import dataclass

from formation_portal.gateway import errors
from formation_portal.gateway.records import EntityRecord

from ..models import OWN_REASONS, DeliveryState, Reason, ResourceKind
from .bodies import is_id_of_another_kind
from .routes import CREATE, REMOVE

# Codes of refusals that name nothing a customer could change.
NOT_FOR_CUSTOMERS = frozenset(
    {"invalid_state", "schema_superseded", "idempotency_key_reused", "malformed_json", "unknown_field"}
)
# Statuses that refuse the sent content, even if the refusal names no field.
_CONTENT_STATUSES = frozenset({409, 413, 415, 422})
# Statuses that refuse the file of an upload, and the interface's name for the file.
_FILE_STATUSES = frozenset({413, 415})
FILE = "file"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    state: DeliveryState
    reason: str = ""
    remote_id: str = ""
    # The service had the resource before: only its existence is sure.
    existed_already: bool = False
    problems: tuple[errors.FieldProblem, ...] = ()
    retry_after: float | None = None
    status: int | None = None
    request_id: str = ""
    error: str = ""
    # Whether the service gave any answer that shows it at work.
    has_answer: bool = True
    # Whether the service was called at all.
    was_called: bool = True
    # Of an acknowledged submission: the entity as the answer shows it.
    entity: EntityRecord | None = None

    @property
    def word(self) -> str:
        return self.error or self.reason or self.state.value


def outcome_of(error: errors.GatewayError, *, kind: ResourceKind, action: str, is_gone: bool = False) -> CallOutcome:
    """Return the outcome of a call that raised this error. `is_gone`: the service has no such record."""
    state, reason = _state_of(error, kind=kind, action=action, is_gone=is_gone)
    problems: tuple[errors.FieldProblem, ...] = ()
    if isinstance(error, errors.Refused) and state in (DeliveryState.REFUSED, DeliveryState.HELD):
        field = FILE if kind is ResourceKind.DOCUMENT and error.status in _FILE_STATUSES else ""
        whole = errors.FieldProblem(field=field, code=error.code or "refused", message=error.message)
        problems = error.problems or (whole,)
    existing_id = ""
    if state == DeliveryState.DONE and action == CREATE:
        existing_id = error.existing_id
    return CallOutcome(
        state,
        reason,
        remote_id=existing_id,
        existed_already=bool(existing_id),
        problems=problems,
        retry_after=error.retry_after,
        status=error.status,
        request_id=error.request_id,
        error=type(error).__name__,
        has_answer=not isinstance(error, errors.NoAnswer),
    )


def _state_of(
    error: errors.GatewayError, *, kind: ResourceKind, action: str, is_gone: bool
) -> tuple[DeliveryState, str]:
    if isinstance(error, errors.NotAuthorised):
        # A change of status needs its own scope; a key without that scope still works for all other calls.
        if kind is ResourceKind.STATUS and error.status == 403:
            return DeliveryState.WAITING, Reason.NOT_ALLOWED
        return DeliveryState.WAITING, Reason.NOT_AUTHORISED
    if is_gone or (isinstance(error, errors.NotFound) and not isinstance(error, errors.Unsupported)):
        if action == REMOVE:
            return DeliveryState.DONE, ""
        return DeliveryState.HELD, "not_found"
    if isinstance(error, errors.Unsupported):
        if kind.is_transition:
            return DeliveryState.DONE, Reason.UNSUPPORTED
        return DeliveryState.HELD, Reason.UNSUPPORTED
    if isinstance(error, errors.Busy) and error.code == "request_in_progress":
        return DeliveryState.UNKNOWN, Reason.IN_PROGRESS
    if isinstance(error, errors.Busy | errors.NotSent):
        return DeliveryState.WAITING, ""
    if isinstance(error, errors.Unclear):
        return DeliveryState.UNKNOWN, Reason.UNCLEAR
    # The service's code, marked if it equals one of our own reasons, which only we may give.
    reason = f"said {error.code}" if error.code in OWN_REASONS else error.code
    names_a_record = bool(error.existing_id) and not is_id_of_another_kind(kind, error.existing_id)
    if isinstance(error, errors.Conflict) and action == CREATE and names_a_record:
        return DeliveryState.DONE, "was_there"
    if isinstance(error, errors.Refused):
        is_for_everybody = error.code in NOT_FOR_CUSTOMERS
        is_conflict = error.status == 409 and not error.problems and not is_for_everybody
        if kind.is_transition and (error.code == "invalid_state" or is_conflict):
            # Refused because of the entity's status: the transition may already have been applied.
            return DeliveryState.UNKNOWN, Reason.STATE_CONFLICT
        is_about_content = bool(error.problems) or error.status in _CONTENT_STATUSES
        if is_about_content and not is_for_everybody and action != REMOVE and kind is not ResourceKind.STATUS:
            return DeliveryState.REFUSED, reason
    return DeliveryState.HELD, reason or "unexpected"
