"""The page of shares: the classes, the grid, and what follows from it; and the page of one share class."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import share_class_choices
from formation_portal.contract import record
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import format_number, gettext
from formation_portal.contract.needs import needs_of_share_class
from formation_portal.contract.schema import Section
from formation_portal.contract.shares import parse_number_of_shares
from formation_portal.relay.delivery_status import (
    ApplicationDeliveries,
    DeliveryStage,
    DeliveryStatus,
    deliveries_for_customer,
)
from formation_portal.relay.resources import ResourceKind, shareholding_subject
from formation_portal.ui import formats
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Bar, share_bar, swatch
from formation_portal.ui.formats import counted
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.question import QueryNote
from formation_portal.ui.forms.suggestions import suggestions

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import ApplicationPage, Link, need_rows, need_url, read_only_reason
from ..sections.pages import QuestionPage
from .beneficial_owners import BeneficialOwners, beneficial_owners
from .grid import (
    HolderRow,
    HoldingCell,
    ShareClassLine,
    ShareClassTotal,
    allocation_words,
    amount_or_blank,
    announced_words,
    cell_name,
    exceeds,
    number_or_blank,
    remaining_id,
    remaining_words,
    yes_no_or_blank,
)

# A cell has room only for what is not as it should be.
_UNSETTLED = (DeliveryStage.YOURS, DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


@dataclass(frozen=True)
class SharesPage(ApplicationPage):
    """The whole page."""

    section: Section
    deliveries: ApplicationDeliveries
    allocation: Allocation
    feedback: ReviewFeedback

    @property
    def title(self) -> str:
        return self.section.title or gettext("Shares")

    @property
    def url(self) -> str:
        return self._url("shares")

    @property
    def class_new_url(self) -> str:
        return self._url("share_class_new")

    @property
    def version(self) -> int:
        return self.draft.version(self.section.key)

    @property
    def saved_at(self) -> str:
        row = self.draft.sections.get(self.section.key)
        return formats.time_or_day(row.updated_at) if row else ""

    @cached_property
    def delivery(self) -> DeliveryStatus:
        """How far the holdings have come: the most urgent of them."""
        return self.deliveries.of_all(ResourceKind.SHAREHOLDING)

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return read_only_reason(self.draft.application, is_accepted=self.feedback.locks.has_shares(self.draft))

    @property
    def notes(self) -> tuple[QueryNote, ...]:
        """What our reviewer asks about the shares as a whole."""
        return self.feedback.at_page(self.section.key)

    @cached_property
    def classes(self) -> tuple[ShareClassLine, ...]:
        return tuple(self._class_line(row) for row in self.draft.share_classes)

    @property
    def says_at_most(self) -> bool:
        """Whether some class says how many shares it has."""
        return any(line.at_most for line in self.classes)

    @cached_property
    def rows(self) -> tuple[HolderRow, ...]:
        return tuple(self._row(place, party) for place, party in enumerate(self.allocation.holders))

    @cached_property
    def columns(self) -> tuple[ShareClassTotal, ...]:
        return tuple(self._column(row) for row in self.draft.share_classes)

    @property
    def wrong_cells(self) -> tuple[HoldingCell, ...]:
        """The cells whose number cannot be read, is more than the class has, or that the service refused."""
        return tuple(cell for cell in self.cells if cell.error)

    @property
    def cells(self) -> Iterator[HoldingCell]:
        """Every cell, row by row."""
        return (cell for row in self.rows for cell in row.cells)

    @property
    def problems(self) -> tuple[HoldingCell | ShareClassTotal, ...]:
        """The same, and the totals that are more than there is."""
        return (*self.wrong_cells, *(column for column in self.columns if column.error))

    def has_new_problems(self, before: "SharesPage") -> bool:
        """Whether a save has to be drawn again: a number cannot be read, or the service has refused a new one."""
        earlier = {cell.name for cell in before.wrong_cells if cell.is_refused}
        wrong = any(not cell.is_refused or cell.name not in earlier for cell in self.wrong_cells)
        return wrong or any(column.error for column in self.columns)

    @property
    def problems_title(self) -> str:
        """The heading of the error summary."""
        return gettext("There is a problem")

    @property
    def lead(self) -> str:
        """What is given so far and what is left, in words."""
        return allocation_words(self.allocation)

    @property
    def announcement(self) -> str:
        """The same, as far as it is short enough to be heard at every change."""
        return announced_words(self.allocation)

    @property
    def bars(self) -> tuple[Bar, ...]:
        """The picture: one bar for each class of which shares are given."""
        bounds = self.allocation.bounds
        return tuple(
            share_bar(
                row.label,
                [(party.label, self.allocation.shares(party, row)) for party in self.allocation.holders],
                there_are=self.allocation.available(row),
                short_of=bounds,
            )
            for row in self.draft.share_classes
            if self.allocation.allocated(row)
        )

    @cached_property
    def owners(self) -> BeneficialOwners | None:
        """Who seems to be a beneficial owner, where the form asks for them."""
        return beneficial_owners(self.draft, self.allocation)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        """What the shares still need, each with the way to it: a class's page, or a cell of the grid."""
        return tuple(Link(need.text, self._place(need)) for need in self.draft.needs_of_section(self.section.key))

    def _place(self, need: Any) -> str:
        if need.code == "share_class":
            return self.class_new_url
        if need.code == "over_issued" and need.share_class_id:
            return f"#{remaining_id(need.share_class_id)}"
        if need.party_id and self.columns:
            share_class = need.share_class_id or self.columns[0].token
            return f"#{cell_name(need.party_id, share_class)}"
        return need_url(self.draft, need)

    def _class_line(self, row: ShareClassRow) -> ShareClassLine:
        delivery = self.deliveries.of_share_class(row.token)
        said = partial(self.allocation.property_of, row)
        count = sum(need.share_class_id == row.token and need.field is not None for need in self.draft.needs)
        return ShareClassLine(
            name=row.label,
            at_most=number_or_blank(self.allocation.available(row)),
            par_value=amount_or_blank(said("par_value"), said("currency")),
            votes=yes_no_or_blank(said("voting_rights")),
            dividends=yes_no_or_blank(said("dividend_rights")),
            status=counted(count, "{count} answer to complete", "{count} answers to complete"),
            edit_url=self._url("share_class", row.token),
            remove_url="" if self.read_only_reason else self._url("share_class_removal", row.token),
            delivery=delivery.state,
            why=delivery.why,
        )

    def _row(self, place: int, party: PartyRow) -> HolderRow:
        return HolderRow(
            token=party.token,
            label=party.label,
            swatch=swatch(place),
            cells=tuple(self._cell(party, row) for row in self.draft.share_classes),
            of_shares=self.allocation.share_percent(party),
            of_votes=self.allocation.vote_percent(party),
        )

    def _cell(self, party: PartyRow, row: ShareClassRow) -> HoldingCell:
        holding = self.draft.holdings.get((party.token, row.token))
        name = cell_name(party.token, row.token)
        delivery = self.deliveries.of(ResourceKind.SHAREHOLDING, shareholding_subject(party.token, row.token))
        typed = holding.typed if holding else ""
        refused = next((problem.message for problem in delivery.problems), "") if delivery.is_refused else ""
        objection = self._objection(party, row, typed)
        unsettled = delivery.state.value if delivery.state in _UNSETTLED else ""
        remove_url = (
            self._url("holding_removal", party.token, row.token) if holding and not self.read_only_reason else ""
        )
        return HoldingCell(
            pair=(party.token, row.token),
            name=name,
            id=name,
            label=f"{row.label}, {party.label}",
            typed=localised_number(typed),
            error=objection or refused,
            is_refused=bool(refused and not objection),
            delivery=unsettled,
            remove_url=remove_url,
        )

    def _objection(self, party: PartyRow, row: ShareClassRow, typed: str) -> str:
        if not typed:
            return ""
        there_are = self.allocation.available(row)
        shares = gettext("“{name}” shares of {who}", name=row.label, who=party.label)
        try:
            number = parse_number_of_shares(typed, of=shares)
        except AnswerError as error:
            return error.message
        if there_are is None or not exceeds(number, there_are):
            return ""
        return gettext("{shares}: enter {number} or fewer", number=format_number(there_are), shares=shares)

    def _column(self, row: ShareClassRow) -> ShareClassTotal:
        given, there_are = self.allocation.allocated(row), self.allocation.available(row)
        rest = remaining_words(given, there_are)
        # Where one cell alone is too much, its own words say so.
        alone = any(exceeds(self.allocation.shares(party, row), there_are) for party in self.allocation.holders)
        error = f"{row.label}: {rest}" if exceeds(given, there_are) and not alone else ""
        return ShareClassTotal(
            token=row.token,
            id=remaining_id(row.token),
            label=row.label,
            given=format_number(given),
            rest=rest,
            error=error,
            paid_in=self.allocation.paid_in(row),
        )


