"""Describe the answers, parties and documents of a case, with the state of their checks and their changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from formation_portal.applications.documents import can_be_shown
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import AnswerGroup, DocumentLine
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Fact, HolderChecklist

from ..wording import numbered
from .history import Difference, changed_words
from .query_panels import QueryPanel

# The mark and the words of each state.
FACT_STATES = {
    ACCEPTED: ("met", "Accepted"),
    QUERIED: ("warning", "Open query"),
    CHANGED: ("changed", "Changed since accepted"),
    OPEN: ("open", "Not checked"),
}


class FactStatus:
    """The status of a fact, and who accepted the fact. `has_query`: a query about it or an answer in it is open."""

    def __init__(self, fact: Fact, *, has_query: bool = False) -> None:
        self.fact = fact
        self.has_query = has_query
        self.mark, self.words = FACT_STATES[QUERIED if has_query else fact.state]
        if fact.is_done and not has_query and fact.check and fact.check.by:
            self.words = f"Accepted by {fact.check.by.called}"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer, as templatetags/answer_rows.py draws it; a `difference` adds the old value."""

    term: str
    value: str
    is_name: bool
    note: str
    mark: str
    difference: Difference | None
    panel: QueryPanel


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """Answers under one heading in the margin. `hidden` counts the unchanged answers left out; `more` has queries and
    notes about removed answers."""

    id: str
    title: str
    rows: list[AnswerRow]
    note: str = ""
    hidden: int = 0
    status: FactStatus | None = None
    panel: QueryPanel | None = None
    more: Sequence[QueryPanel] = ()

    @property
    def has_nothing_open(self) -> bool:
        """Tell whether the entry is accepted, without an open query or a note."""
        if self.status is None or self.status.has_query or not self.status.fact.is_done:
            return False
        return not any(row.mark or row.panel.notes for row in self.rows)


@dataclass(frozen=True, slots=True)
class PartyLine:
    group: AnswerGroup[PartyRow]
    checklist: HolderChecklist
    changes: tuple[Difference, ...]
    is_new: bool
    queries: int
    url: str

    @property
    def mark(self) -> str:
        if self.queries:
            return "warning"
        if self.checklist.is_done:
            return "met"
        if self.checklist.screening and self.checklist.done == len(self.checklist.facts):
            return "warning"
        if self.changes or self.is_new:
            return "changed"
        return "half" if self.checklist.done else "open"

    @property
    def note(self) -> str:
        news = changed_words(self.changes)
        if self.is_new:
            news = "New since the last return"
        objections = [line.objection or line.advice for line in self.group.lines]
        return ". ".join(filter(None, (self.group.note, news, *objections)))

    @property
    def status(self) -> str:
        status = f"{self.checklist.done} of {numbered(len(self.checklist.facts), 'check')}"
        if self.queries:
            status += f", {numbered(self.queries, 'query', 'queries')}"
        return ". ".join((status, *self.checklist.screening))


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A required document. Only a document of the entity, which the case page checks, has a status and a panel."""

    line: DocumentLine
    difference: Difference | None
    seen: str
    status: FactStatus | None = None
    panel: QueryPanel | None = None

    @property
    def mark(self) -> str:
        if self.difference:
            return "changed"
        return self.status.mark if self.status else ""

    @property
    def can_be_shown(self) -> bool:
        document = self.line.document
        return document is not None and can_be_shown(document)
