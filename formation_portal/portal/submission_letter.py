"""The confirmation of what was submitted, written in the transaction that submits it."""

from django.urls import reverse
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.history import Author
from formation_portal.contract.lifecycle import State
from formation_portal.letters import post

from .tidings import language_of, may_write_to


def confirm(draft: Draft, by: Author | None) -> None:
    """Write to whoever has submitted it, with the reference, what follows, and the way to a copy."""
    application = draft.application
    if application.status is not State.SUBMITTED_FOR_REVIEW or application.submitted_at is None:
        return
    if not isinstance(by, User) or not may_write_to(by):
        return
    context = {
        "company": draft.title,
        "reference": application.reference,
        "submitted_at": timezone.localtime(application.submitted_at),
        "is_correction": application.submissions > 1,
        "timeline": str(application.product.get("estimated_timeline") or ""),
        "link": reverse("portal:status", args=[application.reference]),
        "copy": reverse("portal:record_pdf", args=[application.reference]),
    }
    once = f"submission:{application.reference}:{application.submissions}"
    post(kind="submission", to=by.email, language=language_of(by), context=context, once=once)
