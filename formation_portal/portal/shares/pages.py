"""Build the page of shares, with its classes and the grid of shareholdings, and the page of one share class."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import ShareClass
from formation_portal.applications.parties import ShareClassRow
from formation_portal.contract.advice import validation_advice
from formation_portal.contract.canonical import property_of
from formation_portal.contract.needs import Need, needs_of_share_class
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import DeliveryStatus, deliveries_for_customer
from formation_portal.relay.models import ResourceKind
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Bar, share_bar
from formation_portal.ui.forms.controls import Suggestions
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.pagination import PageLink, numbered_links

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import FormPage, Link, need_rows, need_url, read_only_reason, time_words
from ..sections.pages import QuestionPage
from .beneficial_owners import beneficial_owners
from .grid import Grid, allocation_sentences, cell_name, remaining_id

# The proposed answers for a first class: most companies have a single class with votes and dividends.
_FIRST_CLASS = {"name": "Ordinary", "voting_rights": "true", "dividend_rights": "true"}
# In characters: a screen reader has to finish before the next change.
_MAX_ANNOUNCEMENT = 100


@dataclass(frozen=True)
class SharesPage(FormPage):
    section: Section
    grid: Grid
    feedback: ReviewFeedback

    @property
    def title(self) -> str:
        return self.section.title or gettext("Shares")

    @property
    def url(self) -> str:
        return self._url("shares")

    def query_of(self, numbers: Mapping[str, Any]) -> str:
        """Return the URL's query for the page numbers of holders and classes; one that is not given stays as it is."""
        pages = {"page": self.grid.holders_shown.number, "classes": self.grid.classes_shown.number}
        query: dict[str, str] = {}
        for name, number in pages.items():
            value = str(numbers.get(name, number))
            if value != "1":
                query[name] = value
        return f"?{urlencode(query)}" if query else ""

    @property
    def holder_links(self) -> tuple[PageLink, ...]:
        return numbered_links(self.grid.holders_shown, QueryDict(self.query_of({})[1:]))

    @property
    def class_links(self) -> tuple[PageLink, ...]:
        return numbered_links(self.grid.classes_shown, QueryDict(self.query_of({})[1:]), name="classes")

    @property
    def version(self) -> int:
        return self.draft.version(self.section.key)

    @property
    def saved_at(self) -> str:
        return time_words(self.draft.saved_at(self.section.key))

    @cached_property
    def delivery(self) -> DeliveryStatus:
        return self.grid.deliveries.of_all(ResourceKind.SHAREHOLDING)

    @cached_property
    def read_only_reason(self) -> str:
        return read_only_reason(self.draft.application, is_accepted=self.feedback.locks.has_shares(self.draft))

    @property
    def lead(self) -> str:
        return " ".join(allocation_sentences(self.grid.allocation))

    @property
    def announcement(self) -> str:
        """Return the whole sentences of the lead that are short enough to be read aloud at every change."""
        announcement, *others = allocation_sentences(self.grid.allocation)
        for sentence in others:
            if len(announcement) + len(sentence) + 1 < _MAX_ANNOUNCEMENT:
                announcement = f"{announcement} {sentence}"
        return announcement

    @cached_property
    def bars(self) -> list[Bar]:
        allocation = self.grid.allocation
        bars: list[Bar] = []
        for row in self.grid.classes_shown:
            if allocation.allocated(row):
                holdings = [(party.label, allocation.shares(party, row)) for party in allocation.holders]
                available = allocation.available(row)
                bars.append(share_bar(row.label, holdings, there_are=available, short_of=allocation.bounds))
        return bars

    @cached_property
    def owners(self) -> dict[str, Any]:
        return beneficial_owners(self.draft, self.grid.allocation)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        needs = [Link(need.text, self._need_url(need)) for need in self.draft.needs_of_section(self.section.key)]
        advice = validation_advice(self.draft.form_state, self.section)
        return (*needs, *(Link(remark.text, "", is_advice=True) for remark in advice))

    def _need_url(self, need: Need) -> str:
        if need.code == "share_class":
            return self._url("share_class_new")
        if need.code == "over_issued" and need.share_class_id:
            _, classes = self.grid.pages_of("", need.share_class_id)
            query = self.query_of({"classes": classes})
            place = remaining_id(need.share_class_id)
        elif need.party_id and self.grid.columns:
            share_class = need.share_class_id or self.grid.columns[0]["row"].token
            holders, classes = self.grid.pages_of(need.party_id, share_class)
            query = self.query_of({"page": holders, "classes": classes})
            place = cell_name(need.party_id, share_class)
        else:
            return need_url(self.draft, need)
        if query == self.query_of({}):
            return f"#{place}"
        return f"{self.url}{query}#{place}"


def shares_page(draft: Draft, section: Section, *, query: Mapping[str, Any] = MappingProxyType({})) -> SharesPage:
    """Build the page of shares; its URL's query selects the part of a large grid."""
    deliveries = deliveries_for_customer(draft.application)
    return SharesPage(draft, section, Grid(draft, Allocation(draft), deliveries, query), review_feedback(draft))


@dataclass(frozen=True, kw_only=True)
class ShareClassPage(QuestionPage):
    """The page of a share class. An unsaved class has a token too, so that posting twice adds it once."""

    row: ShareClassRow

    template = "portal/shares/share_class.html"
    read_only_template = "portal/shares/share_class_read_only.html"

    @property
    def is_new(self) -> bool:
        return self.row.model.pk is None

    @property
    def title(self) -> str:
        return gettext("New share class") if self.is_new else self.row.label

    @property
    def url(self) -> str:
        return self._url("share_class_new") if self.is_new else self._url("share_class", self.row.token)

    @property
    def holder(self) -> str:
        return self.row.token

    @property
    def read_only_reason(self) -> str:
        return read_only_reason(self.draft.application, is_accepted=self.feedback.locks.has_shares(self.draft))

    @property
    def version(self) -> int:
        return self.row.version

    @property
    def saved_at(self) -> str:
        return time_words(self.row.model.updated_at)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        needs = needs_of_share_class(self.draft.form_state, self.row.record)
        return need_rows(needs, self.form, about=self.row.label)


def share_class_page(draft: Draft, section: Section, *, token: str) -> ShareClassPage:
    proposal = ShareClass(application=draft.application, token=token, version=0, raw=_proposed_answers(draft))
    row = draft.share_class(token) or draft.as_share_class(proposal)
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_share_class(token)
    delivery = answers_delivery(deliveries, status, share_class=token, changed_at=row.model.updated_at)
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
        deliveries=deliveries,
        row=row,
        feedback=feedback,
    )


def _proposed_answers(draft: Draft) -> dict[str, str]:
    """Return the answers proposed for a first class. Nothing is stored before the customer saves the form."""
    if draft.share_classes or not draft.application.can_be_changed:
        return {}
    answers: dict[str, str] = {}
    for spec in draft.schema.share_class_fields:
        name = property_of(spec.canonical_field or "")
        if name in _FIRST_CLASS:
            answers[spec.name] = _FIRST_CLASS[name]
    return answers
