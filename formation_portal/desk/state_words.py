"""The states of an application as agents read them, and their marks."""

from formation_portal.contract.lifecycle import State

# As a customer reads them, some states say "you"; here they are the customer's.
_WORDS = {State.SUBMITTED_FOR_REVIEW: "New", State.RETURNED_FOR_CHANGES: "With customer"}
_MARKS = {
    State.SUBMITTED_FOR_REVIEW: "open",
    State.IN_REVIEW: "half",
    State.RETURNED_FOR_CHANGES: "heed",
    State.REJECTED: "stop",
    State.INCORPORATED: "met",
    State.SUBMITTED_TO_CSP: "met",
}


def state_words(state: State) -> str:
    """A state as agents read it."""
    return _WORDS.get(state, state.words)


def state_mark(state: State) -> str:
    """Its mark; nothing for one that was withdrawn."""
    return _MARKS.get(state, "")
