"""What the form asks of each role that a party has: how many there have to be, and which documents."""

from collections.abc import Collection
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.schema import Section
from formation_portal.ui.roles import capitalised, kind_with_article, role_reason, role_title, role_with_article

from .answer_words import for_agents


@dataclass(frozen=True, slots=True)
class PaperRule:
    """One document that the role asks for."""

    name: str
    is_required: bool
    is_there: bool


@dataclass(frozen=True, slots=True)
class RoleRule:
    """One role; `objection` says why it counts nowhere, `role_reason` what has led to the role or its minimum."""

    title: str
    help: str
    count: str
    why: str
    papers: tuple[PaperRule, ...]
    objection: str = ""


def role_rules(draft: Draft, party: PartyRow) -> tuple[RoleRule, ...]:
    """The party's roles, in the order of the form."""
    there = draft.documents_of(party)
    return tuple(_rule(draft, party, one, there.keys()) for one in draft.schema.sections_of(party.roles))


def _rule(draft: Draft, party: PartyRow, section: Section, there: Collection[str]) -> RoleRule:
    if not section.allows(party.kind):
        objection = f"{capitalised(kind_with_article(party.kind))} can’t be {role_with_article(section)} in this form."
        return RoleRule(role_title(section), "", "", "", (), objection)
    if not draft.form_state.section_activation(section).active:
        return RoleRule(
            role_title(section), "", "", for_agents(role_reason(draft, section)), (), "Does not apply at the moment."
        )
    papers = tuple(PaperRule(one.name, one.required, one.name in there) for one in section.slots(party.kind))
    return RoleRule(
        role_title(section), section.help, _count(draft, section), for_agents(role_reason(draft, section)), papers
    )


def _count(draft: Draft, section: Section) -> str:
    needed, there = draft.form_state.minimum_of(section).count, draft.form_state.count_parties(section)
    least = f"At least {needed} required" if needed else "Optional"
    return f"{least}, {there} added."
