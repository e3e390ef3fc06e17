"""Find the record that a URL names, or raise 404: a stranger's record is hidden as if it had never existed."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, QueryDict

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.models import Application, Document
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.schema import Section


class PartyRemoved(Http404):
    """A removed party that can be restored: `parties.removed` answers a post with an offer to do so, a GET gets 404."""

    def __init__(self, draft: Draft, party: PartyRow) -> None:
        super().__init__()
        self.draft = draft
        self.party = party


def get_draft_or_404(request: UserRequest, reference: str, *, takes: Right | None = None) -> Draft:
    """Return a draft. A GET requires the right to view, a POST the right to edit, unless `takes` names another right.

    A collaborator without the right gets 403, since they know that the application exists.
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
    section = draft.schema.section(key)
    if section is None or not section.is_entity or not section.is_drawn:
        raise Http404
    return section


def get_share_section_or_404(draft: Draft) -> Section:
    """Return the section about share classes, or raise 404 while it is inactive."""
    section = draft.schema.share_section
    if section is None or not draft.holds_shares:
        raise Http404
    return section


def get_party_or_404(draft: Draft, token: str) -> PartyRow:
    party = draft.party(token)
    if party is None:
        raise party_not_found(draft, token)
    return party


def party_not_found(draft: Draft, token: str) -> Http404:
    """Return the exception for a token of no party, or of a removed party."""
    party = draft.removed_party(token)
    if party and draft.application.can_be_changed:
        return PartyRemoved(draft, party)
    return Http404()


def get_share_class_or_404(draft: Draft, token: str) -> ShareClassRow:
    share_class = draft.share_class(token)
    if share_class is None:
        raise Http404
    return share_class


def get_document_or_404(draft: Draft, number: int) -> Document:
    """Return a document of the application, even a replaced one."""
    document = draft.document(number)
    if document is None:
        raise Http404
    return document


def posted_token(post: QueryDict) -> str:
    """Return the posted token of a new record, else a new token. A second post with it does not add another record."""
    token = post.get("token", "")
    return token if is_token(token) else new_token()
