"""With whom a submitted application stands: with us, with its customer, or with the registry."""

from enum import StrEnum

from formation_portal.contract.lifecycle import State


class Side(StrEnum):
    """Who has to do the next thing; the value is the column that counts it."""

    US = "with_us"
    CUSTOMER = "with_customer"
    REGISTRY = "with_registry"

    @property
    def words(self) -> str:
        """As agents read it."""
        return _WORDS[self]


_WORDS = {Side.US: "With us", Side.CUSTOMER: "With the customer", Side.REGISTRY: "With the registry"}

_SIDES = {
    State.SUBMITTED_FOR_REVIEW: Side.US,
    State.IN_REVIEW: Side.US,
    State.RETURNED_FOR_CHANGES: Side.CUSTOMER,
    State.SUBMITTED_TO_CSP: Side.REGISTRY,
}


def side_of(state: State) -> Side | None:
    """With whom an application in that state stands; with nobody once it is closed."""
    return _SIDES.get(state)
