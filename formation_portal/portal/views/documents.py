"""Documents: the list of slots, uploading into one, and downloading a file."""

from typing import cast

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.portal.looking import as_download

from ..arrivals import give_it_a_moment
from ..documents_view import DocumentsPage, documents_page
from ..finding import document_of, draft_of, party_of
from ..slot_keys import slot_id, slot_key
from ..way_back import way_back
from .uploading import again_pressed, earlier_file, say_uploaded


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def documents(request: UserRequest, reference: str) -> HttpResponse:
    """GET lists the slots. POST takes a file into one; a refused file says so at its slot, and all else is kept."""
    draft = draft_of(request, reference)
    earlier = EarlierFiles(draft, request.user)
    if request.method == "POST":
        return _take(request, draft, earlier)
    return _draw(request, documents_page(draft, earlier=earlier, back=way_back(request, reference)))


def _draw(request: UserRequest, page: DocumentsPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/documents.html", {"page": page, "problems": page.problems}, status=status)


def _take(request: UserRequest, draft: Draft, earlier: EarlierFiles) -> HttpResponse:
    number, key = again_pressed(request)
    back = way_back(request, draft.application.reference)
    party, slot = _place(draft, key or request.POST.get("slot", ""))
    key = slot_key(party.token if party else None, slot)
    try:
        if number:
            source = earlier_file(earlier, party, slot, number)
            document = services.reuse_document(draft, party, slot, source, by=request.user)
        else:
            document = services.add_document(draft, party, slot, _chosen(request), by=request.user)
    except services.UploadRefused as refused:
        page = documents_page(draft, refused={key: refused.message}, earlier=earlier, back=back)
        return _draw(request, page, status=422)
    except services.Closed:
        return _draw(request, documents_page(draft), status=409)
    give_it_a_moment(draft.application)
    say_uploaded(request, draft, party, document)
    return redirect(f"{documents_page(draft).url}{f'?{back.query}' if back else ''}#{slot_id(key)}-slot")


def _chosen(request: UserRequest) -> "UploadedFile[bytes]":
    upload = request.FILES.get("file")
    if upload is None:
        raise services.UploadRefused(_("Choose a file first, then upload it"))
    return cast("UploadedFile[bytes]", upload)


def _place(draft: Draft, key: str) -> tuple[PartyRow | None, str]:
    """Whose slot a form has named, and which; 404 for one that nobody asks."""
    token, _, slot = key.partition("/")
    party = party_of(draft, token) if token else None
    if slot not in {one.name for one in draft.form_state.slots(party.record if party else None)}:
        raise Http404
    return party, slot


@require_safe
@customer
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """The file itself, always as a download: it is somebody's upload, never a page of ours."""
    return as_download(request, document_of(draft_of(request, reference), number), by=request.user)
