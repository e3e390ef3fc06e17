"""Where one place of an application stands on the desk: on the page of its party, else in a section of the case's."""

from collections.abc import Mapping

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.reviews.facts import Facts
from formation_portal.reviews.places import Kind, Place


class PlaceLinks:
    """The addresses of the places of one case. No query."""

    def __init__(self, draft: Draft, facts: Facts) -> None:
        self._draft = draft
        self._case = reverse("desk:review", args=[draft.application.reference])
        self._ids: Mapping[Place, str] = {
            fact.place: f"#party-{sheet.token}" for sheet in facts.sheets if sheet.token for fact in sheet.facts
        }

    def at(self, place: Place) -> str:
        """The address of a place; what has none of its own is looked for on the case's page."""
        if place in self._ids:
            return self._case + self._ids[place]
        if place.kind is Kind.DOCUMENT and not place.holder:
            return f"{self._case}#documents"
        if self._draft.party(place.holder):
            return f"{self._case}#party-{place.holder}"
        section = self._draft.schema.section(place.holder)
        if section is None:
            return self._case
        return f"{self._case}#{'shares' if section == self._draft.schema.share_section else f'section-{section.key}'}"
