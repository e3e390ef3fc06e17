"""E-mails about an application, written in the transaction they tell of: status, confirmation, a finished part, a
file that was removed.

They go to confirmed addresses alone, else a stranger would read about the application. One more is a reminder of a
draft that has lain for a week, and never a second one.
"""

import datetime as dt

from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.accounts.addresses import has_address, has_confirmed
from formation_portal.accounts.models import User
from formation_portal.applications.access import Author
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.letter_words import letter_title
from formation_portal.applications.models import Application, Document
from formation_portal.contract.lifecycle import State
from formation_portal.core.background import hourly_task
from formation_portal.invitations.models import Invitation
from formation_portal.mail import queue_letter
from formation_portal.mail.models import Letter
from formation_portal.mail.outbox import is_unsubscribed
from formation_portal.mail.typed_text import text_in_letter
from formation_portal.reviews.customer_queries import customer_queries, decision_texts
from formation_portal.reviews.decisions import RETURN

# The kind of letter that each state asks for, and how the letter calls what has happened.
_SAID = {
    State.RETURNED_FOR_CHANGES: ("return", ""),
    State.SUBMITTED_TO_CSP: ("decision", "approved"),
    State.INCORPORATED: ("decision", "incorporated"),
    State.REJECTED: ("decision", "declined"),
}


def send_status_email(draft: Draft) -> None:
    """Write to the application's owner, where the new state is one that nobody should have to look for."""
    application, owner = draft.application, draft.application.owner
    kind, outcome = _SAID.get(application.status, ("", ""))
    if not kind or not has_confirmed(owner):
        return
    count = 0
    # Our reviewer asks nothing where the service has sent it back, or a word is all that was said.
    if kind == "return" and application.submissions in decision_texts(application, RETURN):
        count = sum(not one.is_settled for one in customer_queries(application))
    _queue_status_email(draft, kind=kind, outcome=outcome, count=count)


def send_payment_email(draft: Draft) -> None:
    """Write to the application's owner that the formation service waits for their payment."""
    if has_confirmed(draft.application.owner):
        _queue_status_email(draft, kind="decision", outcome="payment_due")


def _queue_status_email(draft: Draft, *, kind: str, outcome: str, count: int = 0) -> None:
    application, owner = draft.application, draft.application.owner
    with translation.override(language_of(owner)):
        company = letter_title(draft)
    context = {
        "company": company,
        "reference": application.reference,
        "outcome": outcome,
        "count": count,
        "link": reverse("portal:status", args=[application.reference]),
    }
    queue_letter(kind=kind, to=owner.email, language=language_of(owner), context=context)


def language_of(user: object) -> str:
    """The language that somebody reads us in, as far as it is known."""
    return str(getattr(user, "language", "") or "en")


def send_confirmation(draft: Draft, by: Author | None) -> None:
    """Write to whoever has submitted it, with the reference, what follows, and the way to a copy."""
    application = draft.application
    if application.status is not State.SUBMITTED_FOR_REVIEW or application.submitted_at is None:
        return
    if not isinstance(by, User) or not has_confirmed(by):
        return
    with translation.override(language_of(by)):
        company, timeline = letter_title(draft), application.timeline
    context = {
        "company": company,
        "reference": application.reference,
        "submitted_at": timezone.localtime(application.submitted_at),
        "is_correction": application.submissions > 1,
        "timeline": timeline,
        "link": reverse("portal:status", args=[application.reference]),
        "copy": reverse("portal:record_pdf", args=[application.reference]),
    }
    once = f"submission:{application.reference}:{application.submissions}"
    queue_letter(kind="submission", to=by.email, language=language_of(by), context=context, once=once)


KIND = "part_done"
# Whoever says so again after each small change is heard on the overview alone.
MOST_A_DAY = 20


def send_part_finished(draft: Draft, invitation: Invitation) -> None:
    """Write to the owner, unless it is the owner who has filled it in."""
    owner, row = draft.application.owner, draft.party(invitation.party.token)
    since = timezone.now() - dt.timedelta(days=1)
    sent = Letter.objects.filter(kind=KIND, reference=draft.application.reference, created_at__gte=since)
    if row is None or has_address(owner, invitation.email) or not has_confirmed(owner) or sent.count() >= MOST_A_DAY:
        return
    language, address = language_of(owner), [draft.application.reference, row.token]
    with translation.override(language):
        name, company = row.label, letter_title(draft)
    context = {
        "name": name,
        "company": company,
        "reference": draft.application.reference,
        "link": reverse("portal:party", args=address),
    }
    queue_letter(kind=KIND, to=owner.email, language=language, context=context)


def send_document_removed(draft: Draft, document: Document) -> None:
    """Write to the owner about a file that was taken at first, and that the malware scanner has refused since."""
    application, owner = draft.application, draft.application.owner
    if not has_confirmed(owner):
        return
    page, language = "portal:documents" if application.is_open else "portal:status", language_of(owner)
    with translation.override(language):
        company, slot = letter_title(draft), draft.slot_words(document.slot)
    context = {
        "company": company,
        "reference": application.reference,
        "slot": slot,
        "is_open": application.is_open,
        "link": reverse(page, args=[application.reference]),
    }
    queue_letter(kind="document_removed", to=owner.email, language=language, context=context)


QUIET = dt.timedelta(days=7)
# Whoever has left a draft for so long has left it; nor does a new installation write about what is years old.
FORGOTTEN = dt.timedelta(days=60)
_NEEDS_SHOWN = 5


@hourly_task
def send_reminders() -> None:
    """Write about every draft that has become quiet. Each is a transaction of its own."""
    now = timezone.now()
    drafts = Application.objects.filter(
        state=State.DRAFT,
        deleted_at=None,
        submitted_at=None,
        updated_at__range=(now - FORGOTTEN, now - QUIET),
        owner__is_active=True,
    )
    said = set(Letter.objects.filter(kind="reminder").values_list("reference", flat=True))
    quiet = [one for one in drafts.select_related("owner").order_by("pk") if one.reference not in said]
    for application in quiet:
        if has_confirmed(application.owner) and not is_unsubscribed(kind="reminder", to=application.owner.email):
            _send_reminder(application)


def _send_reminder(application: Application) -> None:
    language = language_of(application.owner)
    with translation.override(language):
        draft = open_draft(application)
        company, needs = letter_title(draft), [need.text for need in draft.needs]
    # What names somebody by an address is counted, and not said.
    shown = list(filter(text_in_letter, needs))[:_NEEDS_SHOWN]
    context = {
        "company": company,
        "reference": application.reference,
        "link": reverse("portal:overview", args=[application.reference]),
        "needs": shown,
        "more": len(needs) - len(shown),
    }
    queue_letter(
        kind="reminder",
        to=application.owner.email,
        language=language,
        context=context,
        once=f"reminder:{application.reference}",
    )
