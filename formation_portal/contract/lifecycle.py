"""The states of an entity and the deeds that move them (supplement, "Entities")."""

from dataclasses import dataclass
from enum import StrEnum

from .language import noted, say


class State(StrEnum):
    """Where an entity stands."""

    DRAFT = "draft"
    SUBMITTED_FOR_REVIEW = "submitted_for_review"
    IN_REVIEW = "in_review"
    RETURNED_FOR_CHANGES = "returned_for_changes"
    SUBMITTED_TO_CSP = "submitted_to_csp"
    INCORPORATED = "incorporated"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"

    @property
    def words(self) -> str:
        """The state as people read it."""
        return say(_WORDS[self])

    @property
    def is_open(self) -> bool:
        """Whether the customer may still write."""
        return self in WRITABLE


_WORDS = {
    State.DRAFT: noted("Draft"),
    State.SUBMITTED_FOR_REVIEW: noted("Submitted for review"),
    State.IN_REVIEW: noted("In review"),
    State.RETURNED_FOR_CHANGES: noted("Returned to you"),
    State.SUBMITTED_TO_CSP: noted("With the registry"),
    State.INCORPORATED: noted("Incorporated"),
    State.REJECTED: noted("Declined"),
    State.WITHDRAWN: noted("Withdrawn"),
}

WRITABLE = frozenset({State.DRAFT, State.RETURNED_FOR_CHANGES})
FINAL = frozenset({State.INCORPORATED, State.REJECTED, State.WITHDRAWN})


@dataclass(frozen=True, slots=True)
class Deed:
    """One way to move an entity: who may do it, from which states, to which."""

    name: str
    by: str
    sources: frozenset[State]
    target: State


CUSTOMER, AGENT = "customer", "agent"

DEEDS = {
    deed.name: deed
    for deed in (
        Deed("submit", CUSTOMER, WRITABLE, State.SUBMITTED_FOR_REVIEW),
        Deed("begin_review", AGENT, frozenset({State.SUBMITTED_FOR_REVIEW}), State.IN_REVIEW),
        Deed("return", AGENT, frozenset({State.IN_REVIEW}), State.RETURNED_FOR_CHANGES),
        Deed("approve", AGENT, frozenset({State.IN_REVIEW}), State.SUBMITTED_TO_CSP),
        Deed("decline", AGENT, frozenset({State.IN_REVIEW}), State.REJECTED),
        Deed("record_incorporation", AGENT, frozenset({State.SUBMITTED_TO_CSP}), State.INCORPORATED),
        Deed(
            "withdraw",
            CUSTOMER,
            frozenset(State) - {State.INCORPORATED, State.REJECTED, State.WITHDRAWN},
            State.WITHDRAWN,
        ),
    )
}


def may(name: str, state: State) -> bool:
    """Whether the deed is open to an entity in the state."""
    return state in DEEDS[name].sources


def deed_to(target: State, source: State) -> Deed | None:
    """The deed that leads from one state to another, or None."""
    return next((deed for deed in DEEDS.values() if deed.target is target and source in deed.sources), None)
