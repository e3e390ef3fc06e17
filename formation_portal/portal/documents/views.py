"""List document slots, upload into a slot, show a document, and download it."""

from dataclasses import replace
from typing import cast

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles, small_picture
from formation_portal.audit.models import AccessKind
from formation_portal.relay.wake import wait_for
from formation_portal.ui.documents import DocumentPage, documents_url
from formation_portal.ui.downloads import as_download, log_view, open_document_page, page_as_picture, picture_response
from formation_portal.ui.forms.controls import slot_id, slot_key

from ..lookups import get_document_or_404, get_draft_or_404, get_party_or_404
from ..pages import Link, file_problems, return_url
from ..slots import posted_reuse, report_uploaded, reusable_file
from .pages import DocumentsPage


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def documents(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    back = return_url(request, reference) or Link("", "")
    page = DocumentsPage(draft, EarlierFiles(draft, request.user), back, request.GET)
    if request.method != "POST":
        return _render(request, page)
    number, key = posted_reuse(request)
    token, _separator, slot = (key or request.POST.get("slot", "")).partition("/")
    party = get_party_or_404(draft, token) if token else None
    page = replace(page, query={"party": token})
    if all(row.name != slot for row in draft.slots_of(party)):
        raise Http404
    key = slot_key(token, slot)
    try:
        upload = request.FILES.get("file")
        if number:
            source = reusable_file(page.earlier, party, slot, number)
            document = services.reuse_document(draft, party, slot, source, by=request.user)
        elif upload is None:
            raise services.UploadRefused(gettext("Choose a file first, then upload it"))
        else:
            document = services.add_document(draft, party, slot, cast("UploadedFile[bytes]", upload), by=request.user)
    except services.UploadRefused as refused:
        return _render(request, replace(page, refused={key: refused.message}), status=422)
    except services.Closed:
        return _render(request, page, status=409)
    except services.Gone as gone:
        raise Http404 from gone
    wait_for(draft.application)
    report_uploaded(request, draft, party, document)
    return redirect(f"{documents_url(draft, token, back.query)}#{slot_id(key)}-slot")


def _render(request: UserRequest, page: DocumentsPage, *, status: int = 200) -> HttpResponse:
    context = {"page": page, "problems": file_problems(page.refused)}
    return render(request, "portal/documents/documents.html", context, status=status)


@require_safe
@customer
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    return as_download(request, get_document_or_404(get_draft_or_404(request, reference), number), by=request.user)


@require_safe
@customer
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    return open_document_page(request, DocumentPage(draft, get_document_or_404(draft, number), page))


@require_safe
@customer
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    return page_as_picture(request, get_document_or_404(get_draft_or_404(request, reference), number), page)


@require_safe
@customer
def document_thumbnail(request: UserRequest, reference: str, number: int) -> HttpResponseBase:
    document = get_document_or_404(get_draft_or_404(request, reference), number)
    picture = b"" if document.is_checking else small_picture(document)
    if not picture:
        raise Http404
    log_view(request, document, AccessKind.SMALL, by=request.user)
    return picture_response(picture, name="first-page")
