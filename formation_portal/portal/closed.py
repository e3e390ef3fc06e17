"""Why an application's answers can be read but not changed."""

from django.utils.translation import gettext

from formation_portal.applications.models import Application
from formation_portal.contract.language import noted, say
from formation_portal.contract.lifecycle import State

from . import moments

_REASONS = {
    State.SUBMITTED_FOR_REVIEW: noted("Our reviewers have it. If something has to change, they return it to you."),
    State.IN_REVIEW: noted("A reviewer is reading it. If something has to change, it comes back to you."),
    State.SUBMITTED_TO_CSP: noted("It is approved and with the registry."),
    State.INCORPORATED: noted("It is formed."),
    State.REJECTED: noted("It was declined."),
    State.WITHDRAWN: noted("It was withdrawn."),
}


def reason(application: Application) -> str:
    """One or two sentences, the first with the day of submission; empty while its reader may change it."""
    if application.can_be_changed:
        return ""
    if application.is_open:
        return gettext("You may read this application. Its owner can let you change it.")
    submitted = application.submitted_at
    when = say("You submitted this application on {day}.", day=moments.day(submitted.date())) if submitted else ""
    reason = say(_REASONS[application.stands]) if application.stands in _REASONS else ""
    sentences = (when, reason, say("These are the answers as they stand."))
    return " ".join(sentence for sentence in sentences if sentence)
