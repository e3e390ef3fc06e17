"""Whose a company is in the end: parts of the whole, directly and through other companies, and when a part counts.

Parts are exact fractions, so that somebody at the very threshold is never rounded to its other side.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

# Who owns which part of a company, by the company's id and then the owner's.
Stakes = Mapping[str, Mapping[str, Fraction]]
NOBODY_KNOWN: Stakes = MappingProxyType({})

_NOTHING = Fraction(0)
_Flows = dict[str, dict[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which part on a person counts as a beneficial owner somewhere, and who says so.

    `percent` itself counts where `is_inclusive`. `where` is the place with its article; `is_known` is false where
    nothing is known of the place, and the general threshold is taken.
    """

    percent: Fraction
    is_inclusive: bool
    where: str
    source: str
    is_known: bool = True

    def counts(self, part: Fraction) -> bool:
        """Whether somebody with this part of the whole counts."""
        return part * 100 >= self.percent if self.is_inclusive else part * 100 > self.percent


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of all that is held: what comes to each company with known owners, and where it ends.

    `final` holds people, foundations and companies of which nothing is known. What nobody is known to own, and what
    companies own of each other alone, ends with nobody: the parts together are at most the whole.
    """

    passing: Mapping[str, Fraction]
    final: Mapping[str, Fraction]

    def of(self, holder: str) -> Fraction:
        """The holder's part, wherever it ends."""
        return self.passing.get(holder, _NOTHING) + self.final.get(holder, _NOTHING)


def parts(held: Mapping[str, int], *, stakes: Stakes = NOBODY_KNOWN) -> Parts:
    """Follow every share to its end, exactly, also where companies own each other.

    One company after another is taken out, and what it has goes straight to its owners. A company that then owns a part
    of itself passes on the rest in the proportion of the others, which is what going round for ever comes to.
    """
    whole = sum(held.values())
    moving = {holder: Fraction(number, whole) for holder, number in held.items() if number} if whole else {}
    flows = {company: known_parts(owners) for company, owners in stakes.items()}
    taken_out = [_take_out(company, moving, flows) for company in stakes]
    passing: dict[str, Fraction] = {}
    for company, had, came_from, rounds in reversed(taken_out):
        passed = sum((passing[other] * part for other, part in came_from.items()), _NOTHING)
        passing[company] = (had + passed) * rounds
    return Parts(passing, {holder: part for holder, part in moving.items() if part})


def _take_out(
    company: str, moving: dict[str, Fraction], flows: _Flows
) -> tuple[str, Fraction, dict[str, Fraction], Fraction]:
    """Take one out; what it had, what came to it from the companies that are left, and how often that goes round."""
    owners = flows.pop(company)
    # Nothing gets out of companies that own each other whole.
    kept = owners.pop(company, _NOTHING)
    rounds = 1 / (1 - kept) if kept < 1 else Fraction(1)
    onward = {owner: part * rounds for owner, part in owners.items()}
    had = moving.pop(company, _NOTHING)
    _add(moving, had, onward)
    came_from = {other: flow.pop(company) for other, flow in flows.items() if company in flow}
    for other, part in came_from.items():
        _add(flows[other], part, onward)
    return company, had, came_from, rounds


def _add(to: dict[str, Fraction], part: Fraction, owners: Mapping[str, Fraction]) -> None:
    if part:
        for owner, stake in owners.items():
            to[owner] = to.get(owner, _NOTHING) + part * stake


def known_parts(owners: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The owners' parts; where they are said to hold more than all of it, they share what there is."""
    whole = max(Fraction(1), sum(owners.values(), _NOTHING))
    return {owner: stake / whole for owner, stake in owners.items() if stake}


def not_accounted_for(owners: Mapping[str, Fraction]) -> Fraction:
    """The part of a company of which nobody is known to own it; below zero where its owners hold more than all."""
    return 1 - sum(owners.values(), _NOTHING)
