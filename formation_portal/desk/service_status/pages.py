"""Show a status that the formation service reported (desk/service_status/_card.html)."""

from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import is_possible
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.service_status import open_status
from formation_portal.reviews.transactions import UNDER_REVIEW, ReviewVersion, current_version

from ..masking import TextMasking
from ..wording import service_status_words
from .forms import DismissalForm, PassOnForm


@dataclass(frozen=True)
class ServiceStatusCard:
    """A status that waits for an agent, with the forms to pass it on and to dismiss it.

    `note` has identity numbers masked. `can_pass_on`: without a call; during the review the agent decides as usual.
    """

    draft: Draft
    status: ServiceStatus
    status_words: str
    note: str
    can_pass_on: bool
    is_under_review: bool
    pass_on_form: PassOnForm
    dismissal_form: DismissalForm


def service_status_card(
    draft: Draft,
    *,
    version: ReviewVersion | None = None,
    pass_on_form: PassOnForm | None = None,
    dismissal_form: DismissalForm | None = None,
) -> ServiceStatusCard | None:
    """Return the card, or None where no status waits. One query, and one where the version was not read yet."""
    version = version or current_version(draft.application)
    status = open_status(draft.application)
    if status is None:
        return None
    hidden = {"number": status.pk, "sight": str(version)}
    return ServiceStatusCard(
        draft=draft,
        status=status,
        status_words=service_status_words(status.status),
        note=TextMasking(draft).masked(status.note),
        can_pass_on=is_possible("pass_on_return", draft.application.status),
        is_under_review=draft.application.status in UNDER_REVIEW,
        pass_on_form=pass_on_form or PassOnForm(initial=hidden),
        dismissal_form=dismissal_form or DismissalForm(initial=hidden),
    )
