"""What was asked and noted about each target of a case, and the form to ask: desk/case/_query_panel.html draws it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse

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
    """A query as it is read back."""

    panel: "QueryPanel"
    query: Query

    @property
    def state(self) -> str:
        """How it stands, in a word."""
        if self.query.settled_at:
            return "Resolved"
        if self.query.is_draft:
            return "Drafted"
        return "Answered" if self.query.replied_at else "Asked"

    @property
    def tone(self) -> str:
        """The mark that goes with it."""
        return _TONES[self.state]

    @property
    def can_be_ended(self) -> bool:
        """Whether this agent can delete it, or say that it is answered."""
        return self.query.is_open and self.panel.panels.can_review

    @property
    def reason(self) -> str:
        """Why it is asked; nothing for another reason than those of the list."""
        return "" if self.query.reason == QueryReason.OTHER else QueryReason(self.query.reason).label

    @cached_property
    def proposal(self) -> str:
        """The answer that it proposes, in words."""
        spec = field_at(self.panel.panels.draft, self.query.target)
        return answer_in_words(spec, self.query.proposal) if spec and self.query.proposal is not None else ""

    @property
    def is_number(self) -> bool:
        """Whether that is a number that somebody is known by."""
        return bool(self.proposal) and is_identity_number(self.panel.panels.draft, self.query.target)

    @property
    def mask(self) -> Mask | None:
        """What alone is to be seen of such a number."""
        return mask_of(self.proposal) if self.is_number and not self.panel.panels.shows_numbers else None


@dataclass(frozen=True)
class QueryPanel:
    """Everything about one target, whether or not the application still has it. With a form, that one; `is_open` opens
    it at once."""

    panels: "QueryPanels"
    target: Target
    given_form: QueryForm | None = None
    is_open: bool = False

    @cached_property
    def id(self) -> str:
        """Where one comes back to after something was done here."""
        return target_id(self.target)

    @property
    def back(self) -> str:
        """The same with the page."""
        return f"{self.panels.back}#{self.id}"

    @cached_property
    def label(self) -> str:
        """What the target is called, or was."""
        label = self._current_label
        return next((line.query.label for line in reversed(self.queries)), "") if label is None else label

    @cached_property
    def _current_label(self) -> str | None:
        """What the case calls it now; None where the case no longer has it."""
        return label_of(self.panels.draft, self.target)

    @cached_property
    def whose(self) -> str:
        return holder_name(self.panels.draft, self.target)

    @cached_property
    def queries(self) -> list[QueryLine]:
        """What was asked, the newest first."""
        return [QueryLine(self, query) for query in reversed(self.panels.queries_by_target.get(self.target, []))]

    @property
    def open_queries(self) -> list[QueryLine]:
        return [line for line in self.queries if not line.query.settled_at]

    @property
    def resolved(self) -> list[QueryLine]:
        """What was asked before."""
        return [line for line in self.queries if line.query.settled_at]

    @property
    def notes(self) -> list[Note]:
        return self.panels.notes_by_target.get(self.target, [])

    @property
    def has_draft(self) -> bool:
        return any(line.query.is_draft for line in self.queries)

    @cached_property
    def can_ask(self) -> bool:
        """Whether something can be asked here: the case is under review, and has the target still."""
        return self.panels.can_review and self._current_label is not None

    @cached_property
    def form(self) -> QueryForm | None:
        """The form to ask; None where nothing can be asked, or where the form is fetched."""
        if self.given_form or self.panels.lazily or not self.can_ask:
            return self.given_form
        drafted = next((line.query for line in reversed(self.queries) if line.query.is_draft), None)
        return query_form(self.panels.draft, self.target, drafted)

    @property
    def is_silent(self) -> bool:
        """Whether nothing was asked or noted here, and there is no form."""
        return not (self.queries or self.notes or self.form)

    @property
    def shared_texts(self) -> SharedTexts:
        """What can be inserted into the message."""
        return SharedTexts(self.panels.draft, reader=self.panels.reader, target=self.target)

    @cached_property
    def ask_url(self) -> str:
        """Where the form is fetched from; empty where it is here, or where nothing can be asked."""
        if not (self.panels.lazily and self.can_ask):
            return ""
        return f"{self.panels.ask_address}&place={quote_plus(str(self.target))}"


class QueryPanels:
    """The panels of one page of a case. Two queries when the first is asked for, and one where no version is given.
    `queries` are all of the case, where they were read already.

    `back` is the address of the page that they stand on: every post leads back there. `lazily` is for a page with many
    targets: the forms are fetched when somebody asks for one. `shows_numbers` is for whoever has asked to see the
    numbers that people are known by.
    """

    def __init__(
        self,
        draft: Draft,
        *,
        reader: AbstractBaseUser,
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
        """The address that forms are fetched from; each adds its place to it."""
        return f"{reverse('desk:queries', args=[self.draft.application.reference])}?{urlencode({'back': self.back})}"

    @cached_property
    def all(self) -> tuple[Query, ...]:
        """Every query but deleted drafts, in their order."""
        return read_queries(self.draft) if self._queries is None else self._queries

    @cached_property
    def queries_by_target(self) -> dict[Target, list[Query]]:
        return _by_target(self.all)

    @cached_property
    def notes_by_target(self) -> dict[Target, list[Note]]:
        return _by_target(self.draft.application.notes.filter(removed_at=None).select_related("by"))

    @cached_property
    def masking(self) -> TextMasking:
        """What lies over the numbers in what colleagues have written."""
        return TextMasking(self.draft)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that anything was asked or noted about, in the order in which that began."""
        return tuple(dict.fromkeys((*self.queries_by_target, *self.notes_by_target)))


def read_queries(draft: Draft) -> tuple[Query, ...]:
    """Every query of a case but deleted drafts, in their order. One query."""
    return tuple(draft.application.queries.filter(dropped_at=None).select_related("by"))


def target_id(target: Target) -> str:
    """The id of what a page shows of a target."""
    return f"at:{control_id(str(target))}"


def _by_target(rows: Iterable[Any]) -> dict[Target, list[Any]]:
    found: dict[Target, list[Any]] = {}
    for row in rows:
        found.setdefault(row.target, []).append(row)
    return found
