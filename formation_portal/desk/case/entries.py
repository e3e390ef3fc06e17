"""The answers, parties and documents of a case as rows, with the state of their checks and what changed."""

from dataclasses import dataclass

from formation_portal.applications.documents import can_be_shown
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import AnswerGroup, DocumentLine
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Fact, HolderChecklist

from ..wording import if_any
from .history import Difference, changed_words
from .query_panels import QueryPanel

# The mark of each state, and its words.
_STATES = {
    ACCEPTED: ("met", "Accepted"),
    QUERIED: ("heed", "Open query"),
    CHANGED: ("changed", "Changed since accepted"),
    OPEN: ("open", "Not checked"),
}


@dataclass(frozen=True, slots=True)
class FactStatus:
    """How a fact stands; `has_query` where one is open about it or about anything within it."""

    fact: Fact
    has_query: bool = False

    @property
    def mark(self) -> str:
        return _STATES[QUERIED if self.has_query else self.fact.state][0]

    @property
    def words(self) -> str:
        """Its state, and who has accepted it."""
        if self.fact.is_done and not self.has_query and self.fact.check and self.fact.check.by:
            return f"Accepted by {self.fact.check.by.called}"
        return _STATES[QUERIED if self.has_query else self.fact.state][1]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, as desk/case/_row.html draws it; with a difference the old one stands beside it."""

    term: str
    value: str
    is_name: bool
    note: str
    mark: str
    difference: Difference | None
    panel: QueryPanel


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """Answers under one heading in the margin. `hidden` is how many are as they were, and left out; `more` is what was
    said about answers that are no longer there."""

    id: str
    title: str
    rows: list[AnswerRow]
    note: str = ""
    hidden: int = 0
    status: FactStatus | None = None
    panel: QueryPanel | None = None
    more: tuple[QueryPanel, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it is accepted as it stands, with nothing asked about it and no note."""
        if self.status is None or self.status.has_query or not self.status.fact.is_done:
            return False
        return not any(row.mark or row.panel.notes for row in self.rows)


@dataclass(frozen=True, slots=True)
class PartyLine:
    """One party: what changed, how many of its checks are done, and the page where they are made. `checklist` is None
    where there is nothing to check."""

    group: AnswerGroup[PartyRow]
    checklist: HolderChecklist | None
    changes: tuple[Difference, ...]
    is_new: bool
    queries: int
    url: str

    @property
    def is_left_out(self) -> bool:
        """Whether it is as it was, and nothing is left to do, where only that is asked for."""
        return not (self.changes or self.is_new or self.queries) and (self.checklist is None or self.checklist.is_done)

    @property
    def mark(self) -> str:
        if self.queries:
            return "heed"
        if self.checklist is None or self.checklist.is_done:
            return "met"
        if self.checklist.screening and self.checklist.done == len(self.checklist.facts):
            return "heed"
        return "changed" if self.changes or self.is_new else "half" if self.checklist.done else "open"

    @property
    def note(self) -> str:
        """Return the party's roles, what changed, and what is worth a second look."""
        news = "New since the last return" if self.is_new else changed_words(self.changes)
        flags = [line.objection or line.advice for line in self.group.lines]
        return ". ".join(filter(None, (self.group.note, news, *flags)))

    @property
    def status(self) -> str:
        """How far its checks are, and which screening checks it lacks."""
        done, there_are = (self.checklist.done, len(self.checklist.facts)) if self.checklist else (0, 0)
        parts = (f"{done} of {if_any(there_are, 'check')}", if_any(self.queries, "query", "queries"))
        screening = self.checklist.screening if self.checklist else ()
        return ". ".join((", ".join(filter(None, parts)), *screening))


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document that is asked for; one of the entity's own is checked here, and has a status and a panel."""

    line: DocumentLine
    difference: Difference | None
    seen: str
    status: FactStatus | None = None
    panel: QueryPanel | None = None

    @property
    def mark(self) -> str:
        return "changed" if self.difference else self.status.mark if self.status else ""

    @property
    def can_be_shown(self) -> bool:
        """Whether there is a picture of it."""
        document = self.line.document
        return document is not None and can_be_shown(document)
