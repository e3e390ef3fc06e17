"""Numbers and states as agents read them."""

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.desk.wording import ordinal, service_status_words, state_mark, state_words


@pytest.mark.parametrize(
    ("number", "words"), [(1, "first"), (10, "tenth"), (11, "no. 11"), (1_000, "no. 1,000"), (0, "no. 0")]
)
def test_submissions_are_numbered_in_words_up_to_ten(number: int, words: str) -> None:
    assert ordinal(number) == words


@pytest.mark.parametrize(
    ("state", "words", "mark", "at_the_service"),
    [
        ("draft", "Draft", "", "Draft"),
        ("submitted_for_review", "New", "open", "New"),
        ("in_review", "In review", "half", "In review"),
        ("returned_for_changes", "With customer", "heed", "Returned for changes"),
        ("submitted_to_csp", "With the registry", "met", "With the registry"),
        ("incorporated", "Incorporated", "met", "Incorporated"),
        ("rejected", "Declined", "stop", "Declined"),
        ("withdrawn", "Withdrawn", "", "Withdrawn"),
    ],
)
def test_agents_read_each_state(state: str, words: str, mark: str, at_the_service: str) -> None:
    assert (state_words(State(state)), state_mark(State(state))) == (words, mark)
    assert service_status_words(state) == at_the_service


def test_a_status_that_the_portal_does_not_know_is_read_as_it_is() -> None:
    assert service_status_words("struck_off") == "struck_off"
