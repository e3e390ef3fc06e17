"""What the page of documents shows: every slot, by whom it is about."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import needs_of_entity
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui.pagination import PEOPLE_AT_ONCE, PageLink, numbered_links

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
        number = self.asked.get("page", "") if place is None else place // PEOPLE_AT_ONCE + 1
        return Paginator(rows, PEOPLE_AT_ONCE).get_page(number)

    @property
    def links(self) -> tuple[PageLink, ...]:
        """The other pages."""
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
        """The documents that are missing of those that the page shows; and in a line how many others are."""
        found = (
            self.draft.needs_of_party(party.token) if party else needs_of_entity(self.draft.form_state)
            for party in self.holders
        )
        here = need_rows(need for needs in found for need in needs if need.slot is not None)
        return (*here, *self._missing_elsewhere)

    @property
    def _missing_elsewhere(self) -> Iterator[Link]:
        """How many required documents are missing on other pages, with the way to the first of those."""
        missing: Counter[int] = Counter()
        for place, row in enumerate(self.holders.paginator.object_list):
            asked = {slot.name for slot in self.draft.form_state.slots(row.record if row else None) if slot.required}
            missing[place // PEOPLE_AT_ONCE + 1] += len(asked - self.draft.documents_of(row).keys())
        del missing[self.holders.number]
        if count := missing.total():
            first = next(number for number in sorted(missing) if missing[number])
            yield Link(ngettext("{count} to upload", "{count} to upload", count), f"?page={first}")
