"""What an agent wishes of one case, or of the next: what happens, and what is said of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib.messages import ERROR, SUCCESS

from formation_portal.accounts.models import User

from .claims import claim, claim_next, free_to_confirm, is_claimed, take_over, unclaimed
from .models import WORD_LIMIT, Case
from .queue_search import found_cases
from .queue_state import QueueState, View

Said = tuple[int, str]

_CLAIMED: Said = (SUCCESS, "You have claimed this case.")
_CLOSED: Said = (ERROR, "This case is closed, so that there is nothing to claim.")


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Why a case is taken over, and from which agent: the one whom the page named. Without one it is only claimed."""

    word: str = ""
    taken_from: str = ""

    @classmethod
    def read(cls, posted: Mapping[str, str]) -> "TakeOver":
        """From a form."""
        return cls(" ".join(posted.get("word", "").split())[:WORD_LIMIT], posted.get("from", ""))


def claim_case(application_id: int, *, by: User, wish: TakeOver) -> Said:
    """Claim a case, or take it over where the page showed somebody's claim; with what to say then."""
    case = Case.objects.select_related("claimed_by").filter(pk=application_id).first()
    if case is None or case.open_since is None:
        return _CLOSED
    if wish.taken_from and is_claimed(case) and case.claimed_by_id != by.pk:
        return _take_over(case, by=by, wish=wish)
    found = claim([application_id], by=by)
    return _CLAIMED if found.won else _theirs(found.lost[0]) if found.lost else _CLOSED


def next_case_for(agent: User, shown: QueueState) -> Case | None:
    """Claim the longest waiting case that nobody works on, among those that the filters let through."""
    # Filters narrow it; a view of claimed ones, or of one agent's, can't.
    view = shown.view if shown.view in (View.ANSWERED, View.OVERDUE, View.CONFIRM) else View.UNCLAIMED
    fitting = replace(shown.from_the_top, view=view, holder="", newest_first=False)
    free = free_to_confirm() if view is View.CONFIRM else unclaimed()
    cases = found_cases(fitting, agent_id=agent.pk).every.select_related("application")
    return claim_next(cases, free=free, by=agent)


def _take_over(case: Case, *, by: User, wish: TakeOver) -> Said:
    if wish.taken_from != str(case.claimed_by_id):
        return _theirs(case)
    if not wish.word:
        return ERROR, "Say in a word why you take this case over."
    return _CLAIMED if take_over(case, by=by, word=wish.word) else (ERROR, "Somebody else was first. Look again.")


def _theirs(case: Case) -> Said:
    name = case.claimed_by.called if case.claimed_by else "Somebody"
    return ERROR, f"{name} has claimed this case meanwhile."
