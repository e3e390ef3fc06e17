"""What an agent sees whose acceptance was not taken: what others have done meanwhile, and how the facts stand now."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.reviews.changes_since import ReviewChange, ReviewVersion, current_version
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, QUERIED, Fact, load_checklist
from formation_portal.reviews.targets import Target


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """One fact that was to be accepted, or taken back; `can_be_chosen` where it still could be."""

    target: Target
    label: str
    whose: str
    state: str
    can_be_chosen: bool


@dataclass(frozen=True, slots=True)
class ConflictPage:
    """`reason` says why, where that is not what others did; `rows` are what was chosen, to be ticked once only.

    `version` is the review's now. `is_another_round` where it was submitted again meanwhile: then the answers are to be
    looked at first.
    """

    draft: Draft
    reason: str
    changes: tuple[ReviewChange, ...]
    rows: tuple[ConflictRow, ...]
    version: ReviewVersion
    back: str
    is_reopening: bool
    is_another_round: bool

    @property
    def can_be_posted(self) -> bool:
        """Whether anything that was chosen could still be."""
        return not self.is_another_round and any(row.can_be_chosen for row in self.rows)


def conflict_page(
    draft: Draft,
    targets: Collection[Target],
    *,
    reason: str = "",
    changes: Iterable[ReviewChange] = (),
    seen: ReviewVersion,
    back: str,
    is_reopening: bool = False,
) -> ConflictPage:
    """The page, as the draft stands now. Three queries; what is no part of the application any more is left out."""
    # Read before the facts: whatever comes between is news then.
    version = current_version(draft.application)
    rows = []
    for holder in load_checklist(draft).holders:
        for fact in holder.facts:
            if fact.target in targets:
                is_drafted = fact.query is not None and fact.query.is_draft
                is_accepted = fact.check is not None and bool(fact.check.digest)
                can_be_chosen = is_accepted if is_reopening else not is_drafted
                rows.append(ConflictRow(fact.target, fact.label, holder.title, fact_status(fact), can_be_chosen))
    return ConflictPage(
        draft, reason, tuple(changes), tuple(rows), version, back, is_reopening, seen.round != version.round
    )


def fact_status(fact: Fact) -> str:
    """How a fact stands, and by whom."""
    by = (fact.query if fact.state == QUERIED else fact.check) if fact.state != CHANGED else None
    name = f" by {by.by.called}" if by is not None and by.by is not None else ""
    if fact.state == QUERIED:
        return f"Queried{name}"
    if fact.state == CHANGED:
        return "Changed since accepted"
    return f"Accepted{name}" if fact.state == ACCEPTED else "Not checked"
