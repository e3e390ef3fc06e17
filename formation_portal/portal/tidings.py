"""Letters about where an application stands, posted in the transaction that moved it. Submitting has its own."""

from django.urls import reverse

from formation_portal.accounts.addresses import is_confirmed
from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.letters import post
from formation_portal.reviews.asked import asked_of, words_of

from .came_back import RETURN

# The kind of letter that each state asks for, and how the letter calls what has happened.
_SAID = {
    State.RETURNED_FOR_CHANGES: ("return", ""),
    State.SUBMITTED_TO_CSP: ("decision", "approved"),
    State.INCORPORATED: ("decision", "incorporated"),
    State.REJECTED: ("decision", "declined"),
}


def tell(draft: Draft) -> None:
    """Write to the application's owner, where the new state is one that nobody should have to look for."""
    application, owner = draft.application, draft.application.owner
    kind, outcome = _SAID.get(application.status, ("", ""))
    if not kind or not may_write_to(owner):
        return
    context = {
        "company": draft.title,
        "reference": application.reference,
        "outcome": outcome,
        "count": _asked(application) if kind == "return" else 0,
        "link": reverse("portal:status", args=[application.reference]),
    }
    post(kind=kind, to=owner.email, language=language_of(owner), context=context)


def _asked(application: Application) -> int:
    """How many things our reviewer asks; none where the service has sent it back, or a word is all that was said."""
    if application.submissions not in words_of(application, RETURN):
        return 0
    return sum(not one.is_settled for one in asked_of(application))


def may_write_to(user: User) -> bool:
    """Whether the address is surely theirs; else a stranger would read about the application."""
    return is_confirmed(user, user.email)


def language_of(user: object) -> str:
    """The language that somebody reads us in, as far as it is known."""
    return str(getattr(user, "language", "") or "en")
