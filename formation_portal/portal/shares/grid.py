"""The grid of who holds what: its columns, rows and cells, what is left of each class in words, and equal parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Holding
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import format_number, gettext, gettext_noop, join_list, ngettext
from formation_portal.contract.shares import parse_number_of_shares
from formation_portal.contract.shares import split_equally as equal_parts
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage, DeliveryStatus
from formation_portal.relay.resources import ResourceKind, shareholding_subject
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Swatch, swatch
from formation_portal.ui.formats import counted, money


@dataclass(frozen=True)
class Grid:
    """A row for each holder and a column for each class, as the draft stands."""

    draft: Draft
    allocation: Allocation
    deliveries: ApplicationDeliveries

    @cached_property
    def columns(self) -> tuple["ShareClassColumn", ...]:
        return tuple(ShareClassColumn(self, row) for row in self.draft.share_classes)

    @property
    def says_at_most(self) -> bool:
        """Whether some class says how many shares it has."""
        return any(column.at_most for column in self.columns)

    @cached_property
    def rows(self) -> tuple["HolderRow", ...]:
        return tuple(HolderRow(self, party, place) for place, party in enumerate(self.allocation.holders))

    @property
    def cells(self) -> Iterator["HoldingCell"]:
        """Every cell, row by row."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def wrong_cells(self) -> tuple["HoldingCell", ...]:
        """The cells whose number cannot be read, is more than the class has, or that the service refused."""
        return tuple(cell for cell in self.cells if cell.error)

    @property
    def problems(self) -> tuple["HoldingCell | ShareClassColumn", ...]:
        """The same, and the totals that are more than there is."""
        return (*self.wrong_cells, *(column for column in self.columns if column.error))

    def has_new_problems(self, before: "Grid") -> bool:
        """Whether a save has to be drawn again: a number cannot be read, or the service has refused a new one."""
        earlier = {cell.id for cell in before.wrong_cells if not cell.objection}
        wrong = any(cell.objection or cell.id not in earlier for cell in self.wrong_cells)
        return wrong or any(column.error for column in self.columns)


@dataclass(frozen=True)
class ShareClassColumn:
    """One class of shares: its properties in words, how far it has come, and its sums in the grid."""

    grid: Grid
    row: ShareClassRow

    @property
    def at_most(self) -> str:
        """How many shares it has; empty where nothing says so."""
        number = self.grid.allocation.available(self.row)
        return "" if number is None else format_number(number)

    @property
    def par_value(self) -> str:
        amount, currency = self._property("par_value"), self._property("currency")
        return "" if amount is None else money(Decimal(str(amount)), str(currency or ""))

    @property
    def votes(self) -> str:
        return _yes_no_or_blank(self._property("voting_rights"))

    @property
    def dividends(self) -> str:
        return _yes_no_or_blank(self._property("dividend_rights"))

    def _property(self, name: str) -> Any:
        return self.grid.allocation.property_of(self.row, name)

    @property
    def status(self) -> str:
        """How many answers are to be completed."""
        ours = [need for need in self.grid.draft.needs if need.share_class_id == self.row.token]
        count = sum(need.field is not None for need in ours)
        return counted(count, "{count} answer to complete", "{count} answers to complete")

    @cached_property
    def delivery(self) -> DeliveryStatus:
        return self.grid.deliveries.of_share_class(self.row.token)

    @property
    def id(self) -> str:
        """Of the words at the total."""
        return remaining_id(self.row.token)

    @cached_property
    def _sum(self) -> tuple[int, int | None]:
        return self.grid.allocation.allocated(self.row), self.grid.allocation.available(self.row)

    @property
    def given(self) -> str:
        return format_number(self._sum[0])

    @property
    def rest(self) -> str:
        """What is left of it, in words."""
        return remaining_words(*self._sum)

    @cached_property
    def error(self) -> str:
        """That more is given than there is. Where one cell alone is too much, its own words say so."""
        given, there_are = self._sum
        alone = (self.grid.allocation.shares(party, self.row) for party in self.grid.allocation.holders)
        if not exceeds(given, there_are) or any(exceeds(number, there_are) for number in alone):
            return ""
        return f"{self.row.label}: {self.rest}"

    @property
    def paid_in(self) -> str:
        return self.grid.allocation.paid_in(self.row)


@dataclass(frozen=True)
class HolderRow:
    """One holder with a cell for each class, and the parts that follow."""

    grid: Grid
    party: PartyRow
    place: int

    @property
    def swatch(self) -> Swatch:
        return swatch(self.place)

    @cached_property
    def cells(self) -> tuple["HoldingCell", ...]:
        return tuple(HoldingCell(self.grid, self.party, row) for row in self.grid.draft.share_classes)

    @property
    def of_shares(self) -> str:
        return self.grid.allocation.share_percent(self.party)

    @property
    def of_votes(self) -> str:
        return self.grid.allocation.vote_percent(self.party)


