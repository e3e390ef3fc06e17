"""Show a status that the formation service reported (desk/service_status/_card.html)."""

from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import is_possible
from formation_portal.reviews.service_status import open_status
from formation_portal.reviews.transactions import UNDER_REVIEW, ReviewVersion, current_version

from ..masking import TextMasking
from ..wording import service_status_words
from .forms import DismissalForm, PassOnForm, ServiceStatusForm


def service_status_card(
    draft: Draft, *, version: ReviewVersion | None = None, form: ServiceStatusForm | None = None
) -> dict[str, Any] | None:
    """Describe the status that waits for an agent, with its forms; return None if none waits. `form` is a posted form.
    At most two SQL queries.
    """
    version = version or current_version(draft.application)
    status = open_status(draft.application)
    if status is None:
        return None
    hidden = {"number": status.pk, "sight": str(version)}
    forms = {"pass_on_form": PassOnForm(initial=hidden), "dismissal_form": DismissalForm(initial=hidden)}
    if form:
        forms[form.card_name] = form
    return {
        **forms,
        "draft": draft,
        "status": status,
        "status_words": service_status_words(status.status),
        "note": TextMasking(draft).masked(status.note),
        "can_pass_on": is_possible("pass_on_return", draft.application.status),
        "is_under_review": draft.application.status in UNDER_REVIEW,
    }
