"""What an answer of the service, or the lack of one, means for a row: the one table from evidence to state."""

from dataclasses import dataclass

from formation_portal.gateway.errors import (
    Busy,
    Conflict,
    FieldProblem,
    GatewayError,
    NoAnswer,
    NotAuthorised,
    NotFound,
    NotSent,
    Refused,
    Unclear,
    Unsupported,
)
from formation_portal.gateway.records import EntityRecord

from ..models import OWN_REASONS, STATE_CONFLICT, UNCLEAR, UNSUPPORTED, DeliveryState, ResourceKind
from .bodies import is_id_of_another_kind
from .routes import CREATE, REMOVE

NOT_AUTHORISED, NOT_ALLOWED, IN_PROGRESS, BOUND_ELSEWHERE, TOO_LATE = (
    "not_authorised",
    "not_allowed",
    "in_progress",
    "bound_elsewhere",
    "too_late",
)
# A refusal without a code of its own that names nothing a customer could change.
NOT_ACCEPTED = "not_accepted"
# The service refuses the same to everybody: nothing that a customer could change.
NOT_FOR_CUSTOMERS = frozenset(
    {"invalid_state", "schema_superseded", "idempotency_key_reused", "malformed_json", "unknown_field"}
)
# Of a refusal without a field, these statuses speak about what was sent.
_CONTENT_STATUSES = frozenset({409, 413, 415, 422})
# Of an upload, these statuses speak about its file, by the interface's name for it.
_FILE_STATUSES, FILE = frozenset({413, 415}), "file"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What became of one call."""

    state: DeliveryState
    reason: str = ""
    remote_id: str = ""
    # It was there already: that it exists is all that is sure.
    existed_already: bool = False
    problems: tuple[FieldProblem, ...] = ()
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
        """The word that the record of attempts keeps."""
        return self.error or self.reason or self.state.value


def outcome_of(error: GatewayError, *, kind: ResourceKind, action: str, is_gone: bool = False) -> CallOutcome:
    """Return the outcome of a call that did not bring a usable answer. `is_gone`: the service has no such record."""
    state, reason = _state_of(error, kind=kind, action=action, is_gone=is_gone)
    field = FILE if kind is ResourceKind.DOCUMENT and error.status in _FILE_STATUSES else ""
    whole = FieldProblem(field=field, code=error.code or "refused", message=error.message)
    is_refusal = isinstance(error, Refused) and state in (DeliveryState.REFUSED, DeliveryState.HELD)
    return CallOutcome(
        state,
        reason,
        remote_id=error.existing_id if state == DeliveryState.DONE and action == CREATE else "",
        existed_already=state == DeliveryState.DONE and action == CREATE and bool(error.existing_id),
        problems=(error.problems or (whole,)) if is_refusal else (),
        retry_after=error.retry_after,
        status=error.status,
        request_id=error.request_id,
        error=type(error).__name__,
        has_answer=not isinstance(error, NoAnswer),
    )


def _state_of(error: GatewayError, *, kind: ResourceKind, action: str, is_gone: bool) -> tuple[DeliveryState, str]:
    if isinstance(error, NotAuthorised):
        # Telling of a review takes a scope of its own; without it the key is still good for all else.
        lacks_scope = kind is ResourceKind.STATUS and error.status == 403
        return DeliveryState.WAITING, NOT_ALLOWED if lacks_scope else NOT_AUTHORISED
    if is_gone or (isinstance(error, NotFound) and not isinstance(error, Unsupported)):
        return (DeliveryState.DONE, "") if action == REMOVE else (DeliveryState.HELD, "not_found")
    if isinstance(error, Unsupported):
        return (DeliveryState.DONE if kind.is_transition else DeliveryState.HELD), UNSUPPORTED
    if isinstance(error, Busy):
        return (
            (DeliveryState.UNKNOWN, IN_PROGRESS) if error.code == "request_in_progress" else (DeliveryState.WAITING, "")
        )
    if isinstance(error, NotSent):
        return DeliveryState.WAITING, ""
    if isinstance(error, Unclear):
        return DeliveryState.UNKNOWN, UNCLEAR
    # The service's code for it, marked where it equals one of our own reasons, which only we may give.
    said = f"said {error.code}" if error.code in OWN_REASONS else error.code
    names_a_record = bool(error.existing_id) and not is_id_of_another_kind(kind, error.existing_id)
    if isinstance(error, Conflict) and action == CREATE and names_a_record:
        return DeliveryState.DONE, "was_there"
    if isinstance(error, Refused):
        is_for_everybody = error.code in NOT_FOR_CUSTOMERS
        is_conflict = error.status == 409 and not error.problems and not is_for_everybody
        if kind.is_transition and (error.code == "invalid_state" or is_conflict):
            # For the entity's status: it may have been done before.
            return DeliveryState.UNKNOWN, STATE_CONFLICT
        is_about_content = bool(error.problems) or error.status in _CONTENT_STATUSES
        if is_about_content and not is_for_everybody and action != REMOVE and kind is not ResourceKind.STATUS:
            return DeliveryState.REFUSED, said
    return DeliveryState.HELD, said or "unexpected"
