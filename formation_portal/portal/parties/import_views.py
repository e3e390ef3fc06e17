"""The spreadsheet of people: download, upload, and taking over what is wanted of it."""

from typing import cast

from django.contrib import messages
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
from formation_portal.applications.services.party_imports import ImportResult, RowAction
from formation_portal.contract.localisation import gettext, ngettext
from formation_portal.ui.downloads import as_attachment

from ..lookups import get_draft_or_404
from .import_pages import SpreadsheetPage, party_import_page, spreadsheet_page

_SHEET = "sheet"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def spreadsheet(request: UserRequest, reference: str) -> HttpResponse:
    """How it works. A post keeps the sheet that is uploaded, and leads to what it says; nothing is added by it."""
    draft = get_draft_or_404(request, reference)
    chosen = chosen_in(request)
    if request.method != "POST" or (chosen and _SHEET not in request.FILES):
        return _render_spreadsheet(request, spreadsheet_page(draft))
    try:
        upload = cast("UploadedFile[bytes] | None", request.FILES.get(_SHEET))
        if upload is None:
            raise SheetRefused(gettext("Choose a spreadsheet, then upload it"))
        grid = read_sheet(_content(upload), keys_by_heading(draft.schema), account=request.user.pk)
        check_headings(draft, grid.headings)
        kept = services.keep_import(draft, grid, name=upload.name or "", by=request.user)
    except SheetRefused as refused:
        return _render_spreadsheet(request, spreadsheet_page(draft, refused=refused.message), status=422)
    except services.Closed:
        return _render_spreadsheet(request, spreadsheet_page(draft), status=409)
    if chosen:
        # No page can fill the control in again. The sheet is kept, and this page leads to it.
        return redirect("portal:spreadsheet", reference=reference)
    return redirect("portal:party_import", reference=reference, token=kept.token)


def _render_spreadsheet(request: UserRequest, page: SpreadsheetPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/parties/spreadsheet.html", {"page": page, "problems": page.problems}, status=status)


def _content(upload: "UploadedFile[bytes]") -> bytes:
    """What was uploaded, as far as it may be read; one byte more tells that it is too much."""
    try:
        return bytes(upload.read(MAX_BYTES + 1))
    except OSError as error:
        raise SheetRefused(gettext("We could not read the file just now. Choose it again in a few minutes")) from error


@require_safe
@customer
def spreadsheet_xlsx(request: UserRequest, reference: str) -> HttpResponse:
    """The empty sheet with lists and explanations."""
    return _file(reference, xlsx_template(get_draft_or_404(request, reference)), "xlsx", _XLSX)


@require_safe
@customer
def spreadsheet_csv(request: UserRequest, reference: str) -> HttpResponse:
    """The empty sheet as text."""
    return _file(reference, csv_template(get_draft_or_404(request, reference)), "csv", "text/csv; charset=utf-8")


def _file(reference: str, content: bytes, ending: str, content_type: str) -> HttpResponse:
    return as_attachment(HttpResponse(content, content_type=content_type), name=f"{reference}.{ending}")


_TICKED, _CHOSEN = "row", "row:"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """What the sheet says. A post takes the ticked rows over; what is left stays to be looked at."""
    draft = get_draft_or_404(request, reference)
    found = _kept_import(draft, token)
    if found is None:
        return _import_not_found(request, reference)
    if request.method != "POST" or chosen_in(request):
        wanted = _posted_actions(request) if request.method == "POST" else None
        return render(request, "portal/parties/import.html", {"page": party_import_page(draft, found, wanted)})
    try:
        taken = services.apply_import(draft, found, _posted_actions(request), by=request.user)
    except services.Gone:
        return _import_not_found(request, reference)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return redirect("portal:people", reference=reference)
    _report_taken(request, taken)
    if taken.is_all:
        return redirect("portal:people", reference=reference)
    return redirect("portal:party_import", reference=reference, token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Forget the sheet. A GET, as after signing in again, only leads to it."""
    draft = get_draft_or_404(request, reference)
    found = _kept_import(draft, token)
    if found is None:
        return _import_not_found(request, reference)
    if request.method != "POST":
        return redirect("portal:party_import", reference=reference, token=token)
    try:
        services.delete_import(draft, found, by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, gettext("Spreadsheet deleted. Nothing more was added from it."))
    return redirect("portal:people", reference=reference)


def _kept_import(draft: Draft, token: str) -> PartyImport | None:
    return draft.application.party_imports.kept().filter(token=token).first()


def _import_not_found(request: UserRequest, reference: str) -> HttpResponse:
    words = gettext(
        "That spreadsheet is no longer here. It was added, deleted or replaced, or is more than a week old."
    )
    messages.warning(request, words)
    return redirect("portal:spreadsheet", reference=reference)


def _posted_actions(request: UserRequest) -> dict[str, str]:
    """What is to be done with which row: ticked ones are added, and where somebody seems to be here it was chosen."""
    ticked = dict.fromkeys(request.POST.getlist(_TICKED), RowAction.ADD.value)
    chosen = {name.removeprefix(_CHOSEN): deed for name, deed in request.POST.items() if name.startswith(_CHOSEN)}
    return ticked | {token: str(deed) for token, deed in chosen.items()}


def _report_taken(request: UserRequest, taken: ImportResult) -> None:
    if not taken.added and not taken.merged:
        messages.info(request, gettext("Nothing was added."))
    if taken.added:
        words = ngettext("{count} person or company added.", "{count} people and companies added.", taken.added)
        messages.success(request, words)
    if taken.merged:
        words = ngettext("{count} person or company updated.", "{count} people and companies updated.", taken.merged)
        messages.success(request, words)
