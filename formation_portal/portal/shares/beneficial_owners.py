"""Suggest beneficial owners by their shares, and show the arithmetic. The customer decides."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import format_number
from formation_portal.contract.ownership import Parts, Percentages, format_percent
from formation_portal.contract.schema import Section
from formation_portal.ui import roles
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Bar, ownership_bar
from formation_portal.ui.ownership import Ownership, unaccounted_for

# Keyed by the threshold's is_known and is_inclusive.
_RULES = {
    (True, True): gettext_noop("In {where}, anyone with {part} or more of the shares or votes counts as {role}."),
    (True, False): gettext_noop("In {where}, anyone with more than {part} of the shares or votes counts as {role}."),
    (False, True): gettext_noop(
        "We don’t know the threshold for {where}, so anyone with {part} or more of the shares or "
        "votes counts as {role}."
    ),
    (False, False): gettext_noop(
        "We don’t know the threshold for {where}, so anyone with more than {part} of the shares or "
        "votes counts as {role}."
    ),
}


def beneficial_owner_section(draft: Draft) -> Section | None:
    for section in roles.active_roles(draft):
        if section.role == canonical.BENEFICIAL_OWNER and section.allows(canonical.PERSON):
            return section
    return None


def beneficial_owners(draft: Draft, allocation: Allocation) -> dict[str, Any]:
    """Describe the suggested owners, the rule with its source, and the owners of companies that hold shares.

    Return {} unless the form asks for beneficial owners and shares are allocated.
    """
    section = beneficial_owner_section(draft)
    if section is None or not allocation.total_allocated:
        return {}
    role = roles.role_with_article(section)
    threshold = allocation.threshold
    rule = gettext(_RULES[threshold.is_known, threshold.is_inclusive])
    part = format_percent(threshold.percent / 100)
    suggested: list[dict[str, Any]] = []
    for party in draft.parties:
        if party.is_person and allocation.reaches_threshold(party):
            owner = {
                "party": party,
                "has_role": canonical.BENEFICIAL_OWNER in party.roles,
                "words": _words(allocation, party),
                "steps": _steps(draft, allocation, party),
            }
            suggested.append(owner)
    tree = Ownership(draft, allocation, has_links=draft.application.can_be_changed).nodes
    return {
        "role": role,
        "rule": rule.format(where=threshold.where, part=part, role=role),
        "source": threshold.source,
        "suggested": suggested,
        "unknown": _companies_with_unknown_owners(draft, allocation),
        "tree": tree,
        "bar": tree and _ultimate_ownership(draft, allocation),
    }


def _companies_with_unknown_owners(draft: Draft, allocation: Allocation) -> list[tuple[PartyRow, str]]:
    """Return companies whose unknown owners may include a beneficial owner, each with a sentence."""
    companies: list[tuple[PartyRow, str]] = []
    for company in draft.parties:
        if allocation.may_hide_an_owner(company):
            shares = allocation.final_shares.of(company.token)
            votes = allocation.final_votes.of(company.token)
            part = allocation.share_percents.of(company.token, shares)
            if votes > shares:
                part = allocation.vote_percents.of(company.token, votes)
            sentence = gettext("{name} holds {part}.").format(name=company.label, part=part)
            owners = owners_of(draft, company, allocation.typed_stakes)
            companies.append((company, f"{sentence} {unaccounted_for(company, owners)}"))
    return companies


def _ultimate_ownership(draft: Draft, allocation: Allocation) -> Bar | None:
    """Draw the ultimate ownership of the shares; None if the owners only own one another."""
    percents = allocation.share_percents
    ends = [(party.label, *percents.final[party.token]) for party in draft.parties if party.token in percents.final]
    return ownership_bar(gettext("Ultimate ownership"), ends, rest=percents.rest) if ends else None


def _words(allocation: Allocation, party: PartyRow) -> str:
    """Say "Ada Lovelace holds 6,000 of 10,000 shares (60%)". Votes are named only if their part differs."""
    token = party.token
    shares = allocation.final_shares.of(token)
    votes = allocation.final_votes.of(token)
    has_other_votes = allocation.votes and votes != shares
    if allocation.is_owner(party):
        sentence = gettext("{name} has {part} of the shares:")
        if has_other_votes:
            sentence = gettext("{name} has {part} of the shares and {part_of_votes} of the votes:")
    else:
        sentence = gettext("{name} holds {shares} shares ({part}).")
        if has_other_votes:
            sentence = gettext("{name} holds {shares} shares ({part}) and {votes} votes ({part_of_votes}).")
    return sentence.format(
        name=party.label,
        shares=_held_of(allocation.held, party),
        part=allocation.share_percents.of(token, shares),
        votes=_held_of(allocation.votes, party),
        part_of_votes=allocation.vote_percents.of(token, votes),
    )


def _steps(draft: Draft, allocation: Allocation, party: PartyRow) -> list[str]:
    """Return a line for each company owned, like "40% of Kite Holding, which holds 75%: 30%", and for own shares."""
    if not allocation.is_owner(party):
        return []
    steps = _steps_of(draft, allocation, party, allocation.held, allocation.final_shares, allocation.share_percents)
    if allocation.votes and allocation.final_votes.of(party.token) != allocation.final_shares.of(party.token):
        votes = _steps_of(draft, allocation, party, allocation.votes, allocation.final_votes, allocation.vote_percents)
        steps += [gettext("Votes: {step}").format(step=step) for step in votes]
    return steps


def _steps_of(
    draft: Draft,
    allocation: Allocation,
    party: PartyRow,
    numbers: Mapping[str, int],
    ends: Parts,
    percents: Percentages,
) -> list[str]:
    token = party.token
    steps: list[str] = []
    if numbers.get(token):
        part = percents.of(token, Fraction(numbers[token], sum(numbers.values())))
        steps.append(gettext("{held} directly: {part}").format(held=_held_of(numbers, party), part=part))
    for company in draft.parties:
        stake = allocation.stakes.get(company.token, {}).get(token)
        if stake and (whole := ends.of(company.token)):
            owners = owners_of(draft, company, allocation.typed_stakes)
            sentence = gettext("{stake} of {name}, which holds {whole}: {part}").format(
                stake=next(owner.percent for owner in owners if owner.party.token == token),
                name=company.label,
                whole=percents.of(company.token, whole),
                part=percents.of(token, stake * whole),
            )
            steps.append(sentence)
    return steps


def _held_of(numbers: Mapping[str, int], party: PartyRow) -> str:
    values = {"held": format_number(numbers.get(party.token, 0)), "all": format_number(sum(numbers.values()))}
    return gettext("{held} of {all}").format(**values)
