"""The rows and columns of the page of shares, as its templates draw them."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from formation_portal.contract.language import figure, say

from .money import money
from .picture import Swatch


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One class of shares: its properties in words, and how far it has come."""

    name: str
    at_most: str
    par_value: str
    votes: str
    dividends: str
    status: str
    edit_url: str
    remove_url: str
    delivery: str
    why: str


@dataclass(frozen=True, slots=True)
class Cell:
    """How many shares of one class a holder has, as typed; `delivery` only where it is neither saved nor received."""

    # The tokens of party and class.
    pair: tuple[str, str]
    name: str
    id: str
    label: str
    typed: str
    error: str
    is_refused: bool
    delivery: str
    remove_url: str


@dataclass(frozen=True, slots=True)
class HolderRow:
    """One holder with a cell for each class, and the parts that follow."""

    token: str
    label: str
    swatch: Swatch
    cells: tuple[Cell, ...]
    of_shares: str
    of_votes: str


@dataclass(frozen=True, slots=True)
class Column:
    """One class with its sums, and in words what is left of it; `error` where more is given than there is."""

    token: str
    id: str
    label: str
    given: str
    rest: str
    error: str
    paid_in: str


def cell_name(party_token: str, class_token: str) -> str:
    """The name and the id of one cell."""
    return f"holding:{party_token}:{class_token}"


def is_cell(name: str) -> bool:
    """Whether a control of that name would be a cell."""
    return name.startswith(cell_name("", "")[:-1])


def figure_of(number: int | None) -> str:
    """A number as it is read; nothing where there is none."""
    return "" if number is None else figure(number)


def amount_of(number: Any, currency: Any) -> str:
    """An amount of money as it is read; nothing where there is none."""
    return "" if number is None else money(Decimal(str(number)), str(currency or ""))


def yes_or_no(value: Any) -> str:
    """Yes or no; nothing where nobody has said so."""
    return "" if value is None else say("Yes") if value else say("No")
