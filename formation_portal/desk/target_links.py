"""Where a target of the review stands on the desk: on the page of its party, or in a section of the case's."""

from formation_portal.applications.draft import Draft
from formation_portal.reviews.checklist import Checklist
from formation_portal.reviews.targets import Target, TargetKind

from .queue_state import QueueState
from .return_urls import case_url, party_url


def fact_id(number: int) -> str:
    """The id of a fact on its party's page, by its number in the checklist; the first is 1."""
    return f"fact-{number}"


class TargetLinks:
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

    def at(self, target: Target) -> str:
        """The address of a place; what has none of its own is looked for on the case's page."""
        if target in self._facts:
            return self._facts[target]
        if self._draft.party(target.holder):
            return self._party(target.holder)
        if target.holder and self._draft.schema.section(target.holder) is None:
            return self._case
        shares = self._draft.schema.share_section
        if target.kind is TargetKind.DOCUMENT:
            return f"{self._case}#documents"
        if shares and target.holder == shares.key:
            return f"{self._case}#shares"
        return f"{self._case}#section-{target.holder}" if target.holder else f"{self._case}#notes"

    def _party(self, token: str) -> str:
        return party_url(self._draft.application.reference, token, self._shown)
