"""The confirmation of what was submitted, written in the transaction that submits it."""

from typing import Any

from django.dispatch import receiver
from django.urls import reverse
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.signals import moved
from formation_portal.contract.lifecycle import State
from formation_portal.letters import post

from .tidings import language_of, may_write_to


@receiver(moved)
def confirm(draft: Draft, by: User | None, **_: Any) -> None:
    """Write to whoever has submitted it, with the reference, what follows, and the way to a copy."""
    application = draft.application
    if application.status is not State.SUBMITTED_FOR_REVIEW or by is None or application.submitted_at is None:
        return
    if not may_write_to(by):
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
