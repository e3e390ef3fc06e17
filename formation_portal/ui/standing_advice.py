"""List the advice that a customer left standing, for the check page and the desk (INTERFACE.md, "Advice")."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.advice import Advice, advice_of
from formation_portal.contract.ownership import format_percent

from .allocation import Allocation


def standing_advice(draft: Draft, allocation: Allocation) -> tuple[Advice, ...]:
    return (*advice_of(draft.form_state), *owner_advice(draft, allocation))


def owner_advice(draft: Draft, allocation: Allocation) -> Iterator[Advice]:
    """Yield advice about people who reach the threshold but are no beneficial owners, and the other way round."""
    sections = [section for section in draft.active_role_sections if section.role == canonical.BENEFICIAL_OWNER]
    if not sections:
        return
    for party in draft.parties:
        if not party.is_person:
            continue
        is_owner = canonical.BENEFICIAL_OWNER in draft.form_state.active_roles(party.record)
        part = _part_of(draft, allocation, party)
        values = {"name": party.label, "part": format_percent(part)}
        if not is_owner and allocation.threshold.counts(part):
            text = gettext("{name} has {part} of the company, but is not named as a beneficial owner")
            yield Advice("not_an_owner", text.format(**values), sections[0].key, party_id=party.token)
        elif is_owner and not part and not draft.needs_of_party(party.token) and not _states_control(draft, party):
            text = gettext("{name} is named as a beneficial owner, but has no shares, votes or control")
            yield Advice("owner_of_nothing", text.format(**values), sections[0].key, party_id=party.token)


def _part_of(draft: Draft, allocation: Allocation, party: PartyRow) -> Fraction:
    """Return the largest of the party's parts: of the shares, of the votes, and as answered in percent."""
    stated = _answer(draft, party, "ownership_percentage")
    parts = [allocation.final_shares.of(party.token), allocation.final_votes.of(party.token)]
    if stated is not None:
        parts.append(Fraction(stated) / 100)
    return max(parts)


def _states_control(draft: Draft, party: PartyRow) -> bool:
    return bool(_answer(draft, party, "nature_of_control"))


def _answer(draft: Draft, party: PartyRow, property_name: str) -> Any:
    """Return the party's active answer with the canonical property, or None."""
    for spec, value in draft.form_state.active_answers(party.record):
        if canonical.property_of(spec.canonical_field) == property_name:
            return value
    return None
