"""What the page of shares shows: the classes, the grid of who holds what, and what follows from its numbers."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow, ShareClassRow
from formation_portal.contract.schema import Section
from formation_portal.relay.board import DeliveryView, Stage
from formation_portal.relay.kinds import holding_subject

from . import moments
from .allocation import Allocation
from .arrivals import Arrivals, arrivals
from .closed import reason
from .lists import NeedRow
from .money import money
from .need_links import need_url
from .picture import Bar, Swatch, bar, swatch

# A cell has room only for what is not as it should be.
_UNSETTLED = (Stage.YOURS, Stage.OURS, Stage.CHECKING, Stage.WAITING)


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One class of shares: its properties in words, and how far it has come."""

    name: str
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
    """One class with its sums."""

    token: str
    label: str
    given: str
    paid_in: str


@dataclass(frozen=True)
class SharesPage:
    """The whole page."""

    draft: Draft
    section: Section
    arrivals: Arrivals
    allocation: Allocation

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def title(self) -> str:
        return self.section.title or "Shares"

    @property
    def url(self) -> str:
        return self._url("shares")

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def class_new_url(self) -> str:
        return self._url("share_class_new")

    @property
    def version(self) -> int:
        return self.draft.version(self.section.key)

    @property
    def saved_at(self) -> str:
        row = self.draft.sections.get(self.section.key)
        return moments.moment(row.updated_at) if row else ""

    @property
    def delivery(self) -> str:
        """How far the holdings have come, as components/delivery.html names it: the most urgent of them."""
        return self._holdings.state.value

    @property
    def delivery_why(self) -> str:
        """Why our team has them."""
        return self._holdings.why

    @cached_property
    def _holdings(self) -> DeliveryView:
        return self.arrivals.of_holdings()

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application)

    @cached_property
    def classes(self) -> tuple[ClassLine, ...]:
        return tuple(self._class_line(row) for row in self.draft.share_classes)

    @cached_property
    def rows(self) -> tuple[HolderRow, ...]:
        return tuple(self._row(place, party) for place, party in enumerate(self.allocation.holders))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self._column(row) for row in self.draft.share_classes)

    @property
    def problems(self) -> tuple[Cell, ...]:
        """The cells whose number cannot be read, or that the service refused."""
        return tuple(cell for row in self.rows for cell in row.cells if cell.error)

    def objects_more_than(self, before: "SharesPage") -> bool:
        """Whether a save has to be drawn again: a number cannot be read, or the service has refused a new one."""
        earlier = {cell.name for cell in before.problems if cell.is_refused}
        return any(not cell.is_refused or cell.name not in earlier for cell in self.problems)

    @property
    def lead(self) -> str:
        """What is given so far, in words."""
        total = self.allocation.total
        if not total:
            return "No shares are given yet."
        return f"{total:,} share{' is' if total == 1 else 's are'} given."

    @property
    def bars(self) -> tuple[Bar, ...]:
        """The picture: one bar for each class of which shares are given."""
        return tuple(
            bar(row.label, [(party.label, self.allocation.shares(party, row)) for party in self.allocation.holders])
            for row in self.draft.share_classes
            if self.allocation.given(row)
        )

    needs_title = "Still needed"

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """What the shares still need, each with the way to it: a class's page, or a cell of the grid."""
        return tuple(NeedRow(need.text, self._place(need)) for need in self.draft.needs_of_section(self.section.key))

    def _place(self, need: Any) -> str:
        if need.code == "share_class":
            return self.class_new_url
        if need.party_id and self.columns:
            share_class = need.share_class_id or self.columns[0].token
            return f"#{cell_name(need.party_id, share_class)}"
        return need_url(self.draft, need)

    def _class_line(self, row: ShareClassRow) -> ClassLine:
        arrival = self.arrivals.of_share_class(row.token, changed_at=row.model.updated_at)
        count = sum(need.share_class_id == row.token and need.field is not None for need in self.draft.needs)
        return ClassLine(
            name=row.label,
            par_value=self._par_value(row),
            votes=_yes_or_no(self.allocation.property_of(row, "voting_rights")),
            dividends=_yes_or_no(self.allocation.property_of(row, "dividend_rights")),
            status=f"{count} answer{'' if count == 1 else 's'} still needed" if count else "",
            edit_url=self._url("share_class", row.token),
            remove_url="" if self.closed else self._url("share_class_removal", row.token),
            delivery=arrival.state,
            why=arrival.why,
        )

    def _row(self, place: int, party: PartyRow) -> HolderRow:
        return HolderRow(
            token=party.token,
            label=party.label,
            swatch=swatch(place),
            cells=tuple(self._cell(party, row) for row in self.draft.share_classes),
            of_shares=self.allocation.of_shares(party),
            of_votes=self.allocation.of_votes(party),
        )

    def _cell(self, party: PartyRow, row: ShareClassRow) -> Cell:
        holding = self.draft.holdings.get((party.token, row.token))
        name = cell_name(party.token, row.token)
        delivery = self.arrivals.of_holding(holding_subject(party.token, row.token))
        error = next((problem.message for problem in delivery.problems), "") if delivery.is_refused else ""
        if holding is not None and holding.shares is None:
            error = f"Enter the number of “{row.label}” shares of {party.label} in digits, like 5000"
        typed = holding.typed if holding else ""
        unsettled = delivery.state.value if delivery.state in _UNSETTLED else ""
        is_removable = bool(holding and not self.closed)
        remove_url = self._url("holding_removal", party.token, row.token) if is_removable else ""
        return Cell(name, name, f"{row.label}, {party.label}", typed, error, delivery.is_refused, unsettled, remove_url)

    def _column(self, row: ShareClassRow) -> Column:
        return Column(row.token, row.label, f"{self.allocation.given(row):,}", self.allocation.paid_in(row))

    def _par_value(self, row: ShareClassRow) -> str:
        par_value, currency = (
            self.allocation.property_of(row, "par_value"),
            self.allocation.property_of(row, "currency"),
        )
        return "" if par_value is None else money(Decimal(str(par_value)), str(currency or ""))

    def _url(self, view: str, *more: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


def shares_page(draft: Draft, section: Section) -> SharesPage:
    """The page as the draft stands."""
    return SharesPage(draft, section, arrivals(draft.application), Allocation(draft))


def cell_name(party_token: str, class_token: str) -> str:
    """The name and the id of one cell."""
    return f"holding:{party_token}:{class_token}"


def _yes_or_no(value: Any) -> str:
    return "" if value is None else "Yes" if value else "No"
