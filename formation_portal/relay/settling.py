"""What settles a call in doubt, endpoint by endpoint: the strictest rule that the service's capabilities allow.

Design, "Relay": evidence before hope. A pure choice from the row and the capabilities.
"""

from enum import StrEnum

from . import timing
from .capabilities import Capabilities
from .kinds import Kind
from .models import OTHERWISE, Delivery
from .routes import CREATE, sent_action


class Way(StrEnum):
    """How to find out whether it arrived, or to make it not matter."""

    REPEAT = "repeat"  # the same again: harmless there
    LOOK = "look"  # read the service's records
    HOLD = "hold"  # an agent has to find out


def way_for(row: Delivery, can: Capabilities) -> Way:
    """The way for a row in doubt."""
    if row.name[0].is_deed:
        return _way_for_deed(row, can)
    way = _way(row, can)
    most = timing.KEYED_REPEATS if can.honours_keys else timing.REPEATS
    if way is Way.REPEAT and row.repeats >= most and not _is_harmless(row):
        return Way.HOLD
    return way


def _way(row: Delivery, can: Capabilities) -> Way:
    kind = row.name[0]
    if can.honours_keys or _is_harmless(row):
        return Way.REPEAT
    if kind is Kind.DOCUMENT and can.replaces_documents:
        return Way.REPEAT
    if kind in can.lists:
        return Way.LOOK
    return Way.REPEAT if kind in can.refuses_repeats else Way.HOLD


def _way_for_deed(row: Delivery, can: Capabilities) -> Way:
    """A deed moves the entity from wherever it stands by then, so it is never repeated but under a key that counts.

    What the service refuses, or nobody wants to be told any more, is not repeated at all. Whether the entity's status
    can be read, reading it tells.
    """
    may_repeat = can.honours_keys and row.repeats < timing.KEYED_REPEATS
    if may_repeat and row.reason != OTHERWISE and row.wanted == row.sent:
        return Way.REPEAT
    return Way.LOOK


def _is_harmless(row: Delivery) -> bool:
    """Whether the same twice is the same once by nature: anything but making a new record.

    csp-data goes out whole to a service that is not known to merge it.
    """
    kind = row.name[0]
    return kind.is_csp or (sent_action(row) != CREATE and kind is not Kind.DOCUMENT)
