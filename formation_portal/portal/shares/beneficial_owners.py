"""Who seems to be a beneficial owner by the shares: suggested with the arithmetic, never decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

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

# By whether the place's threshold is known, and whether it counts itself.
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
    """The section of the beneficial owners, while it is asked and takes persons."""
    asked = (section for section in roles.active_roles(draft) if section.role == canonical.BENEFICIAL_OWNER)
    return next((section for section in asked if section.allows(canonical.PERSON)), None)


@dataclass(frozen=True)
class BeneficialOwners:
    """All who count by the shares that are given, the rule with its source, and the tree, where somebody else stands
    behind a holder."""

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
    def suggested(self) -> list["SuggestedOwner"]:
        persons = (party for party in self.draft.parties if party.is_person)
        reaching = (party for party in persons if self.allocation.reaches_threshold(party))
        return [SuggestedOwner(self.draft, self.allocation, party) for party in reaching]

    @cached_property
    def unknown(self) -> list[tuple[PartyRow, str]]:
        """The companies that hold enough for somebody behind them to count, where not all their owners are known; and
        what is said of each."""
        shares, votes = self.allocation.final_shares, self.allocation.final_votes
        found = []
        for company in self.draft.parties:
            if self.allocation.may_hide_an_owner(company):
                part = max(shares.of(company.token), votes.of(company.token))
                is_of_shares = part == shares.of(company.token)
                percents = self.allocation.share_percents if is_of_shares else self.allocation.vote_percents
                said = gettext("{name} holds {part}.").format(name=company.label, part=percents.of(company.token, part))
                owners = owners_of(self.draft, company, self.allocation.typed_stakes)
                found.append((company, f"{said} {unaccounted_for(company, owners)}"))
        return found

    @cached_property
    def tree(self) -> tuple[OwnershipNode, ...]:
        return Ownership(self.draft, self.allocation, has_links=self.draft.application.can_be_changed).nodes

    @property
    def bar(self) -> Bar | None:
        """Where all shares end, in the order of the parties; none without a tree, or where all of it is in circles."""
        percents = self.allocation.share_percents
        ending = [party for party in self.draft.parties if self.tree and party.token in percents.final]
        ends = [(party.label, *percents.final[party.token]) for party in ending]
        return ownership_bar(gettext("Ultimate ownership"), ends, rest=percents.rest) if ends else None


@dataclass(frozen=True, slots=True)
class SuggestedOwner:
    """Somebody who counts, with the arithmetic."""

    draft: Draft
    allocation: Allocation
    party: PartyRow

    @property
    def has_role(self) -> bool:
        return canonical.BENEFICIAL_OWNER in self.party.roles

    @property
    def words(self) -> str:
        """Ada Lovelace holds 6,000 of 10,000 shares (60%); or what she comes to. Votes only where they are another
        part."""
        allocation, token = self.allocation, self.party.token
        shares, votes = allocation.final_shares.of(token), allocation.final_votes.of(token)
        said = {
            "name": self.party.label,
            "shares": self._held_of(allocation.held),
            "part": allocation.share_percents.of(token, shares),
            "votes": self._held_of(allocation.votes),
            "part_of_votes": allocation.vote_percents.of(token, votes),
        }
        has_other_votes = allocation.votes and votes != shares
        if allocation.is_owner(self.party):
            if has_other_votes:
                return gettext("{name} has {part} of the shares and {part_of_votes} of the votes:").format(**said)
            return gettext("{name} has {part} of the shares:").format(**said)
        if has_other_votes:
            return gettext("{name} holds {shares} shares ({part}) and {votes} votes ({part_of_votes}).").format(**said)
        return gettext("{name} holds {shares} shares ({part}).").format(**said)

    @property
    def steps(self) -> list[str]:
        """40% of Kite Holding, which holds 75%: 30%. A line for each company, and one for what they hold themselves."""
        allocation, token = self.allocation, self.party.token
        if not allocation.is_owner(self.party):
            return []
        steps = list(self._steps(allocation.held, allocation.final_shares, allocation.share_percents))
        if allocation.votes and allocation.final_votes.of(token) != allocation.final_shares.of(token):
            of_votes = self._steps(allocation.votes, allocation.final_votes, allocation.vote_percents)
            steps += [gettext("Votes: {step}").format(step=step) for step in of_votes]
        return steps

    def _steps(self, numbers: Mapping[str, int], ends: Parts, percents: Percentages) -> Iterator[str]:
        token = self.party.token
        if numbers.get(token):
            own = Fraction(numbers[token], sum(numbers.values()))
            yield gettext("{held} directly: {part}").format(held=self._held_of(numbers), part=percents.of(token, own))
        for company in self.draft.parties:
            stake = self.allocation.stakes.get(company.token, {}).get(token)
            if stake and (whole := ends.of(company.token)):
                owners = owners_of(self.draft, company, self.allocation.typed_stakes)
                percents_of_owners = {owner.party.token: owner.percent for owner in owners}
                yield gettext("{stake} of {name}, which holds {whole}: {part}").format(
                    stake=percents_of_owners[token],
                    name=company.label,
                    whole=percents.of(company.token, whole),
                    part=percents.of(token, stake * whole),
                )

    def _held_of(self, numbers: Mapping[str, int]) -> str:
        held, whole = numbers.get(self.party.token, 0), sum(numbers.values())
        return gettext("{held} of {all}").format(held=format_number(held), all=format_number(whole))
