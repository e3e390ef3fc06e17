"""The grid of who holds what: its rows and columns, what is left of each class, and splitting a class equally."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.localisation import format_number, gettext, gettext_noop, join_list, ngettext
from formation_portal.contract.shares import split_equally as equal_parts
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Swatch
from formation_portal.ui.prices import money


@dataclass(frozen=True, slots=True)
class ShareClassLine:
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
class HoldingCell:
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
    cells: tuple[HoldingCell, ...]
    of_shares: str
    of_votes: str


@dataclass(frozen=True, slots=True)
class ShareClassTotal:
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


def number_or_blank(number: int | None) -> str:
    """A number as it is read; nothing where there is none."""
    return "" if number is None else format_number(number)


def amount_or_blank(number: Any, currency: Any) -> str:
    """An amount of money as it is read; nothing where there is none."""
    return "" if number is None else money(Decimal(str(number)), str(currency or ""))


def yes_no_or_blank(value: Any) -> str:
    """Yes or no; nothing where nobody has said so."""
    return "" if value is None else gettext("Yes") if value else gettext("No")


# Characters: what is said at every change has to be over before the next one.
_HEARD_AT_MOST = 100


def remaining_id(class_token: str) -> str:
    """The id of the words at a class's total."""
    return f"rest-{class_token}"


def remaining_words(given: int, there_are: int | None) -> str:
    """4,000 of 10,000 not yet given; empty where nothing says how many there are."""
    if there_are is None:
        return ""
    if given > there_are:
        said = gettext_noop("{count} more than the {all} available")
        return gettext(said, count=format_number(given - there_are), all=format_number(there_are))
    if given < there_are:
        return gettext(
            "{count} of {all} not allocated", count=format_number(there_are - given), all=format_number(there_are)
        )
    return gettext("All {all} allocated", all=format_number(there_are))


def exceeds(given: int, there_are: int | None) -> bool:
    """Whether more is given than there is."""
    return there_are is not None and given > there_are


def allocation_words(allocation: Allocation) -> str:
    """What is given so far and what is left, in sentences."""
    return " ".join((_given(allocation), *_remarks(allocation)))


def announced_words(allocation: Allocation) -> str:
    """The same, as far as it is short enough to be heard at every change."""
    said = _given(allocation)
    for remark in _remarks(allocation):
        longer = f"{said} {remark}"
        said = longer if len(longer) < _HEARD_AT_MOST else said
    return said


def _given(allocation: Allocation) -> str:
    if not allocation.total_allocated:
        return gettext("No shares allocated yet.")
    return ngettext("{count} share allocated.", "{count} shares allocated.", allocation.total_allocated)


def _remarks(allocation: Allocation) -> Iterator[str]:
    """A sentence for each class that doesn't add up, and one for all together."""
    for row in allocation.classes:
        yield from _remark(f"{row.label} ", allocation.allocated(row), allocation.available(row))
    yield from _remark("", allocation.total_allocated, allocation.total_available)


def _remark(kind: str, given: int, there_are: int | None) -> Iterator[str]:
    if there_are is None or given == there_are:
        return
    if given < there_are:
        yield ngettext(
            "{count} {kind}share not allocated.",
            "{count} {kind}shares not allocated.",
            there_are - given,
            kind=kind,
        )
        return
    yield ngettext(
        "{count} {kind}share more than the {all} available.",
        "{count} {kind}shares more than the {all} available.",
        given - there_are,
        kind=kind,
        all=format_number(there_are),
    )


# More names than these are a number.
_NAMED_AT_MOST = 3
_PUT_RIGHT = gettext_noop("Correct the numbers of {name} shares before you split them.")
_SAY_HOW_MANY = gettext_noop("Enter the total number of {name} shares in one of the cells, then split them.")
_TO_THE_ONLY = gettext_noop("All {total} {name} shares go to {who}, the only shareholder.")


class CannotSplit(Exception):
    """There is nothing to split yet; the message says what to do."""


@dataclass(frozen=True, slots=True)
class EqualSplit:
    """The numbers of one class, to be typed by the tokens of party and class; and the sentence about them."""

    typed: dict[tuple[str, str], str]
    said: str


def split_equally(allocation: Allocation, row: ShareClassRow) -> EqualSplit:
    """The given shares of the class in equal parts, or, while none are given, all that it has. Raises CannotSplit.

    Its holders are those who have some of it; while fewer than two have, everybody who can.
    """
    some = tuple(party for party in allocation.holders if allocation.has_some(party, row))
    holders = some if len(some) > 1 else allocation.holders
    total = _total(allocation, row)
    parts = equal_parts(total, among=len(holders))
    typed = {(party.token, row.token): f"{part:,}" if part else "" for party, part in zip(holders, parts, strict=True)}
    return EqualSplit(typed, _words(row, holders, parts))


def _total(allocation: Allocation, row: ShareClassRow) -> int:
    given, there_are = allocation.allocated(row), allocation.available(row)
    if any(allocation.is_unreadable(party, row) for party in allocation.holders):
        raise CannotSplit(gettext(_PUT_RIGHT, name=row.label))
    total = min(given, there_are or given) or there_are
    if not total or not allocation.holders:
        raise CannotSplit(gettext(_SAY_HOW_MANY, name=row.label))
    return total


def _words(row: ShareClassRow, holders: tuple[PartyRow, ...], parts: tuple[int, ...]) -> str:
    total, each = sum(parts), min(parts)
    if len(holders) == 1:
        return gettext(_TO_THE_ONLY, total=format_number(total), name=row.label, who=holders[0].label)
    said = {"total": format_number(total), "name": row.label, "holders": len(holders), "each": format_number(each)}
    left = total - each * len(parts)
    if not left:
        return gettext("{total} {name} shares split between {holders} shareholders: {each} each.", **said)
    if left > _NAMED_AT_MOST:
        who = gettext("each of the first {count}", count=left)
    else:
        who = join_list([party.label for party in holders[:left]])
    return gettext(
        "{total} {name} shares split between {holders} shareholders: {each} each, and 1 more for {who}.",
        who=who,
        **said,
    )
