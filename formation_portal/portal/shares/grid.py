"""Build the grid of shareholdings: columns, rows and cells, descriptions of remaining shares, and equal splits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import colon, format_number, join_list, ngettext
from formation_portal.contract.needs import needs_of_share_class
from formation_portal.contract.shares import parse_number_of_shares
from formation_portal.contract.shares import split_equally as equal_parts
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage
from formation_portal.relay.models import ResourceKind, shareholding_subject
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import swatch
from formation_portal.ui.formats import counted

# A sentence names at most this many classes or holders; the others are counted.
_NAMED_AT_MOST = 3
# The most rows and columns on a page of the grid.
HOLDERS_AT_ONCE = 50
CLASSES_AT_ONCE = 12
# The delivery stages shown in a cell, which has room for no others.
_UNSETTLED = (DeliveryStage.YOURS, DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


@dataclass(frozen=True)
class Grid:
    """A page of the grid, with a row for each holder and a column for each class."""

    draft: Draft
    allocation: Allocation
    deliveries: ApplicationDeliveries
    # The query of the URL, with the page numbers of holders and classes.
    query: Mapping[str, Any]

    @cached_property
    def holders_shown(self) -> Page[PartyRow]:
        return Paginator(self.allocation.holders, HOLDERS_AT_ONCE).get_page(self.query.get("page"))

    @cached_property
    def classes_shown(self) -> Page[ShareClassRow]:
        return Paginator(self.draft.share_classes, CLASSES_AT_ONCE).get_page(self.query.get("classes"))

    def pages_of(self, party: str, share_class: str) -> tuple[int, int]:
        """Return the page numbers of the holder and the class of a cell."""
        holders = _page_with(party, self.allocation.holders, HOLDERS_AT_ONCE)
        return holders, _page_with(share_class, self.allocation.classes, CLASSES_AT_ONCE)

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """Return each share class with its properties and sums as text, and an error if too much is allocated."""
        return [self._column(row) for row in self.classes_shown]

    def _column(self, row: ShareClassRow) -> dict[str, Any]:
        allocation = self.allocation
        par_value = allocation.property_of(row, "par_value")
        currency = str(allocation.property_of(row, "currency") or "")
        needs = needs_of_share_class(self.draft.form_state, row.record)
        allocated = allocation.allocated(row)
        available = allocation.available(row)
        remaining = remaining_words(allocated, available)
        error = ""
        # A single holding that is too large has its own error, at its cell.
        largest = max(allocation.of_class(row).values(), default=0)
        if available is not None and largest <= available < allocated:
            error = f"{row.label}{colon()}{remaining}"
        return {
            "row": row,
            "id": remaining_id(row.token),
            "delivery": self.deliveries.of_share_class(row.token),
            "maximum": "" if available is None else format_number(available),
            "par_value": "" if par_value is None else format_money(Decimal(str(par_value)), currency),
            "votes": _yes_no_or_blank(allocation.property_of(row, "voting_rights")),
            "dividends": _yes_no_or_blank(allocation.property_of(row, "dividend_rights")),
            "status": counted(len(needs), "{count} answer to complete", "{count} answers to complete"),
            "allocated": format_number(allocated),
            "remaining": remaining,
            "error": error,
            "paid_in": allocation.paid_in(row),
        }

    @property
    def has_maximum(self) -> bool:
        return any(column["maximum"] for column in self.columns)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Return each holder with a cell for each class, and with percentages of shares and votes."""
        rows: list[dict[str, Any]] = []
        for place, party in enumerate(self.holders_shown, self.holders_shown.start_index() - 1):
            row = {
                "party": party,
                "swatch": swatch(place),
                "cells": [self._cell(party, row) for row in self.classes_shown],
                "of_shares": self.allocation.share_percent(party),
                "of_votes": self.allocation.vote_percent(party),
            }
            rows.append(row)
        return rows

    def _cell(self, party: PartyRow, row: ShareClassRow) -> dict[str, Any]:
        """Describe a holder's shares of one class: the number as typed, its error and its delivery."""
        pair = (party.token, row.token)
        holding = self.draft.holdings.get(pair)
        delivery = self.deliveries.of(ResourceKind.SHAREHOLDING, shareholding_subject(*pair))
        typed = holding.typed if holding else ""
        problem = self._problem(typed, party, row)
        refused = state = ""
        if delivery.is_refused and delivery.problems:
            refused = delivery.problems[0].message
        if delivery.state in _UNSETTLED:
            state = delivery.state.value
        return {
            "pair": pair,
            "row": row,
            "id": cell_name(*pair),
            "label": f"{row.label}, {party.label}",
            "holding": holding,
            "typed": localised_number(typed),
            "problem": problem,
            "refused": refused,
            "error": problem or refused,
            "delivery": state,
        }

    def _problem(self, typed: str, party: PartyRow, row: ShareClassRow) -> str:
        if not typed:
            return ""
        shares = gettext("“{name}” shares of {who}").format(name=row.label, who=party.label)
        try:
            number = parse_number_of_shares(typed, of=shares)
        except AnswerError as error:
            return error.message
        available = self.allocation.available(row)
        if available is None or number <= available:
            return ""
        return gettext("{shares}: enter {number} or fewer").format(number=format_number(available), shares=shares)

    @property
    def cells(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield from row["cells"]

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Return the cells with an error, then the columns with too many shares allocated."""
        return [place for place in (*self.cells, *self.columns) if place["error"]]

    def has_new_problems(self, before: "Grid") -> bool:
        """Tell whether to show the grid again after a save: a number is wrong, or the service has newly refused one."""
        if any(column["error"] for column in self.columns):
            return True
        refused_before = {cell["id"] for cell in before.cells if cell["refused"] and not cell["problem"]}
        return any(cell["problem"] or (cell["refused"] and cell["id"] not in refused_before) for cell in self.cells)


def _page_with(token: str, rows: Sequence[PartyRow | ShareClassRow], length: int) -> int:
    """Return the number of the page with the row of a token; 1 without such a row."""
    places = (place for place, row in enumerate(rows) if row.token == token)
    return next(places, 0) // length + 1


def _yes_no_or_blank(value: Any) -> str:
    if value is None:
        return ""
    return gettext("Yes") if value else gettext("No")


def cell_name(party_token: str, class_token: str) -> str:
    return f"holding:{party_token}:{class_token}"


def pair_of_cell(name: str) -> tuple[str, str] | None:
    """Return the tokens of party and class in the name of a cell's control; None for other controls."""
    match name.split(":"):
        case ["holding", party, share_class]:
            return party, share_class
    return None


def remaining_id(class_token: str) -> str:
    return f"rest-{class_token}"


def remaining_words(allocated: int, available: int | None) -> str:
    """Describe the rest of a class, like "4,000 of 10,000 not allocated"; "" if its number of shares is unknown."""
    if available is None:
        return ""
    total = format_number(available)
    if allocated > available:
        excess = format_number(allocated - available)
        return gettext("{count} more than the {all} available").format(count=excess, all=total)
    if allocated < available:
        return gettext("{count} of {all} not allocated").format(count=format_number(available - allocated), all=total)
    return gettext("All {all} allocated").format(all=total)


def allocation_sentences(allocation: Allocation) -> Iterator[str]:
    """Yield sentences: how much is allocated; then for each class, then for all, how much is left or too much.

    If shares of many classes are left, a single sentence names the first of them.
    """
    if allocation.total_allocated:
        yield ngettext("{count} share allocated.", "{count} shares allocated.", allocation.total_allocated)
    else:
        yield gettext("No shares allocated yet.")
    sums = [(f"{row.label} ", allocation.allocated(row), allocation.available(row)) for row in allocation.classes]
    sums.append(("", allocation.total_allocated, allocation.total_available))
    rests = [(name, available - allocated, available) for name, allocated, available in sums if available is not None]
    unallocated = [(name.strip(), rest) for name, rest, _ in rests if name and rest > 0]
    are_many = len(unallocated) > _NAMED_AT_MOST
    if are_many:
        names = [name for name, _ in unallocated[:_NAMED_AT_MOST]]
        names.append(ngettext("{count} more", "{count} more", len(unallocated) - _NAMED_AT_MOST))
        # Without calls within the call: gettext's tool would lose the plural.
        count = sum(rest for _, rest in unallocated)
        classes = format_number(len(unallocated))
        listed = join_list(names)
        yield ngettext(
            "{count} share not allocated in {classes} share classes: {names}.",
            "{count} shares not allocated in {classes} share classes: {names}.",
            count,
            classes=classes,
            names=listed,
        )
    for name, rest, available in rests:
        if rest > 0 and not (are_many and name):
            yield ngettext("{count} {kind}share not allocated.", "{count} {kind}shares not allocated.", rest, kind=name)
        elif rest < 0:
            yield ngettext(
                "{count} {kind}share more than the {all} available.",
                "{count} {kind}shares more than the {all} available.",
                -rest,
                kind=name,
                all=format_number(available),
            )


class CannotSplit(Exception):
    """The refusal to split a class; the message says how to proceed."""


def split_equally(allocation: Allocation, row: ShareClassRow) -> tuple[dict[tuple[str, str], str], str]:
    """Split the allocated shares of a class equally between its holders; if none are allocated, split all that exist.

    If fewer than two parties hold any, all that can hold some get a part. Return the new numbers, by the tokens of
    party and class, and a sentence about them. Raises CannotSplit.
    """
    if any(allocation.is_unreadable(party, row) for party in allocation.holders):
        raise CannotSplit(gettext("Correct the numbers of {name} shares before you split them.").format(name=row.label))
    allocated = allocation.allocated(row)
    available = allocation.available(row)
    total = min(allocated, available or allocated) or available
    if not total or not allocation.holders:
        sentence = gettext("Enter the total number of {name} shares in one of the cells, then split them.")
        raise CannotSplit(sentence.format(name=row.label))
    holders = [party for party in allocation.holders if allocation.shares(party, row) > 0]
    if len(holders) < 2:
        holders = list(allocation.holders)
    parts = equal_parts(total, among=len(holders))
    numbers: dict[tuple[str, str], str] = {}
    for party, part in zip(holders, parts, strict=True):
        numbers[party.token, row.token] = f"{part:,}" if part else ""
    return numbers, _split_words(row, holders, parts)


def _split_words(row: ShareClassRow, holders: list[PartyRow], parts: tuple[int, ...]) -> str:
    total = sum(parts)
    each = min(parts)
    remainder = total - each * len(parts)
    who = join_list([party.label for party in holders[: max(1, remainder)]])
    sentence = gettext("{total} {name} shares split between {holders} shareholders: {each} each, and 1 more for {who}.")
    if len(holders) == 1:
        sentence = gettext("All {total} {name} shares go to {who}, the only shareholder.")
    elif not remainder:
        sentence = gettext("{total} {name} shares split between {holders} shareholders: {each} each.")
    elif remainder > _NAMED_AT_MOST:
        who = gettext("each of the first {count}").format(count=remainder)
    return sentence.format(
        total=format_number(total), name=row.label, holders=len(holders), each=format_number(each), who=who
    )
