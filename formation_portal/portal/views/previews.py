"""Looking at a document: a page that shows one page of it, and the pictures themselves."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications.documents import small_picture
from formation_portal.audit.looks import Way
from formation_portal.portal.looking import page_as_picture

from ..document_page import document_page as page_of
from ..finding import document_of, draft_of
from ..foreign import picture
from ..looking import keep_look


@require_safe
@customer
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    """One page of a document, or, where it can't be shown, the way to the file itself."""
    draft = draft_of(request, reference)
    shown = page_of(draft, document_of(draft, number), page)
    return render(request, "portal/document.html", {"page": shown})


@require_safe
@customer
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    """The picture of one page, as large as a screen."""
    return page_as_picture(request, document_of(draft_of(request, reference), number), page)


@require_safe
@customer
def document_thumbnail(request: UserRequest, reference: str, number: int) -> HttpResponseBase:
    """A small picture of the first page."""
    document = document_of(draft_of(request, reference), number)
    drawn = small_picture(document)
    if not drawn:
        raise Http404
    keep_look(request, document, Way.SMALL, by=request.user)
    return picture(drawn, name="first-page")
