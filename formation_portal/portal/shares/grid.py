"""The grid of who holds what: its columns, rows and cells, what is left of each class in words, and equal parts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Holding
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import colon, format_number, join_list, ngettext
from formation_portal.contract.needs import needs_of_share_class
from formation_portal.contract.shares import parse_number_of_shares
from formation_portal.contract.shares import split_equally as equal_parts
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage, DeliveryStatus
from formation_portal.relay.models import ResourceKind, shareholding_subject
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Swatch, swatch
from formation_portal.ui.formats import counted

# More names than these are a number.
_NAMED_AT_MOST = 3
# So many holders and classes are shown on one page.
HOLDERS_AT_ONCE, CLASSES_AT_ONCE = 50, 12
# A cell has room only for what is not as it should be.
_UNSETTLED = (DeliveryStage.YOURS, DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


@dataclass(frozen=True, slots=True)
class ShareClassColumn:
    """One class of shares: its properties in words, what is to be completed, and its sums; `rest` is what is left of it
    in words, `error` that more is given than there is."""

    row: ShareClassRow
    delivery: DeliveryStatus
    at_most: str
    par_value: str
    votes: str
    dividends: str
    status: str
    given: str
    rest: str
    error: str
    paid_in: str

    @property
    def id(self) -> str:
        """Of the words at the total."""
        return remaining_id(self.row.token)


@dataclass(frozen=True, slots=True)
class HoldingCell:
    """How many shares of one class a holder has, as typed; `problem` says why that can't be, `refused` what the
    service said, and `delivery` only what is neither saved nor received."""

    party: PartyRow
    row: ShareClassRow
    holding: Holding | None
    typed: str
    problem: str
    refused: str
    delivery: str

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
    def error(self) -> str:
        return self.problem or self.refused


@dataclass(frozen=True, slots=True)
class HolderRow:
    """One holder with a cell for each class, and the parts that follow."""

    party: PartyRow
    swatch: Swatch
    cells: tuple[HoldingCell, ...]
    of_shares: str
    of_votes: str


@dataclass(frozen=True)
class Grid:
    """A row for each holder and a column for each class, as the draft stands: of many, those of one page. Whatever is
    no number of a page shows the first or the last."""

    draft: Draft
    allocation: Allocation
    deliveries: ApplicationDeliveries
    holder_page: str = ""
    class_page: str = ""

    @cached_property
    def holders_shown(self) -> Page[PartyRow]:
        return Paginator(self.allocation.holders, HOLDERS_AT_ONCE).get_page(self.holder_page)

    @cached_property
    def classes_shown(self) -> Page[ShareClassRow]:
        return Paginator(self.draft.share_classes, CLASSES_AT_ONCE).get_page(self.class_page)

    def pages_of(self, party: str, share_class: str) -> tuple[int, int]:
        """The pages of holders and classes that show a cell."""
        holders, classes = (
            [row.token for row in self.allocation.holders],
            [row.token for row in self.allocation.classes],
        )
        at = (
            holders.index(party) if party in holders else 0,
            classes.index(share_class) if share_class in classes else 0,
        )
        return at[0] // HOLDERS_AT_ONCE + 1, at[1] // CLASSES_AT_ONCE + 1

    @cached_property
    def columns(self) -> tuple[ShareClassColumn, ...]:
        columns, allocation = [], self.allocation
        needed = Counter(
            need.share_class_id
            for row in self.classes_shown
            for need in needs_of_share_class(self.draft.form_state, row.record)
        )
        for row in self.classes_shown:
            said = partial(allocation.property_of, row)
            par_value, currency = said("par_value"), str(said("currency") or "")
            count = needed[row.token]
            given, there_are = allocation.allocated(row), allocation.available(row)
            rest = remaining_words(given, there_are)
            # Where one cell alone is too much, its own words say so.
            alone = any(exceeds(allocation.shares(party, row), there_are) for party in allocation.holders)
            column = ShareClassColumn(
                row=row,
                delivery=self.deliveries.of_share_class(row.token),
                at_most="" if there_are is None else format_number(there_are),
                par_value="" if par_value is None else format_money(Decimal(str(par_value)), currency),
                votes=_yes_no_or_blank(said("voting_rights")),
                dividends=_yes_no_or_blank(said("dividend_rights")),
                status=counted(count, "{count} answer to complete", "{count} answers to complete"),
                given=format_number(given),
                rest=rest,
                error=f"{row.label}{colon()}{rest}" if exceeds(given, there_are) and not alone else "",
                paid_in=allocation.paid_in(row),
            )
            columns.append(column)
        return tuple(columns)

    @property
    def says_at_most(self) -> bool:
        """Whether some class says how many shares it has."""
        return any(column.at_most for column in self.columns)

    @cached_property
    def rows(self) -> tuple[HolderRow, ...]:
        return tuple(
            HolderRow(
                party,
                swatch(place),
                tuple(self._cell(party, row) for row in self.classes_shown),
                of_shares=self.allocation.share_percent(party),
                of_votes=self.allocation.vote_percent(party),
            )
            for place, party in enumerate(self.holders_shown, self.holders_shown.start_index() - 1)
        )

    def _cell(self, party: PartyRow, row: ShareClassRow) -> HoldingCell:
        holding = self.draft.holdings.get((party.token, row.token))
        delivery = self.deliveries.of(ResourceKind.SHAREHOLDING, shareholding_subject(party.token, row.token))
        problem, there_are = "", self.allocation.available(row)
        if holding and holding.typed:
            shares = gettext("“{name}” shares of {who}").format(name=row.label, who=party.label)
            try:
                number = parse_number_of_shares(holding.typed, of=shares)
            except AnswerError as error:
                problem = error.message
            else:
                if there_are is not None and exceeds(number, there_are):
                    words = gettext_noop("{shares}: enter {number} or fewer")
                    problem = gettext(words).format(number=format_number(there_are), shares=shares)
        return HoldingCell(
            party,
            row,
            holding,
            typed=localised_number(holding.typed) if holding else "",
            problem=problem,
            refused=next((one.message for one in delivery.problems), "") if delivery.is_refused else "",
            delivery=delivery.state.value if delivery.state in _UNSETTLED else "",
        )

    @property
    def cells(self) -> Iterator[HoldingCell]:
        """Every cell, row by row."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def problems(self) -> tuple[HoldingCell | ShareClassColumn, ...]:
        """The cells whose number cannot be read, is more than the class has, or that the service refused; and the
        totals that are more than there is."""
        return (*(cell for cell in self.cells if cell.error), *(column for column in self.columns if column.error))

    def has_new_problems(self, before: "Grid") -> bool:
        """Whether a save has to be drawn again: a number cannot be read, or the service has refused a new one."""
        earlier = {cell.id for cell in before.cells if cell.refused and not cell.problem}
        return any(cell.problem or (cell.refused and cell.id not in earlier) for cell in self.cells) or any(
            column.error for column in self.columns
        )


