"""What the page of documents shows: every slot, by whom it is about."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.urls import reverse

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import say
from formation_portal.portal.options import Problem

from . import steps
from .arrivals import Arrivals, arrivals
from .came_back import CameBack, came_back
from .closed import reason
from .lists import NeedRow, file_problems, need_rows
from .slots import SlotRow, slot_rows
from .way_back import WayBack


@dataclass(frozen=True, slots=True)
class SlotGroup:
    """The slots of the entity or of one party."""

    id: str
    title: str
    slots: tuple[SlotRow, ...]

    @property
    def missing(self) -> int:
        """How many required documents are not there."""
        return sum(slot.file is None and not slot.optional for slot in self.slots)


@dataclass(frozen=True)
class DocumentsPage:
    """The whole page; `refused` says, by the key of its slot, why a file was not taken just now, `earlier` are the
    reader's own files, to be offered once more."""

    draft: Draft
    arrivals: Arrivals
    refused: Mapping[str, str]
    earlier: EarlierFiles | None = None
    # Where one was sent from, and goes back to.
    back: WayBack | None = None
    came_back: CameBack | None = None

    @property
    def title(self) -> str:
        return say("Documents")

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application)

    @property
    def url(self) -> str:
        return reverse("portal:documents", args=[self.draft.application.reference])

    @property
    def overview_url(self) -> str:
        return reverse("portal:overview", args=[self.draft.application.reference])

    @property
    def following(self) -> steps.Step:
        """The page after this one, or the one that sent somebody here."""
        if self.back:
            return steps.Step("", "", self.back.title, self.back.url)
        return steps.step_after(self.draft, steps.DOCUMENTS)

    @cached_property
    def groups(self) -> tuple[SlotGroup, ...]:
        """The entity's own slots first, then each party's."""
        groups = [SlotGroup("entity", self.company, self._slots(None))]
        groups += [SlotGroup(row.token, row.label, self._slots(row)) for row in self.draft.parties]
        return tuple(group for group in groups if group.slots)

    def _slots(self, party: PartyRow | None) -> tuple[SlotRow, ...]:
        rows = slot_rows(
            self.draft,
            party,
            refused=self.refused,
            arrivals=self.arrivals,
            earlier=self.earlier,
            came_back=self.came_back,
        )
        if self.back is None:
            return rows
        # What is uploaded comes back here first, and still knows the way.
        query = self.back.query
        return tuple(replace(row, upload_url=f"{row.upload_url}?{query}" if row.upload_url else "") for row in rows)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return file_problems(self.refused)

    @property
    def needs_title(self) -> str:
        return say("To complete")

    @property
    def needs(self) -> tuple[NeedRow, ...]:
        """The documents that are missing."""
        return need_rows(need for need in self.draft.needs if need.slot is not None)


def documents_page(
    draft: Draft,
    *,
    refused: Mapping[str, str] | None = None,
    earlier: EarlierFiles | None = None,
    back: WayBack | None = None,
) -> DocumentsPage:
    """The page as the draft stands."""
    return DocumentsPage(draft, arrivals(draft.application), refused or {}, earlier, back, came_back(draft))