def shares_page(draft: Draft, section: Section) -> SharesPage:
    """The page as the draft stands."""
    return SharesPage(
        draft, section, deliveries_for_customer(draft.application), Allocation(draft), review_feedback(draft)
    )


@dataclass(frozen=True, kw_only=True)
class ShareClassPage(QuestionPage):
    """One class, ready to draw. `token` names a new one too, so that posting twice makes one class."""

    share_class: ShareClassRow | None
    token: str

    template = "portal/shares/share_class.html"
    read_only_template = "portal/shares/share_class_read_only.html"

    @property
    def title(self) -> str:
        return self.share_class.label if self.share_class else gettext("New share class")

    @property
    def is_named(self) -> bool:
        return bool(self.share_class and self.share_class.record.label)

    @property
    def url(self) -> str:
        return self._url("share_class", self.token) if self.share_class else self._url("share_class_new")

    @property
    def holder(self) -> str:
        return self.token

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed, also where the shares were accepted."""
        is_locked = self.feedback is not None and self.feedback.locks.has_shares(self.draft)
        return read_only_reason(self.draft.application, is_accepted=is_locked)

    @property
    def version(self) -> int:
        return self.share_class.version if self.share_class else 0

    @property
    def saved_at(self) -> str:
        return formats.time_or_day(self.share_class.model.updated_at) if self.share_class else ""

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        """What the class still needs, a new one too."""
        share_class = self.share_class.record if self.share_class else record.ShareClass(self.token)
        ours = needs_of_share_class(self.draft.form_state, share_class)
        return need_rows(ours, self.form, about=share_class.label or gettext("Unnamed share class"))


def share_class_page(draft: Draft, section: Section, *, token: str) -> ShareClassPage:
    """The page of the class with the token as the draft stands; where there is none, that of a new one."""
    share_class = draft.share_class(token)
    changed_at = share_class.model.updated_at if share_class else None
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_share_class(token)
    delivery = answers_delivery(deliveries, status, share_class=token, changed_at=changed_at)
    holder = share_class.record if share_class else record.ShareClass(token)
    feedback = review_feedback(draft)
    form = QuestionForm(
        schema=draft.schema,
        asked=draft.form_state.questions(section, holder),
        raw=share_class.raw if share_class else {},
        answers=holder.answers,
        refused=refused_answers(delivery),
        overlong=draft.overlong,
        share_classes=share_class_choices(draft),
        holder=holder,
        record=draft.record,
        suggestions=suggestions(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        notes=feedback.at_answers(token),
    )
    return ShareClassPage(
        draft=draft,
        form=form,
        delivery=delivery,
        share_class=share_class,
        token=token,
        feedback=feedback,
    )
