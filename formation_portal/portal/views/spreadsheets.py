"""The sheet in which many people are filled in at once: to download, and to upload."""

from typing import cast

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.grid import MAX_BYTES, SheetRefused
from formation_portal.applications.imports.headings import check_headings
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.template import csv_template, xlsx_template
from formation_portal.applications.imports.uploads import read_sheet
from formation_portal.contract.language import say

from ..finding import draft_of
from ..foreign import to_be_saved
from ..spreadsheet_page import SpreadsheetPage, spreadsheet_page

_SHEET = "sheet"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def spreadsheet(request: UserRequest, reference: str) -> HttpResponse:
    """How it works. A post keeps the sheet that is uploaded, and leads to what it says; nothing is added by it."""
    draft = draft_of(request, reference)
    chosen = chosen_in(request)
    if request.method != "POST" or (chosen and _SHEET not in request.FILES):
        return _draw(request, spreadsheet_page(draft))
    try:
        kept = _keep(request, draft)
    except SheetRefused as refused:
        return _draw(request, spreadsheet_page(draft, refused=refused.message), status=422)
    except services.Closed:
        return _draw(request, spreadsheet_page(draft), status=409)
    if chosen:
        # No page can fill the control in again. The sheet is kept, and this page leads to it.
        return redirect("portal:spreadsheet", reference=reference)
    return redirect("portal:party_import", reference=reference, token=kept.token)


def _draw(request: UserRequest, page: SpreadsheetPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/spreadsheet.html", {"page": page, "problems": page.problems}, status=status)


def _keep(request: UserRequest, draft: Draft) -> PartyImport:
    upload = cast("UploadedFile[bytes] | None", request.FILES.get(_SHEET))
    if upload is None:
        raise SheetRefused(say("Choose a spreadsheet, then upload it"))
    grid = read_sheet(_content(upload), keys_by_heading(draft.schema), account=request.user.pk)
    check_headings(draft, grid.headings)
    return services.keep_import(draft, grid, name=upload.name or "", by=request.user)


def _content(upload: "UploadedFile[bytes]") -> bytes:
    """What was uploaded, as far as it may be read; one byte more tells that it is too much."""
    try:
        return bytes(upload.read(MAX_BYTES + 1))
    except OSError as error:
        raise SheetRefused(say("We could not read the file just now. Choose it again in a few minutes")) from error


@require_safe
@customer
def spreadsheet_xlsx(request: UserRequest, reference: str) -> HttpResponse:
    """The empty sheet with lists and explanations."""
    return _file(reference, xlsx_template(draft_of(request, reference)), "xlsx", _XLSX)


@require_safe
@customer
def spreadsheet_csv(request: UserRequest, reference: str) -> HttpResponse:
    """The empty sheet as text."""
    return _file(reference, csv_template(draft_of(request, reference)), "csv", "text/csv; charset=utf-8")


def _file(reference: str, content: bytes, ending: str, content_type: str) -> HttpResponse:
    return to_be_saved(HttpResponse(content, content_type=content_type), name=f"{reference}.{ending}")
