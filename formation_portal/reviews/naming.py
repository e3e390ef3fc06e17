"""What a place is called, as the form calls it at present."""

from collections.abc import Iterable

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec

from .places import Kind, Place


def label_of(draft: Draft, place: Place) -> str | None:
    """The words for a place; None where the application has no such place."""
    match place.kind:
        case Kind.APPLICATION:
            return "" if place == Place(Kind.APPLICATION) else None
        case Kind.SECTION:
            section = draft.schema.section(place.holder)
            return section.title if section else None
        case Kind.PARTY:
            party = draft.party(place.holder)
            return party.label if party else None
        case Kind.DOCUMENT:
            return _slot(draft, place)
    spec = spec_at(draft, place)
    return spec.label if spec else None


def whose(draft: Draft, place: Place) -> str:
    """The name of the party or class that it belongs to; nothing for what is the application's own, or gone."""
    party = draft.party(place.holder) if place.holder else None
    share_class = draft.share_class(place.holder) if place.holder else None
    return party.label if party else share_class.label if share_class else ""


def spec_at(draft: Draft, place: Place) -> FieldSpec | None:
    """The question at a place."""
    if place.kind is not Kind.FIELD:
        return None
    found = (spec for spec in _specs(draft, place.holder) if Place.of_field(place.holder, spec.name) == place)
    return next(found, None)


def _specs(draft: Draft, holder: str) -> Iterable[FieldSpec]:
    if (party := draft.party(holder)) is not None:
        return draft.schema.fields_of(party.kind, party.roles)
    if draft.share_class(holder) is not None:
        return draft.schema.share_class_fields
    section = draft.schema.section(holder)
    return section.fields if section is not None and section.is_entity else ()


def _slot(draft: Draft, place: Place) -> str | None:
    party = draft.party(place.holder) if place.holder else None
    if place.holder and party is None:
        return None
    slots = draft.form_state.slots(party.record if party else None)
    return next((one.name for one in slots if Place.of_document(place.holder, one.name) == place), None)
