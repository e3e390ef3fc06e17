"""What somebody comes to by their own shares and through companies, with the arithmetic in words."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow
from formation_portal.contract.language import figure, say
from formation_portal.contract.ownership import Parts, known_parts
from formation_portal.contract.percent import percent

from .allocation import Allocation


def sums(allocation: Allocation, party: PartyRow) -> str:
    """Ada Lovelace holds 6,000 of 10,000 shares, 60%; or what she comes to. Votes only where they are another part."""
    shares, votes = allocation.in_the_end.of(party.token), allocation.votes_in_the_end.of(party.token)
    said = {"name": party.label, "shares": _of(allocation.held, party), "part": percent(shares)}
    of_votes = {"votes": _of(allocation.votes, party), "part_of_votes": percent(votes)}
    has_other_votes = allocation.votes and votes != shares
    if allocation.is_owner(party):
        if has_other_votes:
            return say("{name} comes to {part} of shares and {part_of_votes} of votes:", **said, **of_votes)
        return say("{name} comes to {part} of shares:", **said)
    if has_other_votes:
        return say("{name} holds {shares} shares, {part}, and {votes} votes, {part_of_votes}.", **said, **of_votes)
    return say("{name} holds {shares} shares, {part}.", **said)


def steps(draft: Draft, allocation: Allocation, party: PartyRow) -> tuple[str, ...]:
    """40% of Kite Holding, which holds 75%: 30%. One line for each company, and one for what they hold themselves."""
    if not allocation.is_owner(party):
        return ()
    told = list(_steps(draft, allocation, party, allocation.held, allocation.in_the_end))
    if allocation.votes and allocation.votes_in_the_end.of(party.token) != allocation.in_the_end.of(party.token):
        of_votes = _steps(draft, allocation, party, allocation.votes, allocation.votes_in_the_end)
        told += [say("Votes: {step}", step=step) for step in of_votes]
    return tuple(told)


def _steps(
    draft: Draft, allocation: Allocation, party: PartyRow, numbers: Mapping[str, int], ends: Parts
) -> Iterator[str]:
    if numbers.get(party.token):
        own = Fraction(numbers[party.token], sum(numbers.values()))
        yield say("{held} directly: {part}", held=_of(numbers, party), part=percent(own))
    for company in draft.parties:
        stake = known_parts(allocation.stakes.get(company.token, {})).get(party.token)
        if stake and (whole := ends.of(company.token)):
            words = {"stake": percent(stake), "name": company.label, "whole": percent(whole)}
            yield say("{stake} of {name}, which holds {whole}: {part}", **words, part=percent(stake * whole))


def _of(numbers: Mapping[str, int], party: PartyRow) -> str:
    return say("{held} of {all}", held=figure(numbers.get(party.token, 0)), all=figure(sum(numbers.values())))