def _yes_no_or_blank(value: Any) -> str:
    """Yes or no; nothing where nobody has said so."""
    return "" if value is None else gettext("Yes") if value else gettext("No")


def cell_name(party_token: str, class_token: str) -> str:
    """The name and the id of one cell."""
    return f"holding:{party_token}:{class_token}"


def pair_of_cell(name: str) -> tuple[str, str] | None:
    """The tokens of party and class that a control's name tells; None where it is no cell's."""
    kind, _, rest = name.partition(":")
    party, _, share_class = rest.partition(":")
    return (party, share_class) if kind == "holding" and party and share_class else None


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
        return gettext("{count} more than the {all} available").format(
            count=format_number(given - there_are), all=everything
        )
    if given < there_are:
        return gettext("{count} of {all} not allocated").format(count=format_number(there_are - given), all=everything)
    return gettext("All {all} allocated").format(all=everything)


def allocation_sentences(allocation: Allocation) -> Iterator[str]:
    """What is given so far; then a sentence for each class that doesn't add up, or one for many of which some is left,
    and one for all together."""
    if allocation.total_allocated:
        yield ngettext("{count} share allocated.", "{count} shares allocated.", allocation.total_allocated)
    else:
        yield gettext("No shares allocated yet.")
    sums = [(f"{row.label} ", allocation.allocated(row), allocation.available(row)) for row in allocation.classes]
    left = {kind: there_are - given for kind, given, there_are in sums if there_are is not None and given < there_are}
    if len(left) > _NAMED_AT_MOST:
        names = [kind.strip() for kind in left][:_NAMED_AT_MOST]
        others = len(left) - len(names)
        yield ngettext(
            "{count} share not allocated in {classes} share classes: {names}.",
            "{count} shares not allocated in {classes} share classes: {names}.",
            sum(left.values()),
            classes=format_number(len(left)),
            names=join_list([*names, ngettext("{count} more", "{count} more", others)]),
        )
        sums = [one for one in sums if one[0] not in left]
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


class CannotSplit(Exception):
    """There is nothing to split yet; the message says what to do."""


def split_equally(allocation: Allocation, row: ShareClassRow) -> tuple[dict[tuple[str, str], str], str]:
    """The given shares of the class in equal parts, or, while none are given, all that it has. Raises CannotSplit.

    Its holders are those who have some of it; while fewer than two have, everybody who can. Gives the numbers, to be
    typed by the tokens of party and class, and the sentence about them.
    """
    if any(allocation.is_unreadable(party, row) for party in allocation.holders):
        raise CannotSplit(gettext("Correct the numbers of {name} shares before you split them.").format(name=row.label))
    given, there_are = allocation.allocated(row), allocation.available(row)
    total = min(given, there_are or given) or there_are
    if not total or not allocation.holders:
        words = gettext_noop("Enter the total number of {name} shares in one of the cells, then split them.")
        raise CannotSplit(gettext(words).format(name=row.label))
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
        return gettext(words).format(who=holders[0].label, **said)
    left = total - each * len(parts)
    if not left:
        return gettext("{total} {name} shares split between {holders} shareholders: {each} each.").format(**said)
    if left > _NAMED_AT_MOST:
        who = gettext("each of the first {count}").format(count=left)
    else:
        who = join_list([party.label for party in holders[:left]])
    return gettext(
        "{total} {name} shares split between {holders} shareholders: {each} each, and 1 more for {who}."
    ).format(
        who=who,
        **said,
    )
