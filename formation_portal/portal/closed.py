"""Why an application's answers can be read but not changed."""

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State

from . import moments

_REASONS = {
    State.SUBMITTED_FOR_REVIEW: "Our reviewers have it. If something has to change, they return it to you.",
    State.IN_REVIEW: "A reviewer is reading it. If something has to change, it comes back to you.",
    State.SUBMITTED_TO_CSP: "It is approved and with the registry.",
    State.INCORPORATED: "It is formed.",
    State.REJECTED: "It was declined.",
    State.WITHDRAWN: "It was withdrawn.",
}


def reason(application: Application) -> str:
    """One or two sentences, the first with the day of submission; empty while it is open."""
    if application.is_open:
        return ""
    submitted = application.submitted_at
    when = f"You submitted this application on {moments.day(submitted.date())}. " if submitted else ""
    return f"{when}{_REASONS.get(application.stands, '')} These are the answers as they stand."
