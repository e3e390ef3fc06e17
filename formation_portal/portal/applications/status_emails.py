"""Queue the e-mails about an application: status, confirmation, finished part, removed file, reminder.

They are queued in the transaction that they tell of, and only for confirmed addresses, since a stranger could own
another one. A draft gets one reminder after a week without a change.
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
from formation_portal.mail.models import Letter
from formation_portal.mail.outbox import is_unsubscribed, queue_letter
from formation_portal.mail.typed_text import text_in_letter
from formation_portal.reviews.customer_queries import customer_queries, decision_texts
from formation_portal.reviews.decisions import RETURN

# The kind and the outcome of the e-mail for each state.
_EMAILS = {
    State.RETURNED_FOR_CHANGES: ("return", ""),
    State.SUBMITTED_TO_CSP: ("decision", "approved"),
    State.INCORPORATED: ("decision", "incorporated"),
    State.REJECTED: ("decision", "declined"),
}


def send_status_email(draft: Draft) -> None:
    """Tell the application's owner that it was returned or decided."""
    application = draft.application
    kind, outcome = _EMAILS.get(application.status, ("", ""))
    if not kind or not has_confirmed(application.owner):
        return
    count = 0
    # There are no queries if the formation service has returned it.
    if kind == "return" and application.submissions in decision_texts(application, RETURN):
        count = sum(not query.is_settled for query in customer_queries(application))
    _queue_status_email(draft, kind=kind, outcome=outcome, count=count)


def send_payment_email(draft: Draft) -> None:
    """Tell the application's owner that the formation service waits for their payment."""
    if has_confirmed(draft.application.owner):
        _queue_status_email(draft, kind="decision", outcome="payment_due")


def _queue_status_email(draft: Draft, *, kind: str, outcome: str, count: int = 0) -> None:
    application = draft.application
    owner = application.owner
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
    """Return the language of an account; English if it has chosen none."""
    return str(getattr(user, "language", "") or "en")


def send_confirmation(draft: Draft, by: Author | None) -> None:
    """Confirm a submission to the account that made it, with the reference and a link to a copy."""
    application = draft.application
    if application.status is not State.SUBMITTED_FOR_REVIEW or application.submitted_at is None:
        return
    if not isinstance(by, User) or not has_confirmed(by):
        return
    with translation.override(language_of(by)):
        company = letter_title(draft)
        timeline = application.timeline
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
# Guests can finish again after each change; the owner gets so many e-mails a day.
MOST_A_DAY = 20


def send_part_finished(draft: Draft, invitation: Invitation) -> None:
    """Tell the owner that a guest has finished, unless the guest is the owner."""
    owner = draft.application.owner
    party = draft.party(invitation.party.token)
    since = timezone.now() - dt.timedelta(days=1)
    sent = Letter.objects.filter(kind=KIND, reference=draft.application.reference, created_at__gte=since)
    if party is None or has_address(owner, invitation.email) or not has_confirmed(owner):
        return
    if sent.count() >= MOST_A_DAY:
        return
    language = language_of(owner)
    with translation.override(language):
        name = party.label
        company = letter_title(draft)
    context = {
        "name": name,
        "company": company,
        "reference": draft.application.reference,
        "link": reverse("portal:party", args=[draft.application.reference, party.token]),
    }
    queue_letter(kind=KIND, to=owner.email, language=language, context=context)


def send_document_removed(draft: Draft, document: Document) -> None:
    """Tell the owner that the malware scanner has refused a file after it was uploaded."""
    application = draft.application
    owner = application.owner
    if not has_confirmed(owner):
        return
    page = "portal:documents" if application.is_open else "portal:status"
    language = language_of(owner)
    with translation.override(language):
        company = letter_title(draft)
        slot = draft.slot_words(document.slot)
    context = {
        "company": company,
        "reference": application.reference,
        "slot": slot,
        "is_open": application.is_open,
        "link": reverse(page, args=[application.reference]),
    }
    queue_letter(kind="document_removed", to=owner.email, language=language, context=context)


QUIET = dt.timedelta(days=7)
# Older drafts were given up; nor should a new installation write about drafts of years ago.
FORGOTTEN = dt.timedelta(days=60)
_NEEDS_SHOWN = 5


@hourly_task
def send_reminders() -> None:
    """Remind the owner of every draft without a change for a week. Each is a transaction of its own."""
    now = timezone.now()
    drafts = Application.objects.filter(
        state=State.DRAFT,
        deleted_at=None,
        submitted_at=None,
        updated_at__range=(now - FORGOTTEN, now - QUIET),
        owner__is_active=True,
    )
    reminded = set(Letter.objects.filter(kind="reminder").values_list("reference", flat=True))
    for application in drafts.select_related("owner").order_by("pk"):
        owner = application.owner
        if application.reference in reminded or not has_confirmed(owner):
            continue
        if not is_unsubscribed(kind="reminder", to=owner.email):
            _send_reminder(application)


def _send_reminder(application: Application) -> None:
    language = language_of(application.owner)
    with translation.override(language):
        draft = open_draft(application)
        company = letter_title(draft)
        needs = [need.text for need in draft.needs]
    # Needs that contain an address are only counted.
    named = list(filter(text_in_letter, needs))[:_NEEDS_SHOWN]
    context = {
        "company": company,
        "reference": application.reference,
        "link": reverse("portal:overview", args=[application.reference]),
        "needs": named,
        "more": len(needs) - len(named),
    }
    queue_letter(
        kind="reminder",
        to=application.owner.email,
        language=language,
        context=context,
        once=f"reminder:{application.reference}",
    )
