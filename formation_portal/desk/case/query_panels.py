"""What was asked and noted about each target of a case, and the form to ask: desk/case/_query_panel.html draws it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.reviews.changes_since import ReviewVersion, current_version
from formation_portal.reviews.models import Note, Query, QueryReason
from formation_portal.reviews.targets import Target, field_at, holder_name, label_of
from formation_portal.ui.forms.controls import control_id

from ..lookups import can_review
from ..masking import Mask, is_identity_number, mask_of
from .forms import QueryForm, query_form


@dataclass(frozen=True, slots=True)
class QueryLine:
    """A query as it is read back. It is drafted, asked, answered or resolved; the addresses are where it is ended.

    `is_number` where a number that somebody is known by is proposed; with `mask` that alone is to be seen of it."""

    id: str
    state: str
    tone: str
    reason: str
    text: str
    proposal: str
    is_number: bool
    mask: Mask | None
    reply: str
    replied_at: datetime | None
    at: datetime
    who: str
    round: int | None
    removal_url: str
    settlement_url: str

    @property
    def is_settled(self) -> bool:
        return self.state == "Resolved"


@dataclass(frozen=True, slots=True)
class QueryPanel:
    """Everything about one target. `form` is None where the case is not under review, or where the form is fetched from
    `ask_url`; `is_open` opens it at once."""

    reference: str
    target: Target
    label: str
    whose: str
    version: ReviewVersion
    back: str
    queries: tuple[QueryLine, ...]
    notes: tuple[Note, ...]
    # Who writes a note can take it back.
    reader_id: int
    form: QueryForm | None
    has_draft: bool
    ask_url: str = ""
    is_open: bool = False

    @property
    def id(self) -> str:
        """Where one comes back to after a deed here."""
        return target_id(self.target)

    @property
    def resolved(self) -> tuple[QueryLine, ...]:
        return tuple(line for line in self.queries if line.is_settled)

    @property
    def open_queries(self) -> tuple[QueryLine, ...]:
        """What is asked at present."""
        return tuple(line for line in self.queries if not line.is_settled)


class QueryPanels:
    """The panels of one page of a case. Two queries when the first is asked for, and one where no version is given.

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
        lazily: bool = False,
        shows_numbers: bool = False,
    ) -> None:
        self.draft = draft
        self.reader = reader
        self.back = back.partition("#")[0]
        self.version = version or current_version(draft.application)
        self.lazily = lazily
        self.shows_numbers = shows_numbers

    @cached_property
    def all(self) -> tuple[Query, ...]:
        """Every query but deleted drafts, in their order."""
        return tuple(self.draft.application.queries.filter(dropped_at=None).select_related("by"))

    @property
    def open(self) -> tuple[Query, ...]:
        """Those that ask for something still."""
        return tuple(query for query in self.all if query.is_open)

    @cached_property
    def _queries(self) -> dict[Target, list[Query]]:
        return _by_place(self.all)

    @cached_property
    def _notes(self) -> dict[Target, list[Note]]:
        return _by_place(self.draft.application.notes.filter(removed_at=None).select_related("by"))

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that anything was asked or noted about, in the order in which that began."""
        return tuple(dict.fromkeys((*self._queries, *self._notes)))

    @property
    def drafted(self) -> tuple[Query, ...]:
        """What goes out with a return."""
        return tuple(query for query in self.all if query.is_draft)

    def at(self, target: Target, *, form: QueryForm | None = None) -> QueryPanel:
        """The panel of a target, whether or not the application still has it. With a form, that one, opened."""
        asked = self._queries.get(target, [])
        drafted = next((one for one in asked if one.is_draft), None)
        label = label_of(self.draft, target)
        can_ask = label is not None and can_review(self.draft, self.reader)
        is_given = can_ask and not self.lazily
        reference, back = self.draft.application.reference, f"{self.back}#{target_id(target)}"
        posted = urlencode({"place": str(target), "back": back})
        return QueryPanel(
            reference=reference,
            target=target,
            label=next((one.label for one in asked), "") if label is None else label,
            whose=holder_name(self.draft, target),
            version=self.version,
            back=back,
            queries=tuple(self._line(one) for one in reversed(asked)),
            notes=tuple(self._notes.get(target, ())),
            reader_id=self.reader.pk,
            form=form or (query_form(self.draft, target, drafted) if is_given else None),
            has_draft=drafted is not None,
            ask_url=f"{reverse('desk:queries', args=[reference])}?{posted}" if can_ask and self.lazily else "",
            is_open=form is not None,
        )

    def _line(self, query: Query) -> QueryLine:
        named = (self.draft.application.reference, query.pk)
        can_move = can_review(self.draft, self.reader) and query.is_open
        spec = field_at(self.draft, query.target)
        state, tone = _state(query)
        proposal = answer_in_words(spec, query.proposal) if spec and query.proposal is not None else ""
        is_number = bool(proposal) and is_identity_number(self.draft, query.target)
        return QueryLine(
            id=f"proposal-{query.pk}",
            state=state,
            tone=tone,
            reason="" if query.reason == QueryReason.OTHER else QueryReason(query.reason).label,
            text=query.text,
            proposal=proposal,
            is_number=is_number,
            mask=mask_of(proposal) if is_number and not self.shows_numbers else None,
            reply=query.reply,
            replied_at=query.replied_at,
            at=query.sent_at or query.at,
            who="" if query.sent_at or query.by is None else query.by.called,
            round=query.round,
            removal_url=reverse("desk:query_removal", args=named) if can_move and query.is_draft else "",
            settlement_url=reverse("desk:query_resolution", args=named) if can_move and not query.is_draft else "",
        )


def target_id(target: Target) -> str:
    """The id of what a page shows of a target."""
    return f"at:{control_id(str(target))}"


def _state(query: Query) -> tuple[str, str]:
    if query.settled_at:
        return "Resolved", "met"
    if query.is_draft:
        return "Drafted", "half"
    return ("Answered", "open") if query.replied_at else ("Asked", "heed")


def _by_place(rows: Iterable[Any]) -> dict[Target, list[Any]]:
    found: dict[Target, list[Any]] = {}
    for row in rows:
        found.setdefault(row.target, []).append(row)
    return found
