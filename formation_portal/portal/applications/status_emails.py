"""Queue the e-mails about an application, each in the transaction of the change that it reports.

Only confirmed addresses get e-mails: any other could be a stranger's.
"""

import datetime as dt

from django.utils import timezone, translation

from formation_portal.accounts.addresses import has_address, has_confirmed
from formation_portal.accounts.models import User
from formation_portal.applications.access import Author
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.applications.readback import email_title
from formation_portal.contract.lifecycle import State
from formation_portal.core.background import hourly_task
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import is_unsubscribed, queue_email
from formation_portal.mail.typed_text import text_in_email
from formation_portal.reviews.customer_queries import decision_texts, open_queries
from formation_portal.reviews.decisions import RETURN

from ..pages import application_url

# The kind and the outcome of the e-mail for each state.
_EMAILS = {
    State.RETURNED_FOR_CHANGES: ("return", ""),
    State.SUBMITTED_TO_CSP: ("decision", "approved"),
    State.INCORPORATED: ("decision", "incorporated"),
    State.REJECTED: ("decision", "declined"),
}


def send_status_email(draft: Draft) -> None:
    application = draft.application
    kind, outcome = _EMAILS.get(application.status, ("", ""))
    if not kind or not has_confirmed(application.owner):
        return
    count = 0
    # Only our reviewer, not the formation service, returns an application with queries.
    if kind == "return" and application.submissions in decision_texts(application, RETURN):
        count = len(open_queries(application))
    _queue(draft, application.owner, kind, "status", outcome=outcome, count=count)


def send_decision_email(draft: Draft, outcome: str) -> None:
    """Tell the owner of a decision or event that does not change the state, such as a payment that is due."""
    owner = draft.application.owner
    if has_confirmed(owner):
        _queue(draft, owner, "decision", "status", outcome=outcome, count=0)


def _queue(draft: Draft, to: User, kind: str, page: str, *, key: str = "", once: str = "", **context: object) -> None:
    """Queue an e-mail with a link to a page of the application; for the page of a party, `key` is the party's token."""
    language = _language_of(to)
    with translation.override(language):
        context["company"] = email_title(draft)
    context["reference"] = draft.application.reference
    context["link"] = application_url(draft.application.reference, page, key)
    queue_email(kind=kind, to=to.email, language=language, context=context, once=once)


def _language_of(account: User) -> str:
    return account.language or "en"


def send_confirmation(draft: Draft, by: Author | None) -> None:
    """Confirm a submission to the account that made it, with the reference and a link to a copy."""
    application = draft.application
    if application.status is not State.SUBMITTED_FOR_REVIEW or application.submitted_at is None:
        return
    if not isinstance(by, User) or not has_confirmed(by):
        return
    with translation.override(_language_of(by)):
        timeline = application.timeline
    _queue(
        draft,
        by,
        "submission",
        "status",
        once=f"submission:{application.reference}:{application.submissions}",
        submitted_at=application.submitted_at,
        is_correction=application.submissions > 1,
        timeline=timeline,
        copy=application_url(application.reference, "record_pdf"),
    )


# Limit the e-mails to an owner, since guests can finish again after each change.
MOST_A_DAY = 20


def send_part_finished(draft: Draft, invitation: Invitation) -> None:
    """Tell the owner that a guest has finished, unless the guest is the owner."""
    owner = draft.application.owner
    party = draft.party(invitation.party.token)
    if party is None or has_address(owner, invitation.email) or not has_confirmed(owner):
        return
    since = timezone.now() - dt.timedelta(days=1)
    sent = Email.objects.filter(kind="part_done", reference=draft.application.reference, created_at__gte=since)
    if sent.count() < MOST_A_DAY:
        with translation.override(_language_of(owner)):
            name = party.label
        _queue(draft, owner, "part_done", "party", key=party.token, name=name)


def send_document_removed(draft: Draft, document: Document) -> None:
    """Tell the owner that the malware scanner has refused a file after it was uploaded."""
    application = draft.application
    if not has_confirmed(application.owner):
        return
    page = "documents" if application.is_open else "status"
    with translation.override(_language_of(application.owner)):
        slot = draft.slot_words(document.slot)
    _queue(draft, application.owner, "document_removed", page, slot=slot, is_open=application.is_open)


QUIET = dt.timedelta(days=7)
# Older drafts count as given up, so that a new installation does not write about old drafts.
FORGOTTEN = dt.timedelta(days=60)
_NEEDS_SHOWN = 5


@hourly_task
def send_reminders() -> None:
    """Remind the owner of each draft unchanged for a week, once a draft. Each reminder has its own transaction."""
    now = timezone.now()
    drafts = Application.objects.filter(
        state=State.DRAFT,
        deleted_at=None,
        submitted_at=None,
        updated_at__range=(now - FORGOTTEN, now - QUIET),
        owner__is_active=True,
    )
    reminded = set(Email.objects.filter(kind="reminder").values_list("reference", flat=True))
    for application in drafts.select_related("owner").order_by("pk"):
        owner = application.owner
        if application.reference in reminded or not has_confirmed(owner):
            continue
        if not is_unsubscribed(kind="reminder", to=owner.email):
            _send_reminder(application)


def _send_reminder(application: Application) -> None:
    with translation.override(_language_of(application.owner)):
        draft = open_draft(application)
        needs = [need.text for need in draft.needs]
    # Needs whose text has a URL or e-mail address are counted, not named.
    named = list(filter(text_in_email, needs))[:_NEEDS_SHOWN]
    once = f"reminder:{application.reference}"
    more = len(needs) - len(named)
    _queue(draft, application.owner, "reminder", "overview", once=once, needs=named, more=more)
