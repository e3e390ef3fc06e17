"""What the parts of a case's page are made from: the case, its checklist, what changed, and what was said where."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import Readback
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Checklist, Fact
from formation_portal.reviews.checks import OpenedDocuments
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target, TargetKind

from ..queue_state import QueueState
from .differences import Differences
from .query_panels import QueryPanel, QueryPanels

# The mark of each state, and its words.
_STATES = {
    ACCEPTED: ("met", "Accepted"),
    QUERIED: ("heed", "Open query"),
    CHANGED: ("changed", "Changed since accepted"),
    OPEN: ("open", "Not checked"),
}


@dataclass(frozen=True, slots=True)
class FactStatus:
    """How a fact stands, and what can be done: `target` is what accepting or reopening posts, where that is offered."""

    mark: str
    words: str
    target: str = ""
    is_accepted: bool = False


@dataclass(frozen=True, slots=True)
class CaseReading:
    """One case as one reader sees it. `only_changed` leaves out what is as it was; `shown_targets` gathers the
    targets that the page has shown, so that nothing that was said is left out; `shown` is the queue that it was opened
    from; `seen` is who has opened which documents."""

    draft: Draft
    readback: Readback
    facts: Checklist
    panels: QueryPanels
    differences: Differences
    only_changed: bool
    can_check: bool
    shown: QueueState
    seen: OpenedDocuments
    shown_targets: set[Target] = field(default_factory=set)

    def panel(self, target: Target) -> QueryPanel:
        """What was said about a target that the page shows."""
        self.shown_targets.add(target)
        return self.panels.at(target)

    def open_queries_of(self, holder: str) -> tuple[Query, ...]:
        """The open questions about a section or party, and everything in it."""
        return tuple(query for query in self.facts.queries if query.holder == holder)

    def status_of(self, fact: Fact, *, questions: Iterable[Query] = ()) -> FactStatus:
        """How a fact stands; a question at anything within it counts as one about it."""
        state = QUERIED if any(questions) else fact.state
        mark, words = _STATES[state]
        if state == ACCEPTED and fact.check and fact.check.by:
            words = f"Accepted by {fact.check.by.called}"
        target = str(fact.target) if self.can_check else ""
        return FactStatus(mark, words, target, is_accepted=fact.is_done)

    def panels_not_shown(self, holder: str | None = None) -> tuple[QueryPanel, ...]:
        """What was said where the page shows nothing any more: at one holder, or everywhere but at parties, which have
        pages of their own."""
        parties = {row.token for row in self.draft.parties}
        lost = [one for one in self.panels.targets if one not in self.shown_targets and one.holder not in parties]
        if holder is not None:
            lost = [one for one in lost if one.holder == holder and one.kind is not TargetKind.APPLICATION]
        return tuple(self.panel(one) for one in lost)
