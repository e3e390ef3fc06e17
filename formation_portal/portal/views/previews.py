"""Looking at a document: a page that shows one page of it, and the pictures themselves."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications.models import Document
from formation_portal.applications.previews import page_picture, small_picture

from ..document_page import document_page as page_of
from ..finding import document_of, draft_of
from ..foreign import picture


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
    return page_as_picture(document_of(draft_of(request, reference), number), page)


@require_safe
@customer
def document_thumbnail(request: UserRequest, reference: str, number: int) -> HttpResponseBase:
    """A small picture of the first page."""
    drawn = small_picture(document_of(draft_of(request, reference), number))
    if not drawn:
        raise Http404
    return picture(drawn, name="first-page")


def page_as_picture(document: Document, page: int) -> HttpResponseBase:
    """The answer with one page of a document; 404 where it can't be drawn."""
    drawn = page_picture(document, page)
    if not drawn:
        raise Http404
    return picture(drawn, name=f"page-{page}")
