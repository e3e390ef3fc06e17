"""What the page of documents shows: every slot, by whom it is about."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import gettext
from formation_portal.relay.delivery_status import ApplicationDeliveries, deliveries_for_customer
from formation_portal.ui.forms.controls import Problem

from ..feedback import ReviewFeedback, review_feedback
from ..pages import DOCUMENTS, ApplicationPage, Link, file_problems, need_rows, next_step
from ..slots import SlotRow, slot_rows


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
class DocumentsPage(ApplicationPage):
    """The whole page; `refused` says, by the key of its slot, why a file was not taken just now, `earlier` are the
    reader's own files, to be offered once more."""

    deliveries: ApplicationDeliveries
    refused: Mapping[str, str]
    earlier: EarlierFiles | None = None
    # Where one was sent from, and goes back to.
    back: Link | None = None
    feedback: ReviewFeedback | None = None

    @property
    def title(self) -> str:
        return gettext("Documents")

    @property
    def url(self) -> str:
        return self._url("documents")

    @property
    def next_step(self) -> Link:
        """The page after this one, or the one that sent somebody here."""
        return self.back or next_step(self.draft, DOCUMENTS)

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
            deliveries=self.deliveries,
            earlier=self.earlier,
            feedback=self.feedback,
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
    def needs(self) -> tuple[Link, ...]:
        """The documents that are missing."""
        return need_rows(need for need in self.draft.needs if need.slot is not None)


def documents_page(
    draft: Draft,
    *,
    refused: Mapping[str, str] | None = None,
    earlier: EarlierFiles | None = None,
    back: Link | None = None,
) -> DocumentsPage:
    """The page as the draft stands."""
    return DocumentsPage(
        draft, deliveries_for_customer(draft.application), refused or {}, earlier, back, review_feedback(draft)
    )
