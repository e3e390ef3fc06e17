"""What the page of documents shows: every slot, by whom it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.core.paginator import Page
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import needs_of_entity
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui.pagination import PageLink, numbered_links, people_page

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
    reader's own files, to be offered once more, `back` leads to where one was sent from, and `asked` is the query of
    the address: the number of one of several pages, or a party that is on it."""

    refused: Mapping[str, str] = field(default_factory=dict)
    earlier: EarlierFiles | None = None
    back: Link | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

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
    def holders(self) -> Page[PartyRow | None]:
        """Whose documents the page shows, of all of whom some are asked: the entity (None) first."""
        slots = self.draft.form_state.slots
        rows = [row for row in (None, *self.draft.parties) if slots(row.record if row else None)]
        place = next((place for place, row in enumerate(rows) if row and row.token == self.asked.get("party")), None)
        return people_page(rows, self.asked.get("page", ""), with_row=place)

    @cached_property
    def links(self) -> tuple[PageLink, ...]:
        """The other pages, which know the way back, too."""
        return numbered_links(self.holders, QueryDict(self.back.query if self.back else ""))

    @cached_property
    def groups(self) -> list[SlotGroup]:
        """The entity's own slots first, then each party's."""
        deliveries = deliveries_for_customer(self.draft.application)
        groups = []
        for party in self.holders:
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
            named = (party.token, party.label) if party else ("entity", self.company)
            groups.append(SlotGroup(*named, slots))
        return groups

    @property
    def needs(self) -> tuple[Link, ...]:
        """The documents that are missing on this page, and in one line how many are on the others."""
        found = (
            self.draft.needs_of_party(party.token) if party else needs_of_entity(self.draft.form_state)
            for party in self.holders
        )
        here = need_rows(need for needs in found for need in needs if need.slot is not None)
        return (*here, *self._missing_elsewhere)

    @property
    def _missing_elsewhere(self) -> Iterator[Link]:
        """How many required documents are missing on other pages, with the way to the first of those."""
        others = [page for page in self.holders.paginator if page.number != self.holders.number]
        missing = {page.number: sum(len(self.draft.missing_documents(party)) for party in page) for page in others}
        if count := sum(missing.values()):
            first = next(number for number, some in missing.items() if some)
            query = f"{self.back.query}&page={first}" if self.back else f"page={first}"
            yield Link(ngettext("{count} to upload", "{count} to upload", count), f"?{query}")
