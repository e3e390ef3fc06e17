"""Looking up what an address names: get it, or answer 404, for another customer's record as for one that never was.

Whoever works on somebody's application finds it, and gets 403 where they haven't the right: they know that it is there.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.services import restorable_choices
from formation_portal.contract.schema import Section


class PartyRemoved(Http404):
    """The address names a party that was removed and can be restored. Whoever posts there is offered to
    (`parties.removed`); otherwise it is as absent as one that never was."""

    def __init__(self, draft: Draft, party: PartyRow) -> None:
        super().__init__()
        self.draft = draft
        self.party = party


def get_draft_or_404(request: UserRequest, reference: str, *, takes: Right | None = None) -> Draft:
    """The draft of one of the customer's applications, or of one that they work on.

    A page takes the right to read, whatever is posted the right to edit; `takes` where it is another.
    """
    try:
        application = Application.objects.get_for(request.user, reference)
    except Application.DoesNotExist as absent:
        raise Http404 from absent
    needed = takes or (Right.EDIT if request.method == "POST" else Right.VIEW)
    if not application.right.covers(needed):
        raise PermissionDenied
    return open_draft(application)


def get_section_or_404(draft: Draft, key: str) -> Section:
    """A section that asks about the entity itself."""
    section = draft.schema.section(key)
    if section is None or not section.is_entity or not section.is_drawn:
        raise Http404
    return section


def get_share_section_or_404(draft: Draft) -> Section:
    """The section about share classes, while it is active."""
    section = draft.schema.share_section
    if section is None or not draft.holds_shares:
        raise Http404
    return section


def get_party_or_404(draft: Draft, token: str) -> PartyRow:
    """One of the application's parties."""
    party = draft.party(token)
    if party is None:
        raise party_not_found(draft, token)
    return party


def party_not_found(draft: Draft, token: str) -> Http404:
    """What is raised where there is no such party, or not any more."""
    party = draft.removed_party(token)
    return PartyRemoved(draft, party) if party and draft.application.can_be_changed else Http404()


def get_share_class_or_404(draft: Draft, token: str) -> ShareClassRow:
    """One of the application's classes of shares."""
    share_class = draft.share_class(token)
    if share_class is None:
        raise Http404
    return share_class


def get_document_or_404(draft: Draft, number: int) -> Document:
    """One of the application's documents, or one that another has taken the place of."""
    document = draft.document(number)
    if document is None:
        raise Http404
    return document


def get_change_or_404(draft: Draft, number: int) -> Change:
    """An entry of the application's history that changed a choice which can be taken back."""
    change = draft.application.changes.filter(pk=number).first()
    if change is None or not restorable_choices(draft, change):
        raise party_not_found(draft, change.holder if change else "")
    return change
