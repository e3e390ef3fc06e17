"""How a call in doubt is resolved, by kind: the strictest strategy that the service's capabilities allow.

A pure choice from the row and the capabilities (design, "Relay").
"""

from enum import StrEnum

from .. import timing
from ..calls.routes import CREATE, sent_action
from ..models import STATE_CONFLICT, Delivery
from ..resources import ResourceKind
from ..service_profile import Capabilities


class Strategy(StrEnum):
    """How to find out whether a call arrived, or why that doesn't matter."""

    REPEAT = "repeat"  # the same again: harmless there
    LOOK_UP = "look"  # read the service's records
    HOLD = "hold"  # an agent has to find out


def strategy_for(row: Delivery, capabilities: Capabilities) -> Strategy:
    """The strategy for a row in doubt."""
    if row.is_transition:
        # It changes whatever status the entity has by then, so it is only repeated under a key that counts. One that
        # the service refuses, or that is no longer wanted, is not repeated at all: the entity's status is read.
        may_repeat = capabilities.honours_keys and row.repeats < timing.KEYED_REPEATS
        is_same = row.reason != STATE_CONFLICT and row.wanted == row.sent
        return Strategy.REPEAT if may_repeat and is_same else Strategy.LOOK_UP
    strategy = _strategy_for_thing(row, capabilities)
    most = timing.KEYED_REPEATS if capabilities.honours_keys else timing.REPEATS
    if strategy is Strategy.REPEAT and row.repeats >= most and not _is_harmless(row):
        return Strategy.HOLD
    return strategy


def _strategy_for_thing(row: Delivery, capabilities: Capabilities) -> Strategy:
    kind = row.resource_kind
    if capabilities.honours_keys or _is_harmless(row):
        return Strategy.REPEAT
    if kind is ResourceKind.DOCUMENT and capabilities.replaces_documents:
        return Strategy.REPEAT
    if kind in capabilities.lists:
        return Strategy.LOOK_UP
    return Strategy.REPEAT if kind in capabilities.refuses_repeats else Strategy.HOLD


def _is_harmless(row: Delivery) -> bool:
    """Whether the same twice is the same once by nature: anything but making a new record.

    csp-data goes out whole to a service that is not known to merge it.
    """
    kind = row.resource_kind
    return kind.is_csp or (sent_action(row) != CREATE and kind is not ResourceKind.DOCUMENT)
