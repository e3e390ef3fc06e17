"""Word counts and the states of an application for agents."""

from formation_portal.contract.lifecycle import State

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def numbered(number: int, singular: str, plural: str = "") -> str:
    """Count things: 0 questions, 1 question, 3 questions."""
    if number == 1:
        return f"1 {singular}"
    return f"{number:,} {plural or singular + 's'}"


def if_any(number: int, singular: str, plural: str = "") -> str:
    return numbered(number, singular, plural) if number else ""


def ordinal(number: int) -> str:
    """Return "second" for 2; above ten "no. 11"."""
    return _ORDINALS[number - 1] if 1 <= number <= len(_ORDINALS) else f"no. {number:,}"


def together(*parts: str) -> str:
    """Join the parts that are not empty: "2 answers and 1 document"."""
    *others, last = list(filter(None, parts)) or [""]
    return f"{', '.join(others)} and {last}" if others else last


# For some states the words for customers say "you".
_WORDS = {State.SUBMITTED_FOR_REVIEW: "New", State.RETURNED_FOR_CHANGES: "With customer"}
WAITING_FOR_PAYMENT = "Waiting for payment"
_MARKS = {
    State.SUBMITTED_FOR_REVIEW: "open",
    State.IN_REVIEW: "half",
    State.RETURNED_FOR_CHANGES: "warning",
    State.REJECTED: "error",
    State.INCORPORATED: "met",
    State.SUBMITTED_TO_CSP: "met",
}


def state_words(state: State) -> str:
    return _WORDS.get(state, state.words)


def state_mark(state: State) -> str:
    """Return the mark of a state; "" for a withdrawn one."""
    return _MARKS.get(state, "")


def service_status_words(status: str) -> str:
    """Return the words for agents of a status of the formation service; an unknown status unchanged."""
    if status == State.RETURNED_FOR_CHANGES:
        return "Returned for changes"
    return state_words(State(status)) if status in set(State) else status