# A cell has room only for what is not as it should be.
_UNSETTLED = (DeliveryStage.YOURS, DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


@dataclass(frozen=True)
class HoldingCell:
    """How many shares of one class a holder has."""

    grid: Grid
    party: PartyRow
    row: ShareClassRow

    @property
    def pair(self) -> tuple[str, str]:
        """The tokens of party and class."""
        return self.party.token, self.row.token

    @property
    def id(self) -> str:
        """Of the control; its name, too."""
        return cell_name(*self.pair)

    @property
    def label(self) -> str:
        return f"{self.row.label}, {self.party.label}"

    @property
    def holding(self) -> Holding | None:
        return self.grid.draft.holdings.get(self.pair)

    @property
    def typed(self) -> str:
        """As it was typed, in the reader's notation."""
        return localised_number(self.holding.typed) if self.holding else ""

    @cached_property
    def _delivery(self) -> DeliveryStatus:
        return self.grid.deliveries.of(ResourceKind.SHAREHOLDING, shareholding_subject(*self.pair))

    @property
    def delivery(self) -> str:
        """Only where it is neither saved nor received."""
        return self._delivery.state.value if self._delivery.state in _UNSETTLED else ""

    @cached_property
    def objection(self) -> str:
        """Why the number can't be read, or that it is more than the class has."""
        if self.holding is None or not self.holding.typed:
            return ""
        there_are = self.grid.allocation.available(self.row)
        shares = gettext("“{name}” shares of {who}", name=self.row.label, who=self.party.label)
        try:
            number = parse_number_of_shares(self.holding.typed, of=shares)
        except AnswerError as error:
            return error.message
        if there_are is None or not exceeds(number, there_are):
            return ""
        return gettext("{shares}: enter {number} or fewer", number=format_number(there_are), shares=shares)

    @cached_property
    def error(self) -> str:
        """The same; else what the service said when it refused the number."""
        if self.objection or not self._delivery.is_refused:
            return self.objection
        return next((problem.message for problem in self._delivery.problems), "")


def _yes_no_or_blank(value: Any) -> str:
    """Yes or no; nothing where nobody has said so."""
    return "" if value is None else gettext("Yes") if value else gettext("No")


def cell_name(party_token: str, class_token: str) -> str:
    """The name and the id of one cell."""
    return f"holding:{party_token}:{class_token}"


def is_cell(name: str) -> bool:
    """Whether a control of that name would be a cell."""
    return name.startswith("holding:")


def remaining_id(class_token: str) -> str:
    """The id of the words at a class's total."""
    return f"rest-{class_token}"


def exceeds(given: int, there_are: int | None) -> bool:
    """Whether more is given than there is."""
    return there_are is not None and given > there_are


def remaining_words(given: int, there_are: int | None) -> str:
    """4,000 of 10,000 not yet given; empty where nothing says how many there are."""
    if there_are is None:
        return ""
    everything = format_number(there_are)
    if given > there_are:
        return gettext("{count} more than the {all} available", count=format_number(given - there_are), all=everything)
    if given < there_are:
        return gettext("{count} of {all} not allocated", count=format_number(there_are - given), all=everything)
    return gettext("All {all} allocated", all=everything)


def allocation_sentences(allocation: Allocation) -> Iterator[str]:
    """What is given so far; then a sentence for each class that doesn't add up, and one for all together."""
    if allocation.total_allocated:
        yield ngettext("{count} share allocated.", "{count} shares allocated.", allocation.total_allocated)
    else:
        yield gettext("No shares allocated yet.")
    sums = [(f"{row.label} ", allocation.allocated(row), allocation.available(row)) for row in allocation.classes]
    for kind, given, there_are in (*sums, ("", allocation.total_allocated, allocation.total_available)):
        if there_are is not None and given < there_are:
            yield ngettext(
                "{count} {kind}share not allocated.",
                "{count} {kind}shares not allocated.",
                there_are - given,
                kind=kind,
            )
        elif there_are is not None and given > there_are:
            yield ngettext(
                "{count} {kind}share more than the {all} available.",
                "{count} {kind}shares more than the {all} available.",
                given - there_are,
                kind=kind,
                all=format_number(there_are),
            )


# More names than these are a number.
_NAMED_AT_MOST = 3


class CannotSplit(Exception):
    """There is nothing to split yet; the message says what to do."""


def split_equally(allocation: Allocation, row: ShareClassRow) -> tuple[dict[tuple[str, str], str], str]:
    """The given shares of the class in equal parts, or, while none are given, all that it has. Raises CannotSplit.

    Its holders are those who have some of it; while fewer than two have, everybody who can. Gives the numbers, to be
    typed by the tokens of party and class, and the sentence about them.
    """
    if any(allocation.is_unreadable(party, row) for party in allocation.holders):
        raise CannotSplit(gettext("Correct the numbers of {name} shares before you split them.", name=row.label))
    given, there_are = allocation.allocated(row), allocation.available(row)
    total = min(given, there_are or given) or there_are
    if not total or not allocation.holders:
        words = gettext_noop("Enter the total number of {name} shares in one of the cells, then split them.")
        raise CannotSplit(gettext(words, name=row.label))
    some = tuple(party for party in allocation.holders if allocation.has_some(party, row))
    holders = some if len(some) > 1 else allocation.holders
    parts = equal_parts(total, among=len(holders))
    typed = {(party.token, row.token): f"{part:,}" if part else "" for party, part in zip(holders, parts, strict=True)}
    return typed, _split_words(row, holders, parts)


def _split_words(row: ShareClassRow, holders: tuple[PartyRow, ...], parts: tuple[int, ...]) -> str:
    total, each = sum(parts), min(parts)
    said = {"total": format_number(total), "name": row.label, "holders": len(holders), "each": format_number(each)}
    if len(holders) == 1:
        words = gettext_noop("All {total} {name} shares go to {who}, the only shareholder.")
        return gettext(words, who=holders[0].label, **said)
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
