"""What the page of documents shows: every slot, by whom it is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.utils.translation import gettext

from formation_portal.applications.documents import EarlierFiles
from formation_portal.relay.delivery_status import deliveries_for_customer

from ..feedback import ReviewFeedback, review_feedback
from ..pages import DOCUMENTS, ApplicationPage, Link, need_rows, next_step
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
    reader's own files, to be offered once more, and `back` leads to where one was sent from."""

    refused: Mapping[str, str] = field(default_factory=dict)
    earlier: EarlierFiles | None = None
    back: Link | None = None

    @property
    def title(self) -> str:
        return gettext("Documents")

    @cached_property
    def feedback(self) -> ReviewFeedback:
        return review_feedback(self.draft)

    @cached_property
    def next_step(self) -> Link:
        """The page after this one, or the one that sent somebody here."""
        return self.back or next_step(self.draft, DOCUMENTS)

    @cached_property
    def groups(self) -> list[SlotGroup]:
        """The entity's own slots first, then each party's."""
        deliveries = deliveries_for_customer(self.draft.application)
        holders = [(None, "entity", self.company), *((row, row.token, row.label) for row in self.draft.parties)]
        groups = []
        for party, place, title in holders:
            slots = slot_rows(
                self.draft,
                party,
                refused=self.refused,
                deliveries=deliveries,
                earlier=self.earlier,
                feedback=self.feedback,
            )
            if self.back:
                # What is uploaded comes back here first, and still knows the way.
                query = f"?{self.back.query}"
                slots = tuple(replace(row, upload_url=row.upload_url and f"{row.upload_url}{query}") for row in slots)
            if slots:
                groups.append(SlotGroup(place, title, slots))
        return groups

    @property
    def needs(self) -> tuple[Link, ...]:
        """The documents that are missing."""
        return need_rows(need for need in self.draft.needs if need.slot is not None)
