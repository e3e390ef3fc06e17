"""What somebody comes to by their own shares and through companies, with the arithmetic in words."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import figure, say
from formation_portal.contract.ownership import Parts, known_parts
from formation_portal.contract.percent import Figures, percent

from .allocation import Allocation


def sums(allocation: Allocation, party: PartyRow) -> str:
    """Ada Lovelace holds 6,000 of 10,000 shares, 60%; or what she comes to. Votes only where they are another part."""
    shares, votes = allocation.in_the_end.of(party.token), allocation.votes_in_the_end.of(party.token)
    said = {
        "name": party.label,
        "shares": _of(allocation.held, party),
        "part": allocation.figures.of(party.token, shares),
    }
    part_of_votes = allocation.figures_of_votes.of(party.token, votes)
    of_votes = {"votes": _of(allocation.votes, party), "part_of_votes": part_of_votes}
    has_other_votes = allocation.votes and votes != shares
    if allocation.is_owner(party):
        if has_other_votes:
            return say("{name} has {part} of the shares and {part_of_votes} of the votes:", **said, **of_votes)
        return say("{name} has {part} of the shares:", **said)
    if has_other_votes:
        return say("{name} holds {shares} shares ({part}) and {votes} votes ({part_of_votes}).", **said, **of_votes)
    return say("{name} holds {shares} shares ({part}).", **said)


def steps(draft: Draft, allocation: Allocation, party: PartyRow) -> tuple[str, ...]:
    """40% of Kite Holding, which holds 75%: 30%. One line for each company, and one for what they hold themselves."""
    if not allocation.is_owner(party):
        return ()
    told = list(_steps(draft, allocation, party, allocation.held, allocation.in_the_end, allocation.figures))
    if allocation.votes and allocation.votes_in_the_end.of(party.token) != allocation.in_the_end.of(party.token):
        votes, figures = allocation.votes, allocation.figures_of_votes
        of_votes = _steps(draft, allocation, party, votes, allocation.votes_in_the_end, figures)
        told += [say("Votes: {step}", step=step) for step in of_votes]
    return tuple(told)


def _steps(
    draft: Draft, allocation: Allocation, party: PartyRow, numbers: Mapping[str, int], ends: Parts, figures: Figures
) -> Iterator[str]:
    if numbers.get(party.token):
        own = Fraction(numbers[party.token], sum(numbers.values()))
        yield say("{held} directly: {part}", held=_of(numbers, party), part=figures.of(party.token, own))
    for company in draft.parties:
        stake = known_parts(allocation.stakes.get(company.token, {})).get(party.token)
        if stake and (whole := ends.of(company.token)):
            words = {"stake": _stake(draft, allocation, company, party, stake), "name": company.label}
            whole_words, part = figures.of(company.token, whole), figures.of(party.token, stake * whole)
            yield say("{stake} of {name}, which holds {whole}: {part}", **words, whole=whole_words, part=part)


def _stake(draft: Draft, allocation: Allocation, company: PartyRow, party: PartyRow, stake: Fraction) -> str:
    """The owner's part of the company as the tree says it; in proportion where the owners come to more than all."""
    owners = owners_of(draft, company, allocation.typed_stakes)
    found = next((one for one in owners if one.party.token == party.token), None)
    return found.percent if found and found.part == stake else percent(stake)


def _of(numbers: Mapping[str, int], party: PartyRow) -> str:
    return say("{held} of {all}", held=figure(numbers.get(party.token, 0)), all=figure(sum(numbers.values())))
