"""The next case, by one press: the longest waiting one that fits what the queue showed, looked for so far at most."""

from dataclasses import dataclass, replace

from formation_portal.accounts.models import User

from ..models import Case
from ..queue_state import NOBODY, QueueState, View
from .claims import claim_free, free_to_confirm, not_proposed_by, unclaimed
from .search import find_cases, search_page

# Of two agents who press at once one gets the next case; this often the other looks for another.
_LOOKS = 10


@dataclass(frozen=True, slots=True)
class NextCase:
    """The case that was claimed; without one, among how many it was looked for where there are more, else 0."""

    case: Case | None
    looked_through: int = 0

    @property
    def words(self) -> str:
        """That there is none."""
        if not self.looked_through:
            return "No unassigned cases match."
        count = f"{self.looked_through:,} unassigned cases that have waited longest"
        return f"No match among the {count}. Search the queue or narrow the filters."


def next_case_for(agent: User, shown: QueueState) -> NextCase:
    """Claim the longest waiting case that nobody works on, among those that the filters let through.

    It is looked for as far as for a page of the queue, and no further: one to three queries.
    """
    # Filters narrow it; a view of claimed ones, or of one agent's, can't.
    view = shown.view if shown.view in (View.ANSWERED, View.OVERDUE, View.CONFIRM) else View.UNCLAIMED
    free, holder = (free_to_confirm(), "") if view is View.CONFIRM else (unclaimed(), NOBODY)
    fitting = replace(shown.from_the_top, view=view, holder=holder, newest_first=False)
    found = find_cases(fitting, agent_id=agent.pk)
    found = replace(found, cases=found.cases.filter(free, not_proposed_by(agent.pk)))
    for _ in range(_LOOKS):
        look = search_page(found, length=1)
        if not look.page.rows:
            return NextCase(None, look.looked_through)
        [case] = look.page.rows
        if claim_free(case, free=free, by=agent):
            return NextCase(case)
    return NextCase(None)
