"""Adding several people by a spreadsheet: its own page, and what an uploaded one says, row by row."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import kind_word
from formation_portal.applications.imports.grid import MAX_BYTES, MAX_ROWS
from formation_portal.applications.imports.headings import missing_headings, quoted_headings, unknown_headings
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.rows import CellRemark, SheetRow
from formation_portal.applications.services.party_imports import RowAction
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice
from formation_portal.contract.localisation import after_colon, format_number, gettext, gettext_noop, ngettext
from formation_portal.ui.formats import day, time_or_day
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.roles import active_roles, role_words

from ..pages import ApplicationPage
from .duplicates import already_here


@dataclass(frozen=True, slots=True)
class EarlierUpload:
    """A sheet that was uploaded and isn't taken over yet."""

    name: str
    when: str
    url: str


@dataclass(frozen=True)
class SpreadsheetPage(ApplicationPage):
    """The page; `refused` says why the sheet that was just uploaded isn't taken."""

    kept: PartyImport | None = None
    refused: str = ""

    most = MAX_ROWS

    @property
    def xlsx_url(self) -> str:
        return self._url("spreadsheet_xlsx")

    @property
    def csv_url(self) -> str:
        return self._url("spreadsheet_csv")

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that the sheet has columns for."""
        return tuple(dict.fromkeys(canonical.role_word(section.role or "") for section in active_roles(self.draft)))

    @property
    def limit(self) -> str:
        """How many MB a file may have."""
        return format_number(MAX_BYTES // 1_000_000)

    @property
    def earlier(self) -> EarlierUpload | None:
        """What was uploaded before, where it is still to be looked at."""
        if self.kept is None or self.read_only_reason:
            return None
        return EarlierUpload(
            self.kept.name, time_or_day(self.kept.uploaded_at), self._url("party_import", self.kept.token)
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the file isn't taken, with the way to the control."""
        return (Problem("sheet", self.refused),) if self.refused else ()


def spreadsheet_page(draft: Draft, *, refused: str = "") -> SpreadsheetPage:
    """The page as the draft stands: one query beside the draft's own."""
    return SpreadsheetPage(draft, draft.application.party_imports.kept().first(), refused)


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
    """One row that could be taken over: what it is called and brings, and what will still be needed."""

    number: int
    token: str
    name: str
    facts: str
    notes: tuple[str, ...]
    sentence: str = ""
    choices: tuple[Choice, ...] = ()
    # What is to be done with it, where somebody has said so.
    wanted: str = RowAction.ADD.value


@dataclass(frozen=True, slots=True)
class InvalidRow:
    """One row that has to be mended first: each of its problems as a whole sentence."""

    number: int
    name: str
    problems: tuple[str, ...]


