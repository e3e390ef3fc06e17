"""What the page of shares shows: the classes, the grid of who holds what, and what follows from its numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.language import figure, say
from formation_portal.contract.notation import shown
from formation_portal.contract.problems import AnswerError
from formation_portal.contract.schema import Section
from formation_portal.contract.shares import number_of_shares
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.relay.resources import shareholding_subject

from . import moments
from .allocation import Allocation
from .answers_page import accepted_words
from .arrivals import Arrivals, arrivals
from .came_back import CameBack, came_back
from .closed import reason
from .counting import counted
from .lists import NeedRow
from .need_links import need_url
from .note import Note
from .picture import Bar, bar, swatch
from .share_lines import Cell, ClassLine, Column, HolderRow, amount_of, cell_name, figure_of, yes_or_no
from .share_owners import Owners, owners
from .share_remainders import heard, is_over, rest_id, rest_words, told

# A cell has room only for what is not as it should be.
_UNSETTLED = (DeliveryStage.YOURS, DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


@dataclass(frozen=True)
class SharesPage:
    """The whole page."""

    draft: Draft
    section: Section
    arrivals: Arrivals
    allocation: Allocation
    came_back: CameBack

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def title(self) -> str:
        return self.section.title or say("Shares")

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
    def _holdings(self) -> DeliveryStatus:
        return self.arrivals.of_holdings()

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application) or accepted_words(self.came_back.locks.has_shares(self.draft))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What our reviewer asks about the shares as a whole."""
        return self.came_back.at_page(self.section.key)

    @cached_property
    def classes(self) -> tuple[ClassLine, ...]:
        return tuple(self._class_line(row) for row in self.draft.share_classes)

    @property
    def says_at_most(self) -> bool:
        """Whether some class says how many shares it has."""
        return any(line.at_most for line in self.classes)

    @cached_property
    def rows(self) -> tuple[HolderRow, ...]:
        return tuple(self._row(place, party) for place, party in enumerate(self.allocation.holders))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self._column(row) for row in self.draft.share_classes)

    @property
    def wrong_cells(self) -> tuple[Cell, ...]:
        """The cells whose number cannot be read, is more than the class has, or that the service refused."""
        return tuple(cell for cell in self.cells if cell.error)

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell, row by row."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def problems(self) -> tuple[Cell | Column, ...]:
        """The same, and the totals that are more than there is."""
        return (*self.wrong_cells, *(column for column in self.columns if column.error))

    def objects_more_than(self, before: "SharesPage") -> bool:
        """Whether a save has to be drawn again: a number cannot be read, or the service has refused a new one."""
        earlier = {cell.name for cell in before.wrong_cells if cell.is_refused}
        wrong = any(not cell.is_refused or cell.name not in earlier for cell in self.wrong_cells)
        return wrong or any(column.error for column in self.columns)

    @property
    def problems_title(self) -> str:
        """The heading of the error summary."""
        return say("There is a problem")

    @property
    def lead(self) -> str:
        """What is given so far and what is left, in words."""
        return told(self.allocation)

    @property
    def announcement(self) -> str:
        """The same, as far as it is short enough to be heard at every change."""
        return heard(self.allocation)

    @property
    def bars(self) -> tuple[Bar, ...]:
        """The picture: one bar for each class of which shares are given."""
        bounds = self.allocation.bounds
        return tuple(
            bar(row.label, self._holdings_of(row), there_are=self.allocation.there_are(row), short_of=bounds)
            for row in self.draft.share_classes
            if self.allocation.given(row)
        )

    @cached_property
    def owners(self) -> Owners | None:
        """Who seems to be a beneficial owner, where the form asks for them."""
        return owners(self.draft, self.allocation)

    def _holdings_of(self, row: ShareClassRow) -> list[tuple[str, int]]:
        return [(party.label, self.allocation.shares(party, row)) for party in self.allocation.holders]

    @property
    def needs_title(self) -> str:
        return say("To complete")

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """What the shares still need, each with the way to it: a class's page, or a cell of the grid."""
        return tuple(NeedRow(need.text, self._place(need)) for need in self.draft.needs_of_section(self.section.key))

    def _place(self, need: Any) -> str:
        if need.code == "share_class":
            return self.class_new_url
        if need.code == "over_issued" and need.share_class_id:
            return f"#{rest_id(need.share_class_id)}"
        if need.party_id and self.columns:
            share_class = need.share_class_id or self.columns[0].token
            return f"#{cell_name(need.party_id, share_class)}"
        return need_url(self.draft, need)

    def _class_line(self, row: ShareClassRow) -> ClassLine:
        arrival = self.arrivals.of_share_class(row.token, changed_at=row.model.updated_at)
        said = partial(self.allocation.property_of, row)
        count = sum(need.share_class_id == row.token and need.field is not None for need in self.draft.needs)
        return ClassLine(
            name=row.label,
            at_most=figure_of(self.allocation.there_are(row)),
            par_value=amount_of(said("par_value"), said("currency")),
            votes=yes_or_no(said("voting_rights")),
            dividends=yes_or_no(said("dividend_rights")),
            status=counted(count, "{count} answer to complete", "{count} answers to complete"),
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
        delivery = self.arrivals.of_holding(shareholding_subject(party.token, row.token))
        typed = holding.typed if holding else ""
        refused = next((problem.message for problem in delivery.problems), "") if delivery.is_refused else ""
        objection = self._objection(party, row, typed)
        unsettled = delivery.state.value if delivery.state in _UNSETTLED else ""
        remove_url = self._url("holding_removal", party.token, row.token) if holding and not self.closed else ""
        return Cell(
            pair=(party.token, row.token),
            name=name,
            id=name,
            label=f"{row.label}, {party.label}",
            typed=shown(typed),
            error=objection or refused,
            is_refused=bool(refused and not objection),
            delivery=unsettled,
            remove_url=remove_url,
        )

    def _objection(self, party: PartyRow, row: ShareClassRow, typed: str) -> str:
        if not typed:
            return ""
        there_are = self.allocation.there_are(row)
        shares = say("“{name}” shares of {who}", name=row.label, who=party.label)
        try:
            number = number_of_shares(typed, of=shares)
        except AnswerError as error:
            return error.message
        if there_are is None or not is_over(number, there_are):
            return ""
        return say("{shares}: enter {number} or fewer", number=figure(there_are), shares=shares)

    def _column(self, row: ShareClassRow) -> Column:
        given, there_are = self.allocation.given(row), self.allocation.there_are(row)
        rest = rest_words(given, there_are)
        # Where one cell alone is too much, its own words say so.
        alone = any(is_over(self.allocation.shares(party, row), there_are) for party in self.allocation.holders)
        error = f"{row.label}: {rest}" if is_over(given, there_are) and not alone else ""
        return Column(
            token=row.token,
            id=rest_id(row.token),
            label=row.label,
            given=figure(given),
            rest=rest,
            error=error,
            paid_in=self.allocation.paid_in(row),
        )

    def _url(self, view: str, *more: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


def shares_page(draft: Draft, section: Section) -> SharesPage:
    """The page as the draft stands."""
    return SharesPage(draft, section, arrivals(draft.application), Allocation(draft), came_back(draft))
