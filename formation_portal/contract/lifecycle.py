"""An entity's states and transitions, and a service's events (INTERFACE.md, "States and transitions", "Events")."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

from .localisation import gettext, gettext_noop


class State(StrEnum):
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
        return gettext(_WORDS[self])

    @property
    def is_open(self) -> bool:
        return self in WRITABLE


_WORDS = {
    State.DRAFT: gettext_noop("Draft"),
    State.SUBMITTED_FOR_REVIEW: gettext_noop("Submitted for review"),
    State.IN_REVIEW: gettext_noop("In review"),
    State.RETURNED_FOR_CHANGES: gettext_noop("Returned to you"),
    State.SUBMITTED_TO_CSP: gettext_noop("With the registry"),
    State.INCORPORATED: gettext_noop("Incorporated"),
    State.REJECTED: gettext_noop("Declined"),
    State.WITHDRAWN: gettext_noop("Withdrawn"),
}

WRITABLE = frozenset({State.DRAFT, State.RETURNED_FOR_CHANGES})
# The customer has submitted; an agent or the registry decides next.
UNDECIDED = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP})
# The states in which an incorporation reported by the formation service ends the case without an agent.
BEFORE_INCORPORATION = frozenset({State.IN_REVIEW, State.SUBMITTED_TO_CSP})
FINAL = frozenset({State.INCORPORATED, State.REJECTED, State.WITHDRAWN})


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of an entity's state by its customer or an agent. `history` is the text that the history shows.

    A transition that `is_sent` is a call to the formation service. Any other passes on to the customer a decision that
    the service has made itself.
    """

    name: str
    by: str
    sources: frozenset[State]
    target: State
    history: str = ""
    is_sent: bool = True


CUSTOMER, AGENT = "customer", "agent"

_IN_REVIEW = frozenset({State.IN_REVIEW})
_AT_REGISTRY = frozenset({State.SUBMITTED_TO_CSP})
_RETURNED = gettext_noop("Returned it for changes")
_DECLINED = gettext_noop("Declined it")
_TRANSITIONS = (
    Transition("submit", CUSTOMER, WRITABLE, State.SUBMITTED_FOR_REVIEW),
    Transition(
        "begin_review",
        AGENT,
        frozenset({State.SUBMITTED_FOR_REVIEW}),
        State.IN_REVIEW,
        gettext_noop("Started the review"),
    ),
    Transition("return", AGENT, _IN_REVIEW, State.RETURNED_FOR_CHANGES, _RETURNED),
    Transition("approve", AGENT, _IN_REVIEW, State.SUBMITTED_TO_CSP, gettext_noop("Approved it for the registry")),
    Transition("decline", AGENT, _IN_REVIEW, State.REJECTED, _DECLINED),
    Transition(
        "record_incorporation", AGENT, _AT_REGISTRY, State.INCORPORATED, gettext_noop("Marked it as incorporated")
    ),
    Transition("pass_on_return", AGENT, _AT_REGISTRY, State.RETURNED_FOR_CHANGES, _RETURNED, is_sent=False),
    Transition("pass_on_rejection", AGENT, _AT_REGISTRY, State.REJECTED, _DECLINED, is_sent=False),
    Transition("withdraw", CUSTOMER, frozenset(State) - FINAL, State.WITHDRAWN),
)
TRANSITIONS = {transition.name: transition for transition in _TRANSITIONS}


def is_possible(name: str, state: State) -> bool:
    return state in TRANSITIONS[name].sources


def transition_to(target: State, source: State) -> Transition | None:
    """Return the transition that leads from one state to another, or None."""
    for transition in TRANSITIONS.values():
        if transition.target is target and source in transition.sources:
            return transition
    return None


def is_agents_call(target: State, source: State | None) -> bool:
    """Tell whether an agent moves an entity to `target` by a call to the service. `source` is None if unknown."""
    transition = transition_to(target, source) if source else None
    if transition is None:
        candidates = [transition for transition in TRANSITIONS.values() if transition.target is target]
    else:
        candidates = [transition]
    return any(candidate.by == AGENT and candidate.is_sent for candidate in candidates)


EventKind = Literal[
    "party.added",
    "party.updated",
    "party.removed",
    "entity.created",
    "entity.status_changed",
    "document.uploaded",
    "shareholding.created",
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
