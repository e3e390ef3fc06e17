"""Looking at a document of a case without keeping a copy of it."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.ui.documents import document_page as page_of
from formation_portal.ui.downloads import page_as_picture

from ..finding import case_of, document_of


@require_safe
@agent
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    """One page of a document, as its owner sees it."""
    draft, document = case_of(reference), document_of(reference, number)
    held = next(one for one in draft.documents if one.pk == document.pk)
    return render(request, "portal/documents/document.html", {"page": page_of(draft, held, page, room="desk")})


@require_safe
@agent
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    """The picture of one page; with `size=close` one to be looked at closely."""
    document, is_close = document_of(reference, number), request.GET.get("size") == "close"
    return page_as_picture(request, document, page, is_close=is_close)
