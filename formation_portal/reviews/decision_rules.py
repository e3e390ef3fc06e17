"""List the kinds of decisions with their rules. `decisions` makes decisions, `scheduled_decisions` carries them out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from formation_portal.contract.lifecycle import State

from .models import DecisionKind
from .transactions import UNDER_REVIEW


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """The rule of a kind of decision: `states` are the states of the application in which it can be made.

    If it `needs_second_agent`, the desk asks once more, and with FOUR_EYES a second agent confirms it. `required` maps
    controls of the form to the messages for empty ones.
    """

    states: frozenset[State] = UNDER_REVIEW
    needs_second_agent: bool = False
    required: Mapping[str, str] = field(default_factory=dict)
    # Of a decision that is no transition of the lifecycle: its entry in the history, with the message as {text}.
    history: str = ""


DECISIONS: Mapping[str, DecisionRule] = {
    DecisionKind.APPROVE: DecisionRule(needs_second_agent=True),
    DecisionKind.RETURN: DecisionRule(),
    DecisionKind.DECLINE: DecisionRule(
        needs_second_agent=True,
        required={"reason": "Select a reason.", "text": "Tell the customer why."},
    ),
    DecisionKind.INCORPORATE: DecisionRule(
        frozenset({State.SUBMITTED_TO_CSP}),
        required={
            "register_number": "Enter the registration number.",
            "registered_on": "Enter the date of registration.",
            "confirmed": "Confirm that the number and date are as the registry has them.",
        },
    ),
}
# The messages of the history entries about decisions that move nothing.
HISTORY_MESSAGES = [rule.history for rule in DECISIONS.values() if rule.history]
