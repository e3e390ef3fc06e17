"""Gather the queries and notes about each target of a case, and the form to ask (desk/case/_query_panel.html)."""

from collections.abc import Iterable
from dataclasses import dataclass
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
from ..masking import Mask, TextMasking, is_identity_number, mask_of
from ..shared_texts import SharedTexts
from .forms import QueryForm, query_form

_TONES = {"Resolved": "met", "Drafted": "half", "Answered": "open", "Asked": "heed"}


@dataclass(frozen=True)
class QueryLine:
    """A query to read. `panels` are those of the page."""

    panels: "QueryPanels"
    query: Query

    @property
    def state(self) -> str:
        if self.query.settled_at:
            return "Resolved"
        if self.query.is_draft:
            return "Drafted"
        return "Answered" if self.query.replied_at else "Asked"

    @property
    def tone(self) -> str:
        return _TONES[self.state]

    @property
    def can_be_ended(self) -> bool:
        """Report that this agent can delete or resolve it."""
        return self.query.is_open and self.panels.can_review

    @property
    def reason(self) -> str:
        """Return its reason, if it is one of the list."""
        return "" if self.query.reason == QueryReason.OTHER else QueryReason(self.query.reason).label

    @cached_property
    def proposal(self) -> str:
        """Return the proposed answer, in words."""
        spec = field_at(self.panels.draft, self.query.target)
        return answer_in_words(spec, self.query.proposal) if spec and self.query.proposal is not None else ""

    @property
    def is_number(self) -> bool:
        """Report that it proposes a number that a person is known by."""
        return bool(self.proposal) and is_identity_number(self.panels.draft, self.query.target)

    @property
    def mask(self) -> Mask | None:
        """Return the mask of such a number, if it is not shown."""
        return mask_of(self.proposal) if self.is_number and not self.panels.shows_numbers else None


@dataclass(frozen=True)
class QueryPanel:
    """The queries and notes about one target, which the application need not have any more, and the form to ask.

    `posted_form` is a form that was posted; `is_open` opens the form at once.
    """

    panels: "QueryPanels"
    target: Target
    posted_form: QueryForm | None = None
    is_open: bool = False

    @cached_property
    def id(self) -> str:
        return target_id(self.target)

    @property
    def back(self) -> str:
        """Return the URL to which posts of this panel lead back."""
        return f"{self.panels.back}#{self.id}"

    @cached_property
    def label(self) -> str:
        """Return the label of the target, or the one that it had when it was first asked about."""
        if self._current_label is not None:
            return self._current_label
        return self.queries[-1].query.label if self.queries else ""

    @cached_property
    def _current_label(self) -> str | None:
        return label_of(self.panels.draft, self.target)

    @cached_property
    def whose(self) -> str:
        return holder_name(self.panels.draft, self.target)

    @cached_property
    def queries(self) -> list[QueryLine]:
        """Return the queries, the newest first."""
        return [QueryLine(self.panels, query) for query in reversed(self.panels.queries_by_target.get(self.target, []))]

    @property
    def open_queries(self) -> list[QueryLine]:
        return [line for line in self.queries if not line.query.settled_at]

    @property
    def resolved(self) -> list[QueryLine]:
        return [line for line in self.queries if line.query.settled_at]

    @property
    def notes(self) -> list[Note]:
        return self.panels.notes_by_target.get(self.target, [])

    @property
    def has_draft(self) -> bool:
        return any(line.query.is_draft for line in self.queries)

    @cached_property
    def can_ask(self) -> bool:
        """Report that the case is under review, and still has the target."""
        return self.panels.can_review and self._current_label is not None

    @cached_property
    def form(self) -> QueryForm | None:
        """Return the form to ask; None where nothing can be asked, or where the form is fetched."""
        if self.posted_form or self.panels.lazily or not self.can_ask:
            return self.posted_form
        draft_query = next((line.query for line in self.queries if line.query.is_draft), None)
        return query_form(self.panels.draft, self.target, draft_query)

    @property
    def is_silent(self) -> bool:
        """Report that it has no query, no note and no form."""
        return not (self.queries or self.notes or self.form)

    @property
    def shared_texts(self) -> SharedTexts:
        return SharedTexts(self.panels.draft, reader=self.panels.reader, target=self.target)

    @cached_property
    def ask_url(self) -> str:
        """Return the URL from which the form is fetched; "" where it is on the page, or where nothing can be asked."""
        if not (self.panels.lazily and self.can_ask):
            return ""
        return f"{self.panels.ask_address}&place={quote_plus(str(self.target))}"


class QueryPanels:
    """The panels of one page of a case. Two queries when the first is used, and one where no version is given.

    `queries` are all of the case, where they were read already. `back` is the address of the page, to which every post
    leads back. On a page with many targets the forms are fetched one by one (`lazily`). `shows_numbers` is for an agent
    who has asked to see the numbers that people are known by.
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
        self._queries = queries
        self.lazily = lazily
        self.shows_numbers = shows_numbers
        self.can_review = can_review(draft, reader)

    @cached_property
    def ask_address(self) -> str:
        """Return the address of the forms, to which each target is added."""
        return f"{reverse('desk:queries', args=[self.draft.application.reference])}?{urlencode({'back': self.back})}"

    @cached_property
    def all(self) -> tuple[Query, ...]:
        return read_queries(self.draft) if self._queries is None else self._queries

    @cached_property
    def queries_by_target(self) -> dict[Target, list[Query]]:
        return _by_target(self.all)

    @cached_property
    def notes_by_target(self) -> dict[Target, list[Note]]:
        return _by_target(self.draft.application.notes.filter(removed_at=None).select_related("by"))

    @cached_property
    def masking(self) -> TextMasking:
        return TextMasking(self.draft)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return the targets with a query or a note, in the order of their first ones."""
        return tuple(dict.fromkeys((*self.queries_by_target, *self.notes_by_target)))


def read_queries(draft: Draft) -> tuple[Query, ...]:
    """Return the queries of a case but for deleted drafts, in their order. One database query."""
    return tuple(draft.application.queries.filter(dropped_at=None).select_related("by"))


def target_id(target: Target) -> str:
    """Return the id of a target's panel on a page."""
    return f"at:{control_id(str(target))}"


def _by_target(rows: Iterable[Any]) -> dict[Target, list[Any]]:
    by_target: dict[Target, list[Any]] = {}
    for row in rows:
        by_target.setdefault(row.target, []).append(row)
    return by_target
