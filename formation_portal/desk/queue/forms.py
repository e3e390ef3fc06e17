"""What an agent posts about claiming one case: what happens, and the message then."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.messages import ERROR, SUCCESS

from formation_portal.accounts.models import User

from ..models import WORD_LIMIT, Case
from .claims import claim, is_claimed, take_over

LevelAndText = tuple[int, str]

_CLAIMED: LevelAndText = (SUCCESS, "You have claimed this case.")
_CLOSED: LevelAndText = (ERROR, "This case is closed, so it cannot be claimed.")


@dataclass(frozen=True, slots=True)
class ClaimForm:
    """Why a case is taken over, and from which agent: the one whom the page named. Without one it is only claimed."""

    word: str = ""
    taken_from: str = ""

    @classmethod
    def read(cls, posted: Mapping[str, str]) -> "ClaimForm":
        """From a form."""
        return cls(" ".join(posted.get("word", "").split())[:WORD_LIMIT], posted.get("from", ""))


def claim_case(application_id: int, *, by: User, form: ClaimForm) -> LevelAndText:
    """Claim a case, or take it over where the page showed somebody's claim; with what to say then."""
    case = Case.objects.select_related("claimed_by").filter(pk=application_id).first()
    if case is None or case.open_since is None:
        return _CLOSED
    if form.taken_from and is_claimed(case) and case.claimed_by_id != by.pk:
        if form.taken_from != str(case.claimed_by_id):
            return _claimed_by_another(case)
        if not form.word:
            return ERROR, "Enter a reason for taking over this case."
        return _CLAIMED if take_over(case, by=by, word=form.word) else (ERROR, "A colleague claimed this case first.")
    found = claim([application_id], by=by)
    return _CLAIMED if found.won else _claimed_by_another(found.lost[0]) if found.lost else _CLOSED


def _claimed_by_another(case: Case) -> LevelAndText:
    name = case.claimed_by.called if case.claimed_by else "A colleague"
    return ERROR, f"{name} has already claimed this case."
