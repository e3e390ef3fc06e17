"""The status page: what came back, progress, the receipt, how far it is at the service; and whether it has changed."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2s

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL, State, is_possible
from formation_portal.contract.localisation import long_date
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.relay.resources import ResourceKind
from formation_portal.reviews.customer_queries import decision_texts
from formation_portal.reviews.decisions import registration_of
from formation_portal.ui import formats

from ..feedback import DeliverySummary, delivery_summary
from .corrections import Returned, ReviewRound, returned, review_rounds
from .progress import ProgressStep, document_steps, progress

_LEADS: dict[State, str | Promise] = {
    State.SUBMITTED_FOR_REVIEW: gettext_lazy("Waiting for our reviewer. You don’t need to do anything now."),
    State.IN_REVIEW: gettext_lazy("With our reviewer. You don’t need to do anything now."),
    State.SUBMITTED_TO_CSP: gettext_lazy("With the registry. You don’t need to do anything now."),
    State.INCORPORATED: gettext_lazy("Completed."),
    State.REJECTED: gettext_lazy("Declined. This decision is final."),
    State.WITHDRAWN: gettext_lazy("You withdrew this application."),
}
_MOVING = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP})


@dataclass(frozen=True, slots=True)
class StatusPage:
    """Everything that the status page shows."""

    draft: Draft
    delivery: DeliverySummary
    lead: str
    steps: tuple[ProgressStep, ...]
    facts: tuple[tuple[str, str, bool], ...]
    can_withdraw: bool
    # Where it waits for its customer.
    returned: Returned | None
    is_late: bool
    # What came back before and was answered; and why it was declined, where it was.
    rounds: tuple[ReviewRound, ...]
    declined: str
    # What the page shows, as it asks for news; empty where none can come.
    version: str

    @property
    def is_returned(self) -> bool:
        """Whether the next act is the customer's."""
        return self.returned is not None

    @property
    def is_moving(self) -> bool:
        """Whether somebody else has it, so that there is something to wait for."""
        return self.draft.application.status in _MOVING

    @property
    def updated(self) -> str:
        """When the page was drawn."""
        return formats.time_or_day(timezone.now())

    @property
    def has_letters(self) -> bool:
        """Whether what happens next is written to the customer."""
        return bool(settings.LETTERS_GO_OUT)


def status_page(draft: Draft) -> StatusPage:
    """The page of an application that was submitted. Some queries more than a draft's own, by where it stands."""
    application, delivery = draft.application, delivery_summary(draft)
    way = progress(draft, documents=document_steps(draft, delivery.board))
    came_back = returned(delivery, way.returned, back_to="status") if application.is_open else None
    declined = ""
    if application.status is State.REJECTED:
        declined = decision_texts(application, "decline").get(application.submissions, "")
    lead = str(_LEADS.get(application.status, ""))
    if came_back is not None:
        lead = _waits_for_you(came_back)
    elif way.is_late:
        lead = gettext("With the registry for longer than usual. Contact us if you have not heard from us.")
    return StatusPage(
        draft=draft,
        delivery=delivery,
        lead=lead,
        steps=way.steps,
        facts=tuple(_facts(application)),
        returned=came_back,
        is_late=way.is_late,
        rounds=review_rounds(draft, way.moves),
        declined=declined,
        version=watched_version(application),
        can_withdraw=application.is_own and is_possible("withdraw", application.status),
    )


def _waits_for_you(came_back: Returned) -> str:
    if not came_back.items and not came_back.corrections:
        return gettext("Waiting for you to make changes.")
    left = came_back.left
    if not left:
        return gettext("Waiting for you to send your corrections.")
    return ngettext(
        "Waiting for you to make %(count)d correction.", "Waiting for you to make %(count)d corrections.", left
    ) % {"count": left}


def _facts(application: Application) -> Iterable[tuple[str, str, bool]]:
    """When and by whom it was submitted, and the company's entry in the register, each with whether it is a name.

    One query, where it has one.
    """
    if application.submitted_at is not None:
        yield gettext("Submitted"), formats.date_and_time(application.submitted_at), False
    by = application.submitted_by
    if by is not None:
        yield gettext("By"), by.called, True
    if entry := registration_of(application):
        yield gettext("Registration number"), entry.number, False
        yield gettext("Registered on"), long_date(entry.day), False


def status_version(application: Application) -> str:
    """State, round, and what the service says of documents, as an address names them. One query."""
    documents = Delivery.objects.filter(
        application=application.pk, kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE
    )
    verdicts = (
        documents.exclude(document_status="").order_by("pk").values_list("pk", "document_status", "document_note")
    )
    seen = (application.state, application.submissions, list(verdicts))
    return blake2s(repr(seen).encode(), digest_size=8).hexdigest()


def watched_version(application: Application) -> str:
    """The version for a page that is worth following; empty once nothing can change any more. At most one query."""
    return "" if application.status in FINAL else status_version(application)


def has_changed(reference: str, user: User, *, shown: str) -> bool | None:
    """Whether a page that shows a version is old; None where the user has no such application. Two queries."""
    application = Application.objects.visible_to(user).filter(reference=reference).first()
    if application is None:
        return None
    return bool(shown) and application.submitted_at is not None and status_version(application) != shown
