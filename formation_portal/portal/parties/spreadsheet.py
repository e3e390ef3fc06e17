"""Add people from a spreadsheet: download it, upload it, check its rows, add the chosen ones."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.grid import MAX_BYTES, MAX_ROWS, SheetRefused
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.rows import SheetRow
from formation_portal.applications.imports.template import csv_template, xlsx_template
from formation_portal.applications.imports.uploads import (
    check_headings,
    missing_headings,
    quoted_headings,
    read_sheet,
    unknown_headings,
)
from formation_portal.applications.services.party_imports import RowAction
from formation_portal.contract import canonical
from formation_portal.contract.localisation import after_colon, colon, ngettext
from formation_portal.ui.downloads import as_attachment
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.roles import active_roles, role_words

from ..lookups import get_draft_or_404
from ..pages import ApplicationPage
from ..refusals import refusals_as_messages
from .pages import already_here


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def spreadsheet(request: UserRequest, reference: str) -> HttpResponse:
    """Explain the spreadsheet. A post stores an upload and redirects to its rows, without adding anybody."""
    draft = get_draft_or_404(request, reference)
    language = chosen_in(request)
    if request.method != "POST" or (language and "sheet" not in request.FILES):
        return _render_spreadsheet(request, draft)
    try:
        upload = cast("UploadedFile[bytes] | None", request.FILES.get("sheet"))
        if upload is None:
            raise SheetRefused(gettext("Choose a spreadsheet, then upload it"))
        grid = read_sheet(_content(upload), keys_by_heading(draft.schema), account=request.user.pk)
        check_headings(draft, grid.headings)
        party_import = services.keep_import(draft, grid, name=upload.name or "", by=request.user)
    except SheetRefused as refused:
        return _render_spreadsheet(request, draft, refusal=refused.message, status=422)
    except services.Closed:
        return _render_spreadsheet(request, draft, status=409)
    if language:
        # The language was changed. No page can refill a file control, but this page links to the stored spreadsheet.
        return redirect("portal:spreadsheet", reference=reference)
    return redirect("portal:party_import", reference=reference, token=party_import.token)


def _content(upload: "UploadedFile[bytes]") -> bytes:
    """Read an upload, to one byte beyond the limit, so that a larger file is noticed. Raises SheetRefused."""
    try:
        return bytes(upload.read(MAX_BYTES + 1))
    except OSError as error:
        raise SheetRefused(gettext("We could not read the file just now. Choose it again in a few minutes")) from error


def _render_spreadsheet(request: UserRequest, draft: Draft, *, refusal: str = "", status: int = 200) -> HttpResponse:
    context = {
        "page": ApplicationPage(draft),
        "refusal": refusal,
        "problems": [Problem("sheet", refusal)] if refusal else [],
        # The uploaded spreadsheet whose rows are not yet checked.
        "pending": draft.application.party_imports.kept().first(),
        "roles": dict.fromkeys(canonical.role_word(section.role or "") for section in active_roles(draft)),
        "max_rows": MAX_ROWS,
        "max_megabytes": MAX_BYTES // 1_000_000,
    }
    return render(request, "portal/parties/spreadsheet.html", context, status=status)


_CONTENT_TYPES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
}


@require_safe
@customer
def spreadsheet_template(request: UserRequest, reference: str, kind: str) -> HttpResponse:
    """Download the empty spreadsheet, as an Excel file with lists and explanations, or as CSV."""
    draft = get_draft_or_404(request, reference)
    content = xlsx_template(draft) if kind == "xlsx" else csv_template(draft)
    return as_attachment(HttpResponse(content, content_type=_CONTENT_TYPES[kind]), name=f"{reference}.{kind}")


_NAMED_AT_MOST = 4
# Remarks from parsing a spreadsheet.
_REMARKS = {
    "windows": gettext_noop("The file is not in UTF-8, so accents may be wrong. Check the names."),
    "merged": gettext_noop("Some cells are merged. We only read the first cell of each."),
    "hidden": gettext_noop("Hidden sheets are not read."),
    "first": gettext_noop("Only the sheet “{detail}” is read."),
}


def import_context(
    draft: Draft, party_import: PartyImport, rows: Sequence[SheetRow], actions: Mapping[str, str] | None
) -> dict[str, Any]:
    """Describe the rows of an uploaded spreadsheet: rows with problems, likely duplicates of parties, and others.

    `actions` are the reader's choices by row token; None before any choice.
    """
    invalid: list[tuple[SheetRow, list[str]]] = []
    duplicates: list[dict[str, Any]] = []
    valid: list[dict[str, Any]] = []
    # "Row 7, Date of birth: enter the month as a word."
    sentence = gettext("Row {number}, {heading}: {text}")
    for row in rows:
        if row.is_taken:
            continue
        if row.problems:
            sentences: list[str] = []
            for heading, text in row.problems:
                sentences.append(sentence.format(number=row.number, heading=heading, text=after_colon(text)))
            invalid.append((row, sentences))
        elif row.match:
            duplicates.append(_import_row(draft, row, actions))
        else:
            valid.append(_import_row(draft, row, actions))
    count = len(rows)
    return {
        "page": ApplicationPage(draft),
        "party_import": party_import,
        "summary": ngettext(
            "{can} of {count} row can be added", "{can} of {count} rows can be added", count, can=len(valid)
        ),
        "remarks": _remarks(draft, party_import, rows, count=len(valid)),
        "invalid": invalid,
        "duplicates": duplicates,
        "valid": valid,
        "added_count": sum(row.is_taken for row in rows),
    }


def _remarks(draft: Draft, party_import: PartyImport, rows: Sequence[SheetRow], *, count: int) -> list[str]:
    """Return remarks on the spreadsheet as a whole, of which `count` rows can be added."""
    sheet = party_import.sheet
    remarks = [gettext(_REMARKS[code]).format(detail=detail) for code, detail in sheet["remarks"]]
    room = services.party_room(draft)
    if count and count > room:
        remarks.append(f"{services.TooManyParties(room)}.")
    if unknown := unknown_headings(draft.schema, sheet["headings"]):
        sentence = gettext("These columns are not part of this form, so they are not read: {names}.")
        remarks.append(sentence.format(names=quoted_headings(unknown)))
    kinds = {row.party.kind for row in rows if row.party}
    if missing := missing_headings(draft, sheet["headings"], kinds=kinds):
        sentence = gettext("The spreadsheet is missing these columns: {names}.")
        remarks.append(sentence.format(names=quoted_headings(missing)))
    return remarks


def _import_row(draft: Draft, row: SheetRow, actions: Mapping[str, str] | None) -> dict[str, Any]:
    """Describe a row that can be added; `duplicate` says that its party may exist already."""
    assert row.party is not None
    headings_by_text: dict[str, list[str]] = {}
    for heading, text in row.notes:
        headings_by_text.setdefault(text, []).append(heading)
    notes: list[str] = []
    for text, headings in headings_by_text.items():
        notes.append(f"{quoted_headings(headings)}{colon()}{after_colon(text)}")
    if count := len(row.missing):
        note = ngettext("{count} answer to complete afterwards", "{count} answers to complete afterwards", count)
        names = ", ".join(row.missing[:_NAMED_AT_MOST])
        notes.append(f"{note}{colon()}{names}{' …' if count > _NAMED_AT_MOST else ''}")
    duplicate = ""
    if row.match and row.match.row is None:
        duplicate = already_here(draft, row.match.party)
    elif row.match:
        values = {"name": row.match.party.label, "row": row.match.row}
        duplicate = gettext("{name} is also in row {row}.").format(**values)
    default_action = "" if row.match else RowAction.ADD.value
    return {
        "row": row,
        "facts": f"{canonical.kind_title(row.party.kind)}. {role_words(row.party.roles)}",
        "notes": notes,
        "duplicate": duplicate,
        "action": default_action if actions is None else actions.get(row.token, ""),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Show the rows of an uploaded spreadsheet. A post adds the ticked rows and keeps the others."""
    draft = get_draft_or_404(request, reference)
    stored = draft.application.party_imports.kept().filter(token=token).first()
    if stored is None:
        return _import_not_found(request, reference)
    if request.method != "POST":
        return _render_import(request, draft, stored, None)
    # Ticked rows are added; a likely duplicate has a choice of its own.
    actions = dict.fromkeys(request.POST.getlist("row"), RowAction.ADD.value)
    for name, action in request.POST.items():
        if name.startswith("row:"):
            actions[name.removeprefix("row:")] = str(action)
    if chosen_in(request):
        return _render_import(request, draft, stored, actions)
    try:
        result = services.apply_import(draft, stored, actions, by=request.user)
    except services.Gone:
        return _import_not_found(request, reference)
    except services.TooManyParties as full:
        messages.error(request, f"{full}.")
        draft.reload()
        return _render_import(request, draft, stored, actions, status=422)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return redirect("portal:people", reference=reference)
    if not result.added and not result.merged:
        messages.info(request, gettext("Nothing was added."))
    if result.added:
        sentence = ngettext("{count} person or company added.", "{count} people and companies added.", result.added)
        messages.success(request, sentence)
    if result.merged:
        sentence = ngettext(
            "{count} person or company updated.", "{count} people and companies updated.", result.merged
        )
        messages.success(request, sentence)
    if result.is_all:
        return redirect("portal:people", reference=reference)
    return redirect("portal:party_import", reference=reference, token=token)


def _render_import(
    request: UserRequest,
    draft: Draft,
    party_import: PartyImport,
    actions: Mapping[str, str] | None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = import_context(draft, party_import, services.import_rows(draft, party_import), actions)
    return render(request, "portal/parties/import.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Delete an uploaded spreadsheet. A GET, as after signing in again, only redirects to it."""
    draft = get_draft_or_404(request, reference)
    stored = draft.application.party_imports.kept().filter(token=token).first()
    if stored is None:
        return _import_not_found(request, reference)
    if request.method != "POST":
        return redirect("portal:party_import", reference=reference, token=token)
    with refusals_as_messages(request):
        services.delete_import(draft, stored, by=request.user)
        messages.success(request, gettext("Spreadsheet deleted. Nothing more was added from it."))
    return redirect("portal:people", reference=reference)


def _import_not_found(request: UserRequest, reference: str) -> HttpResponse:
    sentence = gettext(
        "That spreadsheet is no longer here. It was added, deleted or replaced, or is more than a week old."
    )
    messages.warning(request, sentence)
    return redirect("portal:spreadsheet", reference=reference)
