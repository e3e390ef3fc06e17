"""Why an application's answers can be read but not changed."""

from django.utils.translation import gettext

from formation_portal.applications.models import Application
from formation_portal.contract.language import noted, say
from formation_portal.contract.lifecycle import State

from . import moments

_REASONS = {
    State.SUBMITTED_FOR_REVIEW: noted(
        "It is waiting for review. If something needs to change, we will return it to you."
    ),
    State.IN_REVIEW: noted("It is being reviewed. If something needs to change, we will return it to you."),
    State.SUBMITTED_TO_CSP: noted("It has been approved and is with the registry."),
    State.INCORPORATED: noted("It has been incorporated."),
    State.REJECTED: noted("It was declined."),
    State.WITHDRAWN: noted("It was withdrawn."),
}


def reason(application: Application) -> str:
    """One or two sentences, the first with the day of submission; empty while its reader may change it."""
    if application.can_be_changed:
        return ""
    if application.is_open:
        return gettext("You can only read this application. Ask its owner if you need to edit it.")
    submitted = application.submitted_at
    when = say("You submitted this application on {day}.", day=moments.day(submitted.date())) if submitted else ""
    reason = say(_REASONS[application.status]) if application.status in _REASONS else ""
    sentences = (when, reason, say("These are the current answers."))
    return " ".join(sentence for sentence in sentences if sentence)
