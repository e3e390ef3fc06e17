"""The states and what leads from one to another, as the table of INTERFACE.md, "States and transitions", has them."""

import itertools

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
    assert {name for name, one in TRANSITIONS.items() if not one.is_sent} == {"pass_on_return", "pass_on_rejection"}
    for name, (_, sources, _) in TABLE.items():
        assert {state for state in State if is_possible(name, state)} == sources
    ways = {(source, target): name for name, (_, sources, target) in TABLE.items() for source in sources}
    for source, target in itertools.product(State, State):
        found = transition_to(target, source)
        assert (found.name if found else None) == ways.get((source, target))


def test_the_states_are_grouped_by_who_has_the_application() -> None:
    assert {State.DRAFT, State.RETURNED_FOR_CHANGES} == WRITABLE
    assert {State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP} == UNDECIDED
    assert {State.IN_REVIEW, State.SUBMITTED_TO_CSP} == BEFORE_INCORPORATION
    assert {State.INCORPORATED, State.REJECTED, State.WITHDRAWN} == FINAL
