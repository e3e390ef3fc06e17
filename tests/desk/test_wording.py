"""Numbers and states as agents read them."""

from formation_portal.contract.lifecycle import State
from formation_portal.desk.wording import ordinal, service_status_words, state_mark, state_words

# What customers read, what agents read, the mark at the desk, and what agents read of the service's own status.
STATES = {
    "draft": ("Draft", "Draft", "", "Draft"),
    "submitted_for_review": ("Submitted for review", "New", "open", "New"),
    "in_review": ("In review", "In review", "half", "In review"),
    "returned_for_changes": ("Returned to you", "With customer", "warning", "Returned for changes"),
    "submitted_to_csp": ("With the registry", "With the registry", "met", "With the registry"),
    "incorporated": ("Incorporated", "Incorporated", "met", "Incorporated"),
    "rejected": ("Declined", "Declined", "error", "Declined"),
    "withdrawn": ("Withdrawn", "Withdrawn", "", "Withdrawn"),
}


def test_submissions_are_numbered_in_words_up_to_ten() -> None:
    assert [ordinal(number) for number in (0, 1, 10, 11, 1_000)] == ["no. 0", "first", "tenth", "no. 11", "no. 1,000"]


def test_every_state_has_its_words_and_its_mark() -> None:
    assert {
        state.value: (state.words, state_words(state), state_mark(state), service_status_words(state.value))
        for state in State
    } == STATES
    assert service_status_words("on_hold") == "on_hold"
