"""Send e-mails to agents about their cases. Only the case page gives reasons."""

from typing import Any

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import email_title
from formation_portal.contract.lifecycle import State
from formation_portal.mail.outbox import queue_email


def send_notice(kind: str, draft: Draft, *, to: Any, by: Any) -> None:
    """Tell an agent by e-mail what was done with a case, `by` a colleague, the customer or the portal (None)."""
    if to is None or not (to.is_active and to.is_agent):
        return
    application = draft.application
    context = {
        "name": by.get_full_name() if getattr(by, "is_agent", False) else "",
        "company": email_title(draft),
        "reference": application.reference,
        "link": reverse("desk:case", args=[application.reference]),
        "is_withdrawn": application.status is State.WITHDRAWN,
    }
    queue_email(kind=kind, to=to.email, language="en", context=context)
