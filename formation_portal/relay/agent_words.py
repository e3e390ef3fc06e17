"""How rows, attempts and looks read for an agent: states and reasons in words."""

from collections.abc import Mapping

from .models import (
    OTHERWISE,
    RESEND,
    SURPLUS,
    TOLD,
    TWINS,
    UNCLEAR,
    UNSUPPORTED,
    Attempt,
    Delivery,
    DeliveryState,
    Look,
)

State = DeliveryState

_STATES: Mapping[str, str] = {
    State.QUEUED: "Will be sent",
    State.SENDING: "Being sent",
    State.DONE: "Received",
    State.WAITING: "Waiting to be tried again",
    State.UNKNOWN: "Not known whether it arrived",
    State.RECONCILING: "Its evidence is being read",
    State.HELD: "Held",
    State.REFUSED: "Refused: its customer has to change something",
}

_REASONS: Mapping[tuple[str, str], str] = {
    (State.HELD, UNCLEAR): "It may have arrived, and nothing that we can read tells",
    (State.HELD, OTHERWISE): "The service does not follow this: the application stands otherwise there",
    (State.UNKNOWN, OTHERWISE): "The service refused it for where the application stands: that is being read",
    (State.HELD, TWINS): "The service has several records that may be it, and nothing tells which",
    (State.HELD, UNSUPPORTED): "The service has no call for this change: it has to be told by hand",
    (State.HELD, "file_missing"): "The uploaded file is lost here",
    (State.HELD, "not_found"): "The service does not know it any more",
    (State.HELD, "unexpected"): "The service answered in a way that its interface does not allow",
    (State.HELD, "idempotency_key_reused"): "The service says that our key came with other contents before",
    (State.HELD, "invalid_state"): "The service takes no such change while the entity stands as it does",
    (State.HELD, "schema_superseded"): "The service has a newer form by now",
    (State.DONE, SURPLUS): "The service has more of it than it should",
    (State.DONE, UNSUPPORTED): "The service has no call for it: it counts here, and has to be told by hand",
    (State.DONE, TOLD): "The provider was told by hand",
    (State.WAITING, "not_authorised"): "The service does not accept our key",
    (State.WAITING, "not_allowed"): "Our key lacks the scope for it: an operator has to ask for it",
    (State.WAITING, RESEND): "It surely did not arrive, and is sent again",
}

_OUTCOMES: Mapping[str, str] = {
    "": "No end was recorded: under way, or its worker ended",
    "done": "Done",
    "in_progress": "The service is still at it",
    "bound_elsewhere": "The answer names a record of something else",
    "too_late": "Too much of its time was over: not sent",
    "worker_died": "The worker ended during the call",
    "NotSent": "No connection: surely not processed",
    "NotConfigured": "No service is configured: not sent",
    "Unclear": "No usable answer: it may have been processed",
    "Busy": "The service asked to come back: not processed",
    "Refused": "Refused for what was sent",
    "Conflict": "Refused: it stands against what is there",
    "NotAuthorised": "Our key was not accepted",
    "NotFound": "Not found there",
    "NotThere": "Not found there, or no such call",
    "Unsupported": "No such call there",
    "UnexpectedAnswer": "An answer that the interface does not allow: not processed",
}


def state_words(row: Delivery) -> str:
    """How the row stands: its reason where it has one, else its state."""
    if words := _REASONS.get((row.state, row.reason)):
        return words
    state = _STATES[row.state]
    return f"{state}: {plain(row.reason).lower()}" if row.reason and row.state == State.HELD else state


def outcome_words(attempt: Attempt) -> str:
    """What became of one call."""
    return _OUTCOMES.get(attempt.outcome, plain(attempt.outcome))


def conclusion_words(look: Look) -> str:
    """What was concluded from one reading."""
    return plain(look.conclusion)


def plain(word: str) -> str:
    """A stable word as people read it: `not_found` is "Not found"."""
    text = word.replace("_", " ").strip()
    return text[:1].upper() + text[1:]
