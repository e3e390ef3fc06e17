"""How deliveries, attempts and lookups read for an agent: states and reasons in words."""

from collections.abc import Mapping

from ..models import (
    AMBIGUOUS,
    DUPLICATE,
    PROVIDER_INFORMED,
    RESEND,
    STATE_CONFLICT,
    UNCLEAR,
    UNSUPPORTED,
    Attempt,
    Delivery,
    DeliveryState,
    Look,
)

_STATES: Mapping[str, str] = {
    DeliveryState.QUEUED: "Will be sent",
    DeliveryState.SENDING: "Being sent",
    DeliveryState.DONE: "Received",
    DeliveryState.WAITING: "Waiting to retry",
    DeliveryState.UNKNOWN: "Delivery uncertain",
    DeliveryState.RECONCILING: "Checking the service’s records",
    DeliveryState.HELD: "Held",
    DeliveryState.REFUSED: "Not accepted: the customer has to change something",
}

_REASONS: Mapping[tuple[str, str], str] = {
    (DeliveryState.HELD, UNCLEAR): "It may have arrived, but the service’s records do not show it",
    (DeliveryState.HELD, STATE_CONFLICT): "The application has a different status at the service",
    (
        DeliveryState.UNKNOWN,
        STATE_CONFLICT,
    ): "Not accepted because of the application’s status at the service; checking that status",
    (DeliveryState.HELD, AMBIGUOUS): "Several records at the service could be this one",
    (DeliveryState.HELD, UNSUPPORTED): "The service has no call for this change: inform the formation service",
    (DeliveryState.HELD, "file_missing"): "The uploaded file is missing from the portal",
    (DeliveryState.HELD, "not_found"): "The service no longer has it",
    (DeliveryState.HELD, "unexpected"): "The service sent an unexpected answer",
    (
        DeliveryState.HELD,
        "idempotency_key_reused",
    ): "The service says our idempotency key was used for different content",
    (DeliveryState.HELD, "invalid_state"): "The service does not accept this change in the entity’s current status",
    (DeliveryState.HELD, "schema_superseded"): "The service now has a newer form",
    (DeliveryState.DONE, DUPLICATE): "The service has duplicates",
    (DeliveryState.DONE, UNSUPPORTED): "Recorded here. The service has no call for it: inform the formation service",
    (DeliveryState.DONE, PROVIDER_INFORMED): "Formation service informed",
    (DeliveryState.WAITING, "not_authorised"): "The service does not accept our key",
    (DeliveryState.WAITING, "not_allowed"): "Our key lacks the scope for this: an operator has to request it",
    (DeliveryState.WAITING, RESEND): "It did not arrive and will be sent again",
}

_OUTCOMES: Mapping[str, str] = {
    "": "No result recorded: still running, or its worker stopped",
    "done": "Done",
    "in_progress": "The service is still processing it",
    "bound_elsewhere": "The answer names a different record",
    "too_late": "Out of time: not sent",
    "worker_died": "The worker stopped during the call",
    "NotSent": "No connection: not processed",
    "NotConfigured": "No service configured: not sent",
    "Unclear": "No usable answer: it may have been processed",
    "Busy": "The service was busy: not processed",
    "Refused": "Not accepted because of its content",
    "Conflict": "Not accepted: conflicts with an existing record",
    "NotAuthorised": "Our key was not accepted",
    "NotFound": "Not found",
    "NotThere": "Not found, or no such call",
    "Unsupported": "No such call",
    "UnexpectedAnswer": "Unexpected answer: not processed",
}

# As lookups keep them, in words; any other conclusion can be read as it is.
_CONCLUSIONS: Mapping[str, str] = {
    "bound": "Found",
    "not there": "Not found",
    "several may be it": "Several possible matches",
    "no list to read": "No list available",
    "as it should be": "Up to date",
    "surplus": "Duplicates found",
    "no state that we know": "Unknown status",
}
_STATUS_PREFIX = "it stands at "


def state_words(row: Delivery) -> str:
    """The state of the row: its reason where it has one, else the state itself."""
    if words := _REASONS.get((row.state, row.reason)):
        return words
    state = _STATES[row.state]
    return f"{state}: {readable(row.reason).lower()}" if row.reason and row.state == DeliveryState.HELD else state


def outcome_words(attempt: Attempt) -> str:
    """What became of one call."""
    return _OUTCOMES.get(attempt.outcome, readable(attempt.outcome))


def conclusion_words(look: Look) -> str:
    """What was concluded from one reading."""
    if look.conclusion.startswith(_STATUS_PREFIX):
        return f"Status there: {readable(look.conclusion.removeprefix(_STATUS_PREFIX)).lower()}"
    return _CONCLUSIONS.get(look.conclusion) or readable(look.conclusion)


def readable(word: str) -> str:
    """A stable word as people read it: `not_found` is "Not found"."""
    text = word.replace("_", " ").strip()
    return text[:1].upper() + text[1:]
