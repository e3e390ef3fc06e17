"""Looking up what an address names: get it, or answer 404, for another customer's record as for one that never was.

Whoever works on somebody's application finds it, and gets 403 where they haven't the right: they know that it is there.
The catalog comes from the service, and a page that needs it answers 503 in clear words while there is none.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.services import restorable_choices
from formation_portal.contract.schema import Section
from formation_portal.gateway.catalog import Catalog
from formation_portal.gateway.catalog import catalog as current_catalog
from formation_portal.gateway.errors import GatewayError, NotAuthorised, NotConfigured


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
    party = next((row for row in draft.removed_parties if row.token == token), None)
    return PartyRemoved(draft, party) if party and draft.application.can_be_changed else Http404()


def get_share_class_or_404(draft: Draft, token: str) -> ShareClassRow:
    """One of the application's classes of shares."""
    share_class = draft.share_class(token)
    if share_class is None:
        raise Http404
    return share_class


def get_document_or_404(draft: Draft, number: int) -> Document:
    """One of the application's documents, or one that another has taken the place of."""
    every = (*draft.documents, *draft.replaced_documents)
    document = next((one for one in every if one.pk == number), None)
    if document is None:
        raise Http404
    return document


def get_change_or_404(draft: Draft, number: int) -> Change:
    """An entry of the application's history that changed a choice which can be taken back."""
    change = draft.application.changes.filter(pk=number).first()
    if change is None or not restorable_choices(draft, change):
        raise party_not_found(draft, change.holder if change else "")
    return change


Rest = ParamSpec("Rest")
Request = TypeVar("Request", bound=HttpRequest)

_TRY_AGAIN_SECONDS = 60

log = logging.getLogger(__name__)


def with_catalog(
    view: Callable[Concatenate[Request, Catalog, Rest], HttpResponse],
) -> Callable[Concatenate[Request, Rest], HttpResponse]:
    """Hand the view the catalog, or answer 503 where there is none, not even an old one."""

    @wraps(view)
    def wrapped(request: Request, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            catalog = current_catalog()
        except GatewayError as error:
            # Once, at the call, the gateway has said why; here it would be said for every visitor.
            log.info("No catalog to show: %s", error)
            response = render(request, "portal/catalog/unavailable.html", {"is_ours": _is_ours(error)}, status=503)
            response.headers["Retry-After"] = str(_TRY_AGAIN_SECONDS)
            return response
        return view(request, catalog, *args, **kwargs)

    return wrapped


def _is_ours(error: BaseException | None) -> bool:
    """Whether it is for our team to mend, a wrong address or key, so that trying again soon can't help."""
    return error is not None and (isinstance(error, NotAuthorised | NotConfigured) or _is_ours(error.__cause__))
