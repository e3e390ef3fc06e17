"""The card of a status that the formation service reported, as desk/service_status/_card.html draws it."""

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
    """A status that waits for an agent, with the forms to pass it on and to dismiss it."""

    draft: Draft
    status: ServiceStatus
    pass_on_form: PassOnForm
    dismissal_form: DismissalForm

    @property
    def words(self) -> str:
        return service_status_words(self.status.status)

    @property
    def note(self) -> str:
        """The service's words, with identity numbers masked."""
        return TextMasking(self.draft).masked(self.status.note)

    @property
    def can_pass_on(self) -> bool:
        """Report that the status can be passed on without a call. During the review the agent decides as usual."""
        return is_possible("pass_on_return", self.draft.application.status)

    @property
    def is_under_review(self) -> bool:
        return self.draft.application.status in UNDER_REVIEW


def service_status_card(
    draft: Draft,
    *,
    version: ReviewVersion | None = None,
    pass_on_form: PassOnForm | None = None,
    dismissal_form: DismissalForm | None = None,
) -> ServiceStatusCard | None:
    """Return the card, or None where no status waits: one query, and one where the version was not read yet."""
    version = version or current_version(draft.application)
    status = open_status(draft.application)
    if status is None:
        return None
    hidden = {"number": status.pk, "sight": str(version)}
    return ServiceStatusCard(
        draft=draft,
        status=status,
        pass_on_form=pass_on_form or PassOnForm(initial=hidden),
        dismissal_form=dismissal_form or DismissalForm(initial=hidden),
    )
