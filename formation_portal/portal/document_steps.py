"""What the service has said of the documents that it has, as steps of the tracker."""

from collections.abc import Iterator

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus
from formation_portal.relay.models import APPROVED, REJECTED
from formation_portal.relay.resources import ResourceKind

from . import moments
from .tracker import Step


def document_steps(draft: Draft, board: ApplicationDeliveries) -> tuple[Step, ...]:
    """One for all that are accepted, and one for each that came back, with its note. Costs no query."""
    return tuple(_steps(draft, [(one, board.of(ResourceKind.DOCUMENT, one.subject)) for one in draft.documents]))


def _steps(draft: Draft, views: list[tuple[Document, DeliveryStatus]]) -> Iterator[Step]:
    accepted = sorted((view for _, view in views if view.document_status == APPROVED), key=lambda view: str(view.at))
    if accepted:
        words = ngettext("%(count)d document accepted", "%(count)d documents accepted", len(accepted))
        yield Step(_day(accepted[-1]), words % {"count": len(accepted)}, "", "met")
    for document, view in views:
        if view.document_status == REJECTED:
            party = draft.party(document.party.token) if document.party else None
            said = {"slot": document.slot, "whom": party.label if party else draft.title}
            title = gettext("“%(slot)s” of %(whom)s was returned to you") % said
            yield Step(_day(view), title, view.note, "heed")


def _day(view: DeliveryStatus) -> str:
    return moments.day(timezone.localtime(view.at).date()) if view.at else ""
