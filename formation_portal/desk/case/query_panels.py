"""Gather the queries and notes about each target of a case, and the query form (desk/case/_query_panel.html)."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.urls import reverse

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.reviews.models import Note, Query, QueryReason
from formation_portal.reviews.targets import Target, field_at, holder_name, label_of
from formation_portal.reviews.transactions import ReviewVersion, current_version
from formation_portal.ui.forms.controls import control_id

from ..lookups import can_review
from ..masking import TextMasking, is_identity_number, mask_of
from ..shared_texts import SharedTexts
from .forms import QueryForm, query_form

_TONES = {"Resolved": "met", "Drafted": "half", "Answered": "open", "Asked": "warning"}


class QueryLine:
    """A query to read. `mask` replaces a proposed identity number while numbers are hidden."""

    def __init__(self, panels: "QueryPanels", query: Query) -> None:
        self.query = query
        self.state = "Asked"
        if query.settled_at:
            self.state = "Resolved"
        elif query.is_draft:
            self.state = "Drafted"
        elif query.replied_at:
            self.state = "Answered"
        self.tone = _TONES[self.state]
        self.can_be_ended = query.is_open and panels.can_review
        self.reason = ""
        if query.reason != QueryReason.OTHER:
            self.reason = QueryReason(query.reason).label
        self.proposal = ""
        spec = field_at(panels.draft, query.target)
        if spec and query.proposal is not None:
            self.proposal = answer_in_words(spec, query.proposal)
        self.is_number = bool(self.proposal) and is_identity_number(panels.draft, query.target)
        self.mask = None
        if self.is_number and not panels.shows_numbers:
            self.mask = mask_of(self.proposal)


class QueryPanel:
    """The queries and notes about a target, even if removed, and the query form, new or as posted."""

    def __init__(
        self, panels: "QueryPanels", target: Target, posted_form: QueryForm | None = None, *, is_open: bool = False
    ) -> None:
        self.panels = panels
        self.target = target
        self.posted_form = posted_form
        self.is_open = is_open
        self.id = target_id(target)
        self.back = f"{panels.back}#{self.id}"
        # Newest first.
        self.queries = [QueryLine(panels, query) for query in reversed(panels.queries_by_target.get(target, []))]
        self.open_queries = [line for line in self.queries if not line.query.settled_at]
        self.resolved = [line for line in self.queries if line.query.settled_at]
        self.draft_query = next((line.query for line in self.queries if line.query.is_draft), None)

    @cached_property
    def _current_label(self) -> str | None:
        return label_of(self.panels.draft, self.target)

    @property
    def label(self) -> str:
        """Return the target's label; for a removed target the label in its first query."""
        if self._current_label is not None:
            return self._current_label
        return self.queries[-1].query.label if self.queries else ""

    @property
    def whose(self) -> str:
        return holder_name(self.panels.draft, self.target)

    @property
    def notes(self) -> list[Note]:
        return self.panels.notes_by_target.get(self.target, [])

    @property
    def shared_texts(self) -> SharedTexts:
        return SharedTexts(self.panels.draft, reader=self.panels.reader, target=self.target)

    @property
    def can_ask(self) -> bool:
        return self.panels.can_review and self._current_label is not None

    @cached_property
    def form(self) -> QueryForm | None:
        """Return the query form; None where queries are not possible, or the page fetches the form later."""
        if self.posted_form or self.panels.lazily or not self.can_ask:
            return self.posted_form
        return query_form(self.panels.draft, self.target, self.draft_query)

    @property
    def ask_url(self) -> str:
        """Return the URL that fetches the form; "" where the page has the form, or queries are not possible."""
        if not (self.panels.lazily and self.can_ask):
            return ""
        return f"{self.panels.ask_address}&place={quote_plus(str(self.target))}"


class QueryPanels:
    """The query panels of a page, whose URL is `back`. `queries` are all queries of the case, if already read.

    On a page with many targets the forms are fetched one by one (`lazily`), from `ask_address` with a target added.
    `shows_numbers`: the agent has asked to see identity numbers.
    """

    def __init__(
        self,
        draft: Draft,
        *,
        reader: User,
        back: str,
        version: ReviewVersion | None = None,
        queries: tuple[Query, ...] | None = None,
        lazily: bool = False,
        shows_numbers: bool = False,
    ) -> None:
        self.draft = draft
        self.reader = reader
        self.back = back.partition("#")[0]
        self.version = version or current_version(draft.application)
        self.lazily = lazily
        self.shows_numbers = shows_numbers
        self.can_review = can_review(draft, reader)
        self.masking = TextMasking(draft)
        address = reverse("desk:queries", args=[draft.application.reference])
        self.ask_address = f"{address}?{urlencode({'back': self.back})}"
        self.all = read_queries(draft) if queries is None else queries
        self.queries_by_target: dict[Target, list[Query]] = _by_target(self.all)

    @cached_property
    def notes_by_target(self) -> dict[Target, list[Note]]:
        return _by_target(self.draft.application.notes.filter(removed_at=None).select_related("by"))


def read_queries(draft: Draft) -> tuple[Query, ...]:
    """Return the queries of a case except deleted drafts, oldest first. One database query."""
    return tuple(draft.application.queries.filter(dropped_at=None).select_related("by"))


def target_id(target: Target) -> str:
    return f"at:{control_id(str(target))}"


def _by_target(rows: Iterable[Any]) -> dict[Target, list[Any]]:
    by_target: dict[Target, list[Any]] = {}
    for row in rows:
        by_target.setdefault(row.target, []).append(row)
    return by_target
