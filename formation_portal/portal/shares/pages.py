"""The page of shares: the classes, the grid, and what follows from it; and the page of one share class."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import ShareClass
from formation_portal.applications.parties import ShareClassRow
from formation_portal.contract.canonical import property_of
from formation_portal.contract.needs import Need, needs_of_share_class
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import DeliveryStatus, deliveries_for_customer
from formation_portal.relay.models import ResourceKind
from formation_portal.ui import formats
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Bar, share_bar
from formation_portal.ui.forms.controls import Suggestions
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.question import QueryNote
from formation_portal.ui.pagination import PageLink, numbered_links

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import FormPage, Link, need_rows, need_url, read_only_reason
from ..sections.pages import QuestionPage
from .beneficial_owners import BeneficialOwners, beneficial_owner_section
from .grid import Grid, allocation_sentences, cell_name, remaining_id

# What most companies have: one class, with a vote and dividends for each share. The register has the name in its own
# language.
_FIRST_CLASS = {"name": "Ordinary", "voting_rights": "true", "dividend_rights": "true"}
# Characters: what is said at every change has to be over before the next one.
_HEARD_AT_MOST = 100


@dataclass(frozen=True)
class SharesPage(FormPage):
    """The whole page."""

    section: Section
    grid: Grid
    feedback: ReviewFeedback

    @property
    def title(self) -> str:
        return self.section.title or gettext("Shares")

    @property
    def url(self) -> str:
        return self._url("shares")

    @property
    def shown_url(self) -> str:
        """Of the part of the grid that is shown."""
        return f"{self.url}{self.query_of({})}"

    def query_of(self, other: Mapping[str, Any]) -> str:
        """The query of the part of the grid that is shown, or of another by the numbers of its pages."""
        shown = {"page": self.grid.holders_shown.number, "classes": self.grid.classes_shown.number}
        numbers = {name: str(other.get(name, number)) for name, number in shown.items()}
        kept = {name: number for name, number in numbers.items() if number != "1"}
        return f"?{urlencode(kept)}" if kept else ""

    @property
    def holder_links(self) -> tuple[PageLink, ...]:
        """The pages of shareholders, with the classes that are shown."""
        return numbered_links(self.grid.holders_shown, self._kept("classes", self.grid.classes_shown))

    @property
    def class_links(self) -> tuple[PageLink, ...]:
        """The pages of classes, with the shareholders that are shown."""
        return numbered_links(self.grid.classes_shown, self._kept("page", self.grid.holders_shown), name="classes")

    def _kept(self, name: str, page: Page[Any]) -> QueryDict:
        return QueryDict(urlencode({name: page.number}) if page.number > 1 else "")

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
        return self.grid.deliveries.of_all(ResourceKind.SHAREHOLDING)

    @cached_property
    def read_only_reason(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return read_only_reason(self.draft.application, is_accepted=self.feedback.locks.has_shares(self.draft))

    @property
    def notes(self) -> tuple[QueryNote, ...]:
        """What our reviewer asks about the shares as a whole."""
        return self.feedback.at_page(self.section.key)

    @property
    def lead(self) -> str:
        """What is given so far and what is left, in words."""
        return " ".join(allocation_sentences(self.grid.allocation))

    @property
    def announcement(self) -> str:
        """The same, as far as it is short enough to be heard at every change."""
        said, *others = allocation_sentences(self.grid.allocation)
        for sentence in others:
            longer = f"{said} {sentence}"
            said = longer if len(longer) < _HEARD_AT_MOST else said
        return said

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """The picture: one bar for each class of which shares are given."""
        bounds = self.grid.allocation.bounds
        return tuple(
            share_bar(
                row.label,
                [(party.label, self.grid.allocation.shares(party, row)) for party in self.grid.allocation.holders],
                there_are=self.grid.allocation.available(row),
                short_of=bounds,
            )
            for row in self.grid.classes_shown
            if self.grid.allocation.allocated(row)
        )

    @cached_property
    def owners(self) -> BeneficialOwners | None:
        """Who seems to be a beneficial owner, where the form asks for them and some shares are given."""
        section = beneficial_owner_section(self.draft)
        if section is None or not self.grid.allocation.total_allocated:
            return None
        return BeneficialOwners(self.draft, self.grid.allocation, section)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        """What the shares still need, each with the way to it: a class's page, or a cell of the grid."""
        return tuple(Link(need.text, self._place(need)) for need in self.draft.needs_of_section(self.section.key))

    def _place(self, need: Need) -> str:
        if need.code == "share_class":
            return self._url("share_class_new")
        if need.code == "over_issued" and need.share_class_id:
            there = self.query_of({"classes": self.grid.pages_of("", need.share_class_id)[1]})
            return f"{'' if there == self.query_of({}) else self.url + there}#{remaining_id(need.share_class_id)}"
        if need.party_id and self.grid.columns:
            pair = need.party_id, need.share_class_id or self.grid.columns[0].row.token
            holders, classes = self.grid.pages_of(*pair)
            there = self.query_of({"page": holders, "classes": classes})
            return f"{'' if there == self.query_of({}) else self.url + there}#{cell_name(*pair)}"
        return need_url(self.draft, need)


