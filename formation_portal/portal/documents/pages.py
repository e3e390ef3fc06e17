"""Build the page of documents: every slot, grouped by party."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.core.paginator import Page
from django.http import QueryDict

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import Need, needs_of_entity
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui.documents import documents_url
from formation_portal.ui.pagination import PageLink, numbered_links, people_page

from ..feedback import ReviewFeedback, review_feedback
from ..pages import DOCUMENTS, ApplicationPage, Link, need_rows, next_step
from ..slots import slot_rows


@dataclass(frozen=True)
class DocumentsPage(ApplicationPage):
    """A page of documents: the slots of the entity and of parties.

    `earlier` are the reader's own files, to be reused; `back` is the page to return to, or blank; `query` holds the
    page number, or a party on the page; `refused` has the errors of refused files by the keys of their slots.
    """

    earlier: EarlierFiles
    back: Link
    query: Mapping[str, Any]
    refused: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def feedback(self) -> ReviewFeedback:
        return review_feedback(self.draft)

    @cached_property
    def next_step(self) -> Link:
        return self.back if self.back.url else next_step(self.draft, DOCUMENTS)

    @cached_property
    def holders(self) -> Page[PartyRow | None]:
        """Return those on this page who have slots: the entity (None) first, then parties."""
        holders = list(filter(self.draft.slots_of, (None, *self.draft.parties)))
        token = self.query.get("party")
        places = (place for place, party in enumerate(holders) if party and party.token == token)
        return people_page(holders, self.query.get("page", ""), with_row=next(places, None))

    @cached_property
    def links(self) -> tuple[PageLink, ...]:
        return numbered_links(self.holders, QueryDict(self.back.query))

    @cached_property
    def groups(self) -> list[dict[str, Any]]:
        """Return the entity's slots, then each party's, each with the number of missing required documents."""
        deliveries = deliveries_for_customer(self.draft.application)
        groups: list[dict[str, Any]] = []
        for party in self.holders:
            slots = slot_rows(
                self.draft,
                party,
                deliveries=deliveries,
                feedback=self.feedback,
                refused=self.refused,
                earlier=self.earlier,
                upload_url=documents_url(self.draft, "", self.back.query),
            )
            groups.append({"party": party, "slots": slots, "missing": len(self.draft.missing_documents(party))})
        return groups

    @cached_property
    def needs(self) -> list[Link]:
        """Return links to the missing documents of this page, then a single link to those on other pages."""
        needs: list[Need] = []
        for party in self.holders:
            if party:
                needs += self.draft.needs_of_party(party.token)
            else:
                needs += needs_of_entity(self.draft.form_state)
        links = list(need_rows(need for need in needs if need.slot is not None))
        # To judge all parties on other pages by all their answers would take too long.
        missing: Counter[int] = Counter()
        for page in self.holders.paginator:
            if page.number != self.holders.number:
                missing[page.number] = sum(len(self.draft.missing_documents(party)) for party in page)
        if count := missing.total():
            query = "&".join(filter(None, (self.back.query, f"page={min(+missing)}")))
            links.append(Link(ngettext("{count} to upload", "{count} to upload", count), f"?{query}"))
        return links
