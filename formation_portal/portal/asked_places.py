"""Where on a customer's pages the thing is that our reviewer asks about, and whether it was changed since."""

from collections.abc import Collection

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.needs import Need
from formation_portal.reviews.asked import Asked
from formation_portal.reviews.naming import label_of, spec_at
from formation_portal.reviews.places import Kind, Place

from .need_links import need_url

# A line of the history: whose, and which answer or document.
Line = tuple[str, str]


def title_of(draft: Draft, asked: Asked) -> str:
    """What it is called; as it was called then, where the form has it no more."""
    return label_of(draft, asked.place) or asked.label or gettext("Your application")


def place_url(draft: Draft, place: Place, *, back_to: str = "") -> str:
    """The way to it. What is gone leads to whose it was; empty for the whole, and where that is gone too."""
    need = _need(draft, place)
    return need_url(draft, need, back_to=back_to) if need else ""


def is_touched(draft: Draft, place: Place, touched: Collection[Line]) -> bool:
    """Whether one of the lines is about it."""
    if place.kind is Kind.APPLICATION:
        return bool(touched)
    holders = holders_of(draft, place)
    if place.kind in (Kind.PARTY, Kind.SECTION):
        return any(holder in holders for holder, _ in touched)
    return any(holder in holders and Place.of_field("", name).name == place.name for holder, name in touched)


def holders_of(draft: Draft, place: Place) -> frozenset[str]:
    """What the history calls whose it is. An answer of the entity may stand in two sections; shares have classes."""
    section = draft.schema.section(place.holder)
    if section is None:
        return frozenset({place.holder})
    if section.is_share_structure:
        return frozenset({place.holder, *(one.token for one in draft.share_classes)})
    return frozenset({one.key for one in draft.schema.entity_sections} if place.name else {place.holder})


def _need(draft: Draft, place: Place) -> Need | None:
    """The place as a need would have it, for the way there."""
    if place.kind is Kind.DOCUMENT:
        slot = label_of(draft, place)
        return Need("asked", "", "", party_id=place.holder or None, slot=slot) if slot else _whose(draft, place)
    spec = spec_at(draft, place)
    if spec is None:
        return _whose(draft, place)
    is_party, is_class = draft.party(place.holder), draft.share_class(place.holder)
    return Need(
        "asked",
        "",
        "" if is_party or is_class else place.holder,
        party_id=place.holder if is_party else None,
        share_class_id=place.holder if is_class else None,
        field=spec.name,
    )


def _whose(draft: Draft, place: Place) -> Need | None:
    if draft.party(place.holder):
        return Need("asked", "", "", party_id=place.holder)
    return Need("asked", "", place.holder) if draft.schema.section(place.holder) else None
