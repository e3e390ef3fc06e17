"""Adding several people from a spreadsheet: download, upload, what an uploaded one says, and adding what is wanted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

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
from formation_portal.applications.imports.columns import keys_by_heading, kind_word
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
from formation_portal.contract.fields.base import Choice
from formation_portal.contract.localisation import after_colon, colon, format_number, ngettext
from formation_portal.ui.downloads import as_attachment
from formation_portal.ui.formats import day, time_or_day
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.roles import active_roles, role_words

from ..lookups import get_draft_or_404
from ..pages import ApplicationPage
from .duplicates import already_here


@dataclass(frozen=True)
class SpreadsheetPage(ApplicationPage):
    """What a sheet is good for, and where it is uploaded.

    `kept` was uploaded before and is still to be looked at, `refused` says why the one that just came isn't taken.
    """

    kept: PartyImport | None
    refused: str = ""

    most = MAX_ROWS

    @property
    def kept_since(self) -> str:
        """When the earlier one was uploaded."""
        return time_or_day(self.kept.uploaded_at) if self.kept else ""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that the sheet has columns for."""
        return tuple(dict.fromkeys(canonical.role_word(section.role or "") for section in active_roles(self.draft)))

    @property
    def limit(self) -> str:
        """How many MB a file may have."""
        return format_number(MAX_BYTES // 1_000_000)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the file isn't taken, with the way to the control."""
        return (Problem("sheet", self.refused),) if self.refused else ()


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def spreadsheet(request: UserRequest, reference: str) -> HttpResponse:
    """How it works. A post keeps the sheet that is uploaded, and leads to what it says; nothing is added by it."""
    draft = get_draft_or_404(request, reference)
    chosen = chosen_in(request)
    if request.method != "POST" or (chosen and "sheet" not in request.FILES):
        return _render_spreadsheet(request, draft)
    try:
        upload = cast("UploadedFile[bytes] | None", request.FILES.get("sheet"))
        if upload is None:
            raise SheetRefused(gettext("Choose a spreadsheet, then upload it"))
        grid = read_sheet(_content(upload), keys_by_heading(draft.schema), account=request.user.pk)
        check_headings(draft, grid.headings)
        kept = services.keep_import(draft, grid, name=upload.name or "", by=request.user)
    except SheetRefused as refused:
        return _render_spreadsheet(request, draft, refused=refused.message, status=422)
    except services.Closed:
        return _render_spreadsheet(request, draft, status=409)
    if chosen:
        # No page can fill the control in again. The sheet is kept, and this page leads to it.
        return redirect("portal:spreadsheet", reference=reference)
    return redirect("portal:party_import", reference=reference, token=kept.token)


def _render_spreadsheet(request: UserRequest, draft: Draft, *, refused: str = "", status: int = 200) -> HttpResponse:
    page = SpreadsheetPage(draft, draft.application.party_imports.kept().first(), refused)
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
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    sheet = HttpResponse(xlsx_template(get_draft_or_404(request, reference)), content_type=content_type)
    return as_attachment(sheet, name=f"{reference}.xlsx")


@require_safe
@customer
def spreadsheet_csv(request: UserRequest, reference: str) -> HttpResponse:
    """The empty sheet as text."""
    content_type = "text/csv; charset=utf-8"
    sheet = HttpResponse(csv_template(get_draft_or_404(request, reference)), content_type=content_type)
    return as_attachment(sheet, name=f"{reference}.csv")


_FEW = 4
# What was found while the file was read.
_REMARKS = {
    "windows": gettext_noop("The file is not in UTF-8, so accents may be wrong. Check the names."),
    "merged": gettext_noop("Some cells are merged. We only read the first cell of each."),
    "hidden": gettext_noop("Hidden sheets are not read."),
    "first": gettext_noop("Only the sheet “{detail}” is read."),
}


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One row that could be added: what it brings, and what is to be known of it or will still be needed.

    `doubt` says who seems to be the same, `choices` what can be done about it, `wanted` what is to be done, where
    somebody has said so.
    """

    row: SheetRow
    facts: str
    notes: tuple[str, ...]
    doubt: str
    choices: tuple[Choice, ...]
    wanted: str


@dataclass(frozen=True)
class PartyImportPage(ApplicationPage):
    """What an uploaded sheet says, row by row."""

    found: PartyImport
    rows: tuple[SheetRow, ...]
    # What was chosen on the page and not yet done, by the tokens of the rows; None where nothing was.
    wanted: Mapping[str, str] | None = None

    @property
    def until(self) -> str:
        """The last day on which it is kept."""
        return day(self.found.expires_at)

    @property
    def summary(self) -> str:
        """How many of the rows can be added."""
        count, can = len(self.rows), len(self.valid)
        return ngettext("{can} of {count} row can be added", "{can} of {count} rows can be added", count, can=can)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known of the sheet as a whole."""
        headings = tuple(self.found.sheet["headings"])
        said = [gettext(_REMARKS[code]).format(detail=detail) for code, detail in self.found.sheet["remarks"]]
        room = services.party_room(self.draft)
        if self.valid and len(self.valid) > room:
            said.append(f"{services.TooManyParties(self.draft.application.status, room=room)}.")
        if unknown := unknown_headings(self.draft.schema, headings):
            names = quoted_headings(unknown)
            said.append(
                gettext("These columns are not part of this form, so they are not read: {names}.").format(names=names)
            )
        kinds = {row.party.kind for row in self.rows if row.party}
        if missing := missing_headings(self.draft, headings, kinds=kinds):
            said.append(
                gettext("The spreadsheet is missing these columns: {names}.").format(names=quoted_headings(missing))
            )
        return tuple(said)

    @cached_property
    def invalid(self) -> list[tuple[SheetRow, list[str]]]:
        """The rows that can't be added as they are, with each problem as a whole sentence."""
        return [
            (
                row,
                [
                    # Row 7, Date of birth: enter the month as a word.
                    gettext("Row {number}, {heading}: {text}").format(
                        number=row.number,
                        heading=heading,
                        text=after_colon(text),
                    )
                    for heading, text in row.problems
                ],
            )
            for row in self.rows
            if row.problems and not row.is_taken
        ]

    @cached_property
    def duplicates(self) -> list[ImportRow]:
        """The rows about somebody who seems to be here already, or in a row above."""
        return [self._line(row) for row in self.rows if row.match and not row.problems and not row.is_taken]

    @cached_property
    def valid(self) -> list[ImportRow]:
        """The rows that nothing speaks against."""
        return [self._line(row) for row in self.rows if not (row.match or row.problems or row.is_taken)]

    @property
    def taken(self) -> int:
        """How many rows have been added already."""
        return sum(row.is_taken for row in self.rows)

    def _line(self, row: SheetRow) -> ImportRow:
        assert row.party is not None
        headings: dict[str, list[str]] = {}
        for heading, text in row.notes:
            headings.setdefault(text, []).append(heading)
        # What is the same for several cells is said once.
        notes = [f"{quoted_headings(some)}{colon()}{after_colon(text)}" for text, some in headings.items()]
        if row.missing:
            count = len(row.missing)
            words = ngettext("{count} answer to complete afterwards", "{count} answers to complete afterwards", count)
            notes.append(f"{words}{colon()}{', '.join(row.missing[:_FEW])}{' …' if count > _FEW else ''}")
        doubt, choices = self._doubt(row)
        by_itself = "" if choices else RowAction.ADD.value
        return ImportRow(
            row=row,
            facts=f"{kind_word(row.party.kind)}. {role_words(row.party.roles)}",
            notes=tuple(notes),
            doubt=doubt,
            choices=choices,
            wanted=by_itself if self.wanted is None else self.wanted.get(row.token, ""),
        )

    def _doubt(self, row: SheetRow) -> tuple[str, tuple[Choice, ...]]:
        """Who seems to be the same, and what can be done about it; to leave the row out is what happens by itself."""
        if row.match is None:
            return "", ()
        choices = [Choice("", gettext("Skip this row"))]
        if row.adds_to_match:
            choices.append(Choice(RowAction.MERGE, gettext("Add this row’s details to the first one")))
        choices.append(Choice(RowAction.ADD_ANYWAY, gettext("Add as a different person")))
        there = row.match.party
        if row.match.row is None:
            return already_here(self.draft, there), tuple(choices)
        return gettext("{name} is also in row {row}.").format(name=there.label, row=row.match.row), tuple(choices)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """What the sheet says. A post adds the ticked rows; what is left stays to be looked at."""
    draft = get_draft_or_404(request, reference)
    found = draft.application.party_imports.kept().filter(token=token).first()
    if found is None:
        return _import_not_found(request, reference)
    # What is to be done with which row: ticked ones are added, and where somebody seems to be here it was chosen.
    wanted = dict.fromkeys(request.POST.getlist("row"), RowAction.ADD.value)
    wanted |= {name.removeprefix("row:"): str(did) for name, did in request.POST.items() if name.startswith("row:")}
    if request.method != "POST" or chosen_in(request):
        rows = services.import_rows(draft, found)
        page = PartyImportPage(draft, found, rows, wanted if request.method == "POST" else None)
        return render(request, "portal/parties/import.html", {"page": page})
    try:
        taken = services.apply_import(draft, found, wanted, by=request.user)
    except services.Gone:
        return _import_not_found(request, reference)
    except services.TooManyParties as full:
        messages.error(request, f"{full}.")
        draft.reload()
        page = PartyImportPage(draft, found, services.import_rows(draft, found), wanted)
        return render(request, "portal/parties/import.html", {"page": page}, status=422)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return redirect("portal:people", reference=reference)
    if not taken.added and not taken.merged:
        messages.info(request, gettext("Nothing was added."))
    if taken.added:
        words = ngettext("{count} person or company added.", "{count} people and companies added.", taken.added)
        messages.success(request, words)
    if taken.merged:
        words = ngettext("{count} person or company updated.", "{count} people and companies updated.", taken.merged)
        messages.success(request, words)
    if taken.is_all:
        return redirect("portal:people", reference=reference)
    return redirect("portal:party_import", reference=reference, token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Forget the sheet. A GET, as after signing in again, only leads to it."""
    draft = get_draft_or_404(request, reference)
    found = draft.application.party_imports.kept().filter(token=token).first()
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


def _import_not_found(request: UserRequest, reference: str) -> HttpResponse:
    words = gettext(
        "That spreadsheet is no longer here. It was added, deleted or replaced, or is more than a week old."
    )
    messages.warning(request, words)
    return redirect("portal:spreadsheet", reference=reference)
