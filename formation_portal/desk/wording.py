"""Numbers of things and the states of an application, as agents read them."""

from formation_portal.contract.lifecycle import State

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def numbered(number: int, one: str, many: str = "") -> str:
    """0 questions, 1 question, 3 questions."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def if_any(number: int, one: str, many: str = "") -> str:
    """1 question, 3 questions; nothing for none."""
    return numbered(number, one, many) if number else ""


def ordinal(number: int) -> str:
    """ "second" for 2; above ten "no. 11"."""
    return _ORDINALS[number - 1] if 1 <= number <= len(_ORDINALS) else f"no. {number:,}"


def together(*parts: str) -> str:
    """What there is of the parts, as one says it: "2 answers and 1 document"."""
    *others, last = [part for part in parts if part] or [""]
    return f"{', '.join(others)} and {last}" if others else last


# As a customer reads them, some states say "you"; here they are the customer's.
_WORDS = {State.SUBMITTED_FOR_REVIEW: "New", State.RETURNED_FOR_CHANGES: "With customer"}
WAITING_FOR_PAYMENT = "Waiting for payment"
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


def service_status_words(status: str) -> str:
    """A status of the formation service as agents read it; one that the portal does not know, as it is."""
    if status == State.RETURNED_FOR_CHANGES:
        return "Returned for changes"
    return state_words(State(status)) if status in set(State) else status
