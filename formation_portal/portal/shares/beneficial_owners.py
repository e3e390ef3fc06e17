"""Suggest the beneficial owners by shares, with the arithmetic. The customer decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
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
from formation_portal.ui.ownership import Ownership, OwnershipNode, unaccounted_for

# By is_known and is_inclusive of the threshold.
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


@dataclass(frozen=True)
class BeneficialOwners:
    """The suggested owners, the rule with its source, and the tree of owners behind companies that hold shares."""

    draft: Draft
    allocation: Allocation
    section: Section

    @property
    def role(self) -> str:
        return roles.role_with_article(self.section)

    @property
    def rule(self) -> str:
        threshold = self.allocation.threshold
        part = format_percent(threshold.percent / 100)
        rule = _RULES[threshold.is_known, threshold.is_inclusive]
        return gettext(rule).format(where=threshold.where, part=part, role=self.role)

    @cached_property
    def suggested(self) -> list[dict[str, Any]]:
        """Return the persons who reach the threshold, with the arithmetic."""
        suggested: list[dict[str, Any]] = []
        for party in self.draft.parties:
            if party.is_person and self.allocation.reaches_threshold(party):
                owner = {
                    "party": party,
                    "has_role": canonical.BENEFICIAL_OWNER in party.roles,
                    "words": self._words(party),
                    "steps": self._steps(party),
                }
                suggested.append(owner)
        return suggested

    @cached_property
    def unknown(self) -> list[tuple[PartyRow, str]]:
        """Return the companies with unknown owners behind whom a beneficial owner may stand, each with a sentence."""
        allocation = self.allocation
        companies: list[tuple[PartyRow, str]] = []
        for company in self.draft.parties:
            if allocation.may_hide_an_owner(company):
                shares = allocation.final_shares.of(company.token)
                votes = allocation.final_votes.of(company.token)
                part = allocation.share_percents.of(company.token, shares)
                if votes > shares:
                    part = allocation.vote_percents.of(company.token, votes)
                sentence = gettext("{name} holds {part}.").format(name=company.label, part=part)
                owners = owners_of(self.draft, company, allocation.typed_stakes)
                companies.append((company, f"{sentence} {unaccounted_for(company, owners)}"))
        return companies

    @cached_property
    def tree(self) -> tuple[OwnershipNode, ...]:
        return Ownership(self.draft, self.allocation, has_links=self.draft.application.can_be_changed).nodes

    @property
    def bar(self) -> Bar | None:
        """Draw who owns the shares ultimately; None without a tree, or if everybody in it owns one another."""
        if not self.tree:
            return None
        percents = self.allocation.share_percents
        owners = [party for party in self.draft.parties if party.token in percents.final]
        ends = [(party.label, *percents.final[party.token]) for party in owners]
        return ownership_bar(gettext("Ultimate ownership"), ends, rest=percents.rest) if ends else None

    def _words(self, party: PartyRow) -> str:
        """Say "Ada Lovelace holds 6,000 of 10,000 shares (60%)". Votes are named only if they are another part."""
        allocation = self.allocation
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

    def _steps(self, party: PartyRow) -> list[str]:
        """Return a line for each company, like "40% of Kite Holding, which holds 75%: 30%", and for direct holdings."""
        allocation = self.allocation
        if not allocation.is_owner(party):
            return []
        steps = self._steps_of(party, allocation.held, allocation.final_shares, allocation.share_percents)
        if allocation.votes and allocation.final_votes.of(party.token) != allocation.final_shares.of(party.token):
            votes = self._steps_of(party, allocation.votes, allocation.final_votes, allocation.vote_percents)
            steps += [gettext("Votes: {step}").format(step=step) for step in votes]
        return steps

    def _steps_of(self, party: PartyRow, numbers: Mapping[str, int], ends: Parts, percents: Percentages) -> list[str]:
        token = party.token
        steps: list[str] = []
        if numbers.get(token):
            part = percents.of(token, Fraction(numbers[token], sum(numbers.values())))
            steps.append(gettext("{held} directly: {part}").format(held=_held_of(numbers, party), part=part))
        for company in self.draft.parties:
            stake = self.allocation.stakes.get(company.token, {}).get(token)
            if stake and (whole := ends.of(company.token)):
                owners = owners_of(self.draft, company, self.allocation.typed_stakes)
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
