"""Finding the part that a pass is for, while it is open."""

from dataclasses import dataclass

from django.http import Http404
from django.utils import timezone

from formation_portal.accounts.passes import Pass
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Change, Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import restorable_choices
from formation_portal.invitations import parts
from formation_portal.invitations.models import Closure, Invitation, closure


@dataclass(frozen=True, slots=True)
class OwnPart:
    """One party of an application, for whoever was invited to fill it in."""

    invitation: Invitation
    draft: Draft
    party: PartyRow

    @property
    def documents(self) -> tuple[Document, ...]:
        """Its documents, and no others."""
        return tuple(self.draft.documents_of(self.party).values())

    def document(self, number: int) -> Document:
        """One of them; 404 for any other of the application."""
        found = next((one for one in self.documents if one.pk == number), None)
        if found is None:
            raise Http404
        return found

    def change(self, number: int) -> Change:
        """A choice that was made here and can be taken back; 404 for whatever else the history holds."""
        found = self.draft.application.changes.filter(pk=number, holder=self.party.token, who=None).first()
        if found is None or not restorable_choices(self.draft, found):
            raise Http404
        return found


class Shut(Exception):
    """The part can't be opened, and why."""

    def __init__(self, why: Closure) -> None:
        super().__init__(why.value)
        self.why = why


def invitation_of(given: Pass) -> Invitation:
    """The invitation, while it opens to a pass of its present round. Raises Shut."""
    invitation = parts.find_by_reference(given.reference)
    if invitation is None:
        raise Shut(Closure.UNKNOWN)
    if why := closure(invitation, now=timezone.now(), round_=given.round):
        raise Shut(why)
    return invitation


def part_of(invitation: Invitation) -> OwnPart:
    """All that there is to fill in. Raises Shut where the party has gone meanwhile."""
    draft = open_draft(invitation.application)
    party = draft.party(invitation.party.token)
    if party is None:
        raise Shut(Closure.WITHDRAWN)
    return OwnPart(invitation, draft, party)
