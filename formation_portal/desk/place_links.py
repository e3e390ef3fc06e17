"""Where one place of an application stands on the desk: on the page of its party, else in a section of the case's."""

from formation_portal.applications.draft import Draft
from formation_portal.reviews.checklist import Checklist
from formation_portal.reviews.targets import Target, TargetKind

from .coming_from import case_url, party_url
from .fact_rows import fact_id
from .queue_state import QueueState


class PlaceLinks:
    """The addresses of the places of one case, opened from a queue that shows this. No query."""

    def __init__(self, draft: Draft, facts: Checklist, shown: QueueState) -> None:
        self._draft = draft
        self._shown = shown
        self._case = case_url(draft.application.reference, shown)
        self._facts = {
            fact.target: f"{self._party(sheet.token)}#{fact_id(number)}"
            for sheet in facts.holders
            if sheet.token
            for number, fact in enumerate(sheet.facts, 1)
        }

    def at(self, place: Target) -> str:
        """The address of a place; what has none of its own is looked for on the case's page."""
        if place in self._facts:
            return self._facts[place]
        if self._draft.party(place.holder):
            return self._party(place.holder)
        section = self._draft.schema.section(place.holder)
        return f"{self._case}#{self._section(place)}" if section or not place.holder else self._case

    def _party(self, token: str) -> str:
        return party_url(self._draft.application.reference, token, self._shown)

    def _section(self, place: Target) -> str:
        shares = self._draft.schema.share_section
        if place.kind is TargetKind.DOCUMENT:
            return "documents"
        if shares and place.holder == shares.key:
            return "shares"
        return f"section-{place.holder}" if place.holder else "notes"
