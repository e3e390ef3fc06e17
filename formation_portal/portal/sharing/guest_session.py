"""One's own part, looked up by the pass of a browser: whether it is open, and whether the code was entered."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from formation_portal.accounts.guest_sessions import GuestSession
from formation_portal.accounts.policies import GuestRequest
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


class PartUnavailable(Exception):
    """The part can't be opened, and why."""

    def __init__(self, why: Closure) -> None:
        super().__init__(why.value)
        self.why = why


def open_invitation(given: GuestSession) -> Invitation:
    """The invitation, while it opens to a pass of its present round. Raises PartUnavailable."""
    invitation = parts.find_by_reference(given.reference)
    if invitation is None:
        raise PartUnavailable(Closure.UNKNOWN)
    if why := closure(invitation, now=timezone.now(), round_=given.round):
        raise PartUnavailable(why)
    return invitation


def own_part(invitation: Invitation) -> OwnPart:
    """All that there is to fill in. Raises PartUnavailable where the party has gone meanwhile."""
    draft = open_draft(invitation.application)
    party = draft.party(invitation.party.token)
    if party is None:
        raise PartUnavailable(Closure.WITHDRAWN)
    return OwnPart(invitation, draft, party)


Rest = ParamSpec("Rest")
WithInvitation = Callable[Concatenate[GuestRequest, Invitation, Rest], HttpResponse]
WithPart = Callable[Concatenate[GuestRequest, OwnPart, Rest], HttpResponse]
Guarded = Callable[Concatenate[GuestRequest, str, Rest], HttpResponse]


def with_invitation(view: WithInvitation[Rest]) -> Guarded[Rest]:
    """For pages before the code: nothing of the application is read for them."""

    @wraps(view)
    def guarded(request: GuestRequest, reference: str, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            answer = view(request, open_invitation(request.guest_session), *args, **kwargs)
        except PartUnavailable as shut:
            answer = unavailable_page(request, shut)
        # Kept nowhere, also by browsers that have no session.
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return guarded


def with_part(view: WithPart[Rest]) -> Guarded[Rest]:
    """For the pages of the part itself; whoever hasn't entered the code is asked for it."""

    def found(
        request: GuestRequest, invitation: Invitation, /, *args: Rest.args, **kwargs: Rest.kwargs
    ) -> HttpResponse:
        if not request.guest_session.is_known:
            return redirect("portal:part_code", reference=invitation.reference)
        return view(request, own_part(invitation), *args, **kwargs)

    return wraps(view)(with_invitation(found))


def unavailable_page(request: HttpRequest, shut: PartUnavailable) -> HttpResponse:
    """Why it can't be opened; what was posted to it can be read there once more, and copied."""
    return render(request, "portal/sharing/part_unavailable.html", {"why": shut.why.value}, status=404)
