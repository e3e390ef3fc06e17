"""What an agent posts to decide about a case: as it was typed, and what was wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict

from formation_portal.applications.drafts import Draft
from formation_portal.reviews.grounds import Ground
from formation_portal.reviews.models import TEXT_LIMIT, Ruling
from formation_portal.reviews.refusals import Refused
from formation_portal.reviews.rulings import APPROVE, DECLINE, rule
from formation_portal.reviews.since import Sight

from .decision_form import Problem
from .unseen_documents import knowing_in

# The controls in their order, each with the id of what is gone to where something is wrong with it.
_IDS = {"deed": "ruling-deed", "reason": "ruling-reason", "text": "ruling-text", "why": "ruling-why"}


@dataclass(frozen=True, slots=True)
class RulingForm:
    """The form, as it stands or as it was typed. `why` is what a second agent says who refuses."""

    deed: str = ""
    reason: str = ""
    text: str = ""
    why: str = ""
    opens_next: bool = False
    # The documents that are decided about without having been opened.
    unseen: tuple[int, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    limit = TEXT_LIMIT

    @classmethod
    def read(cls, posted: QueryDict) -> "RulingForm":
        """From a form. The button that approves at once says so itself, whatever else is chosen."""
        at_once = "at_once" in posted
        return cls(
            deed=APPROVE if at_once else posted.get("deed", ""),
            reason=posted.get("reason", ""),
            text=_typed(posted, "text"),
            why=_typed(posted, "why"),
            opens_next=at_once or posted.get("then") == "next",
            unseen=knowing_in(posted),
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls; what is wrong with the whole stands at the first one."""
        found = ((_IDS[name], self.errors.get(name, "")) for name in _IDS)
        return tuple(Problem(id_, text) for id_, text in found if text)

    def with_error(self, refused: Refused) -> "RulingForm":
        """The same with what was wrong at its control."""
        return replace(self, errors={refused.field if refused.field in _IDS else "deed": refused.message})


def decide(draft: Draft, form: RulingForm, *, by: AbstractBaseUser, sight: Sight) -> Ruling:
    """Do what the form says. Raises as `rule`."""
    declines = form.deed == DECLINE
    if declines and form.reason not in Ground.values:
        raise Refused("Select a reason.", field="reason")
    reason = form.reason if declines else ""
    return rule(draft, form.deed, text=form.text, reason=reason, unseen=form.unseen, by=by, sight=sight)


def _typed(posted: Mapping[str, str], name: str) -> str:
    return posted.get(name, "").replace("\x00", " ").replace("\r\n", "\n")