@dataclass(frozen=True)
class PartyImportPage(ApplicationPage):
    """The whole page."""

    found: PartyImport
    rows: tuple[SheetRow, ...]
    # What was chosen on the page and not yet done, by the tokens of the rows; None where nothing was.
    wanted: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.found.name

    @property
    def until(self) -> str:
        """The last day on which it is kept."""
        return day(self.found.expires_at.date())

    @property
    def summary(self) -> str:
        """How many of the rows can be added."""
        count, can = len(self.rows), len(self.valid)
        return ngettext("{can} of {count} row can be added", "{can} of {count} rows can be added", count, can=can)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known of the sheet as a whole."""
        headings = tuple(self.found.sheet["headings"])
        said = [gettext(_REMARKS[code], detail=detail) for code, detail in self.found.sheet["remarks"]]
        if unknown := unknown_headings(self.draft.schema, headings):
            said.append(
                gettext(
                    "These columns are not part of this form, so they are not read: {names}.",
                    names=quoted_headings(unknown),
                )
            )
        kinds = {row.party.kind for row in self.rows if row.party}
        if missing := missing_headings(self.draft, headings, kinds=kinds):
            said.append(gettext("The spreadsheet is missing these columns: {names}.", names=quoted_headings(missing)))
        return tuple(said)

    @cached_property
    def invalid(self) -> tuple[InvalidRow, ...]:
        """The rows that can't be added as they are."""
        return tuple(
            InvalidRow(row.number, row.label, tuple(problem_words(row, one) for one in row.problems))
            for row in self.rows
            if row.problems and not row.is_taken
        )

    @cached_property
    def duplicates(self) -> tuple[ImportRow, ...]:
        """The rows about somebody who seems to be here already, or in a row above."""
        return tuple(self._line(row) for row in self._fine if row.match)

    @cached_property
    def valid(self) -> tuple[ImportRow, ...]:
        """The rows that nothing speaks against."""
        return tuple(self._line(row) for row in self._fine if not row.match)

    @property
    def taken(self) -> int:
        """How many rows have been added already."""
        return sum(row.is_taken for row in self.rows)

    @property
    def _fine(self) -> tuple[SheetRow, ...]:
        return tuple(row for row in self.rows if not row.problems and not row.is_taken)

    def _line(self, row: SheetRow) -> ImportRow:
        assert row.party is not None
        facts = f"{kind_word(row.party.kind)}. {role_words(row.party.roles)}"
        notes = (*_noted(row), *_still_needed(row))
        sentence, choices = self._doubt(row)
        by_itself = "" if choices else RowAction.ADD.value
        wanted = by_itself if self.wanted is None else self.wanted.get(row.token, "")
        return ImportRow(row.number, row.token, row.party.label, facts, notes, sentence, choices, wanted)

    def _doubt(self, row: SheetRow) -> tuple[str, tuple[Choice, ...]]:
        """Who seems to be the same, and what can be done about it; to leave the row out is what happens by itself."""
        if row.match is None:
            return "", ()
        there = row.match.party
        if row.match.row is None:
            sentence = already_here(self.draft, there)
        else:
            sentence = gettext("{name} is also in row {row}.", name=there.label, row=row.match.row)
        join = (
            Choice(RowAction.MERGE, gettext("Add this row’s details to the first one")) if row.adds_to_match else None
        )
        other = Choice(RowAction.ADD_ANYWAY, gettext("Add as a different person"))
        return sentence, tuple(one for one in (Choice("", gettext("Skip this row")), join, other) if one)

    @property
    def url(self) -> str:
        return self._url("party_import", self.found.token)

    @property
    def removal_url(self) -> str:
        return self._url("party_import_removal", self.found.token)

    @property
    def spreadsheet_url(self) -> str:
        return self._url("spreadsheet")


def party_import_page(draft: Draft, found: PartyImport, wanted: Mapping[str, str] | None = None) -> PartyImportPage:
    """The page as the draft stands. Costs no query beside the draft's own."""
    return PartyImportPage(draft, found, services.import_rows(draft, found), wanted)


def problem_words(row: SheetRow, problem: CellRemark) -> str:
    """Row 7, Date of birth: enter the month as a word."""
    text = after_colon(problem.text)
    return gettext("Row {number}, {heading}: {text}", number=row.number, heading=problem.heading, text=text)


def _noted(row: SheetRow) -> tuple[str, ...]:
    """What is to be known of its cells; what is the same for several is said once."""
    headings: dict[str, list[str]] = {}
    for note in row.notes:
        headings.setdefault(note.text, []).append(note.heading)
    return tuple(f"{quoted_headings(some)}: {after_colon(text)}" for text, some in headings.items())


def _still_needed(row: SheetRow) -> tuple[str, ...]:
    if not row.missing:
        return ()
    labels = ", ".join(row.missing[:_FEW]) + (" …" if len(row.missing) > _FEW else "")
    count = len(row.missing)
    words = ngettext("{count} answer to complete afterwards", "{count} answers to complete afterwards", count)
    return (f"{words}: {labels}",)