def shares_page(draft: Draft, section: Section, *, asked: Mapping[str, Any] = MappingProxyType({})) -> SharesPage:
    """The page as the draft stands; `asked` is the query of its address, which says what part of a large grid."""
    deliveries = deliveries_for_customer(draft.application)
    grid = Grid(draft, Allocation(draft), deliveries, asked.get("page", ""), asked.get("classes", ""))
    return SharesPage(draft, section, grid, review_feedback(draft))


@dataclass(frozen=True, kw_only=True)
class ShareClassPage(QuestionPage):
    """One class, ready to draw. `token` names a new one too, so that posting twice makes one class; `row` is the class,
    or what is proposed for a new one."""

    share_class: ShareClassRow | None
    row: ShareClassRow
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
        ours = needs_of_share_class(self.draft.form_state, self.row.record)
        return need_rows(ours, self.form, about=self.row.label)


def share_class_page(draft: Draft, section: Section, *, token: str) -> ShareClassPage:
    """The page of the class with the token as the draft stands; where there is none, that of a new one."""
    share_class = draft.share_class(token)
    changed_at = share_class.model.updated_at if share_class else None
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_share_class(token)
    delivery = answers_delivery(deliveries, status, share_class=token, changed_at=changed_at)
    row = share_class or draft.as_share_class(
        ShareClass(application=draft.application, token=token, raw=_proposed_answers(draft))
    )
    holder = row.record
    feedback = review_feedback(draft)
    form = QuestionForm(
        schema=draft.schema,
        asked=draft.form_state.questions(section, holder),
        raw=row.raw,
        answers=holder.answers,
        impossible=draft.form_state.impossible_answers(holder),
        advice=draft.form_state.advised_answers(holder),
        refused=refused_answers(delivery),
        share_classes=draft.share_class_choices,
        holder=holder,
        record=draft.record,
        suggestions=Suggestions(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        notes=feedback.at_answers(token),
    )
    return ShareClassPage(
        draft=draft,
        form=form,
        delivery=delivery,
        share_class=share_class,
        row=row,
        token=token,
        feedback=feedback,
    )


def _proposed_answers(draft: Draft) -> dict[str, str]:
    """What the form of a first class starts with; nothing of it is kept before somebody changes or saves it."""
    if draft.share_classes or not draft.application.can_be_changed:
        return {}
    properties = ((spec.name, property_of(spec.canonical_field or "")) for spec in draft.schema.share_class_fields)
    return {name: _FIRST_CLASS[one] for name, one in properties if one in _FIRST_CLASS}
