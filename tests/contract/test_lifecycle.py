"""The states and what leads from one to another, as the table of INTERFACE.md, "States and transitions", has them."""

import itertools

import pytest

from formation_portal.contract.lifecycle import (
    BEFORE_INCORPORATION,
    FINAL,
    TRANSITIONS,
    UNDECIDED,
    WRITABLE,
    State,
    is_possible,
    transition_to,
)

ANY_BUT_FINAL = set(State) - {State.INCORPORATED, State.REJECTED, State.WITHDRAWN}

TABLE = {
    "submit": ("customer", {State.DRAFT, State.RETURNED_FOR_CHANGES}, State.SUBMITTED_FOR_REVIEW),
    "begin_review": ("agent", {State.SUBMITTED_FOR_REVIEW}, State.IN_REVIEW),
    "return": ("agent", {State.IN_REVIEW}, State.RETURNED_FOR_CHANGES),
    "approve": ("agent", {State.IN_REVIEW}, State.SUBMITTED_TO_CSP),
    "decline": ("agent", {State.IN_REVIEW}, State.REJECTED),
    "record_incorporation": ("agent", {State.SUBMITTED_TO_CSP}, State.INCORPORATED),
    "pass_on_return": ("agent", {State.SUBMITTED_TO_CSP}, State.RETURNED_FOR_CHANGES),
    "pass_on_rejection": ("agent", {State.SUBMITTED_TO_CSP}, State.REJECTED),
    "withdraw": ("customer", ANY_BUT_FINAL, State.WITHDRAWN),
}


def test_who_may_move_an_entity_from_where_to_where() -> None:
    assert {name: (one.by, set(one.sources), one.target) for name, one in TRANSITIONS.items()} == TABLE


@pytest.mark.parametrize("name", TABLE)
def test_a_transition_is_open_in_its_own_states_alone(name: str) -> None:
    assert {state for state in State if is_possible(name, state)} == TABLE[name][1]


def test_the_way_from_one_state_to_another_is_known_where_there_is_one() -> None:
    ways = {(source, target): name for name, (_, sources, target) in TABLE.items() for source in sources}
    for source, target in itertools.product(State, State):
        found = transition_to(target, source)
        assert (found.name if found else None) == ways.get((source, target))


def test_the_states_are_grouped_by_who_has_the_application() -> None:
    assert {State.DRAFT, State.RETURNED_FOR_CHANGES} == WRITABLE
    assert {State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP} == UNDECIDED
    assert {State.IN_REVIEW, State.SUBMITTED_TO_CSP} == BEFORE_INCORPORATION
    assert {State.INCORPORATED, State.REJECTED, State.WITHDRAWN} == FINAL


def test_what_passes_on_a_decision_of_the_service_is_no_call_to_it() -> None:
    assert {name for name, one in TRANSITIONS.items() if not one.is_sent} == {"pass_on_return", "pass_on_rejection"}
