"""What the page says on which a sheet for many people is downloaded, explained and uploaded."""

from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.grid import MAX_BYTES, MAX_ROWS
from formation_portal.applications.imports.models import PartyImport
from formation_portal.contract import canonical
from formation_portal.contract.language import figure
from formation_portal.portal.options import Problem

from .closed import reason
from .moments import moment
from .roles import asked_roles


@dataclass(frozen=True, slots=True)
class Earlier:
    """A sheet that was uploaded and isn't taken over yet."""

    name: str
    when: str
    url: str


@dataclass(frozen=True)
class SpreadsheetPage:
    """The page; `refused` says why the sheet that was just uploaded isn't taken."""

    draft: Draft
    kept: PartyImport | None = None
    refused: str = ""

    most = MAX_ROWS

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application)

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def xlsx_url(self) -> str:
        return self._url("spreadsheet_xlsx")

    @property
    def csv_url(self) -> str:
        return self._url("spreadsheet_csv")

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that the sheet has columns for."""
        return tuple(dict.fromkeys(canonical.role_word(section.role or "") for section in asked_roles(self.draft)))

    @property
    def limit(self) -> str:
        """How many MB a file may have."""
        return figure(MAX_BYTES // 1_000_000)

    @property
    def earlier(self) -> Earlier | None:
        """What was uploaded before, where it is still to be looked at."""
        if self.kept is None or self.closed:
            return None
        return Earlier(self.kept.name, moment(self.kept.uploaded_at), self._url("party_import", self.kept.token))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the file isn't taken, with the way to the control."""
        return (Problem("sheet", self.refused),) if self.refused else ()

    def _url(self, view: str, *more: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


def spreadsheet_page(draft: Draft, *, refused: str = "") -> SpreadsheetPage:
    """The page as the draft stands: one query beside the draft's own."""
    return SpreadsheetPage(draft, draft.application.party_imports.kept().first(), refused)
