"""What the parts of a case's page are made from: the case, its facts, what changed, and what was said where."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import Readback
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Checklist, Fact
from formation_portal.reviews.models import Query
from formation_portal.reviews.opened_documents import OpenedDocuments
from formation_portal.reviews.targets import Target, TargetKind

from .differences import Differences
from .queue_state import QueueState
from .remark_panels import Panel, Panels

# The mark of each state, and its words.
_STATES = {
    ACCEPTED: ("met", "Accepted"),
    QUERIED: ("heed", "Open query"),
    CHANGED: ("changed", "Changed since accepted"),
    OPEN: ("open", "Not checked"),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """How a fact stands, and what can be done: `place` is what accepting or reopening posts, where that is offered."""

    mark: str
    words: str
    place: str = ""
    is_accepted: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One case as one reader sees it. `only_changed` leaves out what is as it was; `placed` gathers the places that the
    page has shown, so that nothing that was said is left out; `shown` is the queue that it was opened from; `seen` is
    who has opened which documents."""

    draft: Draft
    told: Readback
    facts: Checklist
    panels: Panels
    differences: Differences
    only_changed: bool
    can_check: bool
    shown: QueueState
    seen: OpenedDocuments
    placed: set[Target] = field(default_factory=set)

    def panel(self, place: Target) -> Panel:
        """What was said at a place that the page shows."""
        self.placed.add(place)
        return self.panels.at(place)

    def open_at(self, holder: str) -> tuple[Query, ...]:
        """The open questions about a section or party, and everything in it."""
        return tuple(remark for remark in self.facts.queries if remark.holder == holder)

    def standing(self, fact: Fact, *, questions: Iterable[Query] = ()) -> Standing:
        """How a fact stands; a question at anything within it counts as one about it."""
        state = QUERIED if any(questions) else fact.state
        mark, words = _STATES[state]
        if state == ACCEPTED and fact.check and fact.check.by:
            words = f"Accepted by {fact.check.by.called}"
        place = str(fact.target) if self.can_check else ""
        return Standing(mark, words, place, is_accepted=fact.is_done)

    def leftovers(self, holder: str | None = None) -> tuple[Panel, ...]:
        """What was said where the page shows nothing any more: at one holder, or everywhere but at parties, which have
        pages of their own."""
        parties = {row.token for row in self.draft.parties}
        lost = [one for one in self.panels.remarked if one not in self.placed and one.holder not in parties]
        return tuple(self.panel(one) for one in lost if holder is None or (one.holder == holder and _has_place(one)))


def _has_place(place: Target) -> bool:
    return place.kind is not TargetKind.APPLICATION
