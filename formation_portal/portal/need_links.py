"""Where each thing that is still needed can be mended: the page, and on it the very control."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.contract.field import FieldSpec, control_name
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.portal.slot_keys import anchor, party_control

from .slot_keys import slot_id, slot_key


@dataclass(frozen=True, slots=True)
class NeedLink:
    """One thing that is still needed, in words, with the way to it."""

    text: str
    url: str
    code: str


def need_links(draft: Draft, needs: Sequence[Need], *, back_to: str = "") -> tuple[NeedLink, ...]:
    """The needs with their addresses; `back_to` names the page to come back to after saving."""
    return tuple(NeedLink(need.text, need_url(draft, need, back_to=back_to), need.code) for need in needs)


def need_url(draft: Draft, need: Need, *, back_to: str = "") -> str:
    """The address of the control that the need is about, or of the page where it is mended."""
    page, place = _place(draft, need)
    return f"{page}{f'?next={back_to}' if back_to else ''}{f'#{place}' if place else ''}"


def _place(draft: Draft, need: Need) -> tuple[str, str]:
    reference = draft.application.reference
    if need.slot is not None:
        return reverse("portal:documents", args=[reference]), slot_id(slot_key(need.party_id, need.slot))
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        return reverse("portal:shares", args=[reference]), ""
    if need.party_id is not None:
        return reverse("portal:party", args=[reference, need.party_id]), _party_anchor(draft, need)
    if need.share_class_id is not None and need.field:
        spec = _spec(draft.schema.share_class_fields, need.field)
        url = reverse("portal:share_class", args=[reference, need.share_class_id])
        return url, anchor(control_name(spec)) if spec else ""
    section = draft.schema.section(need.section)
    return _section_url(reference, section), _entity_anchor(section, need)


def _party_anchor(draft: Draft, need: Need) -> str:
    party = draft.party(need.party_id or "")
    spec = _spec(draft.schema.fields_of(party.kind, party.roles), need.field) if party else None
    return anchor(party_control(spec)) if spec else ""


def _entity_anchor(section: Section | None, need: Need) -> str:
    spec = _spec(section.fields, need.field) if section and section.is_entity else None
    return anchor(control_name(spec)) if spec else ""


def _section_url(reference: str, section: Section | None) -> str:
    if section is None:
        return reverse("portal:overview", args=[reference])
    if section.is_entity:
        return reverse("portal:section", args=[reference, section.key])
    return reverse("portal:shares" if section.is_share_structure else "portal:people", args=[reference])


def _spec(specs: tuple[FieldSpec, ...], name: str | None) -> FieldSpec | None:
    return next((spec for spec in specs if spec.name == name), None)
