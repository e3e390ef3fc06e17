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

# Where companies own each other, what goes round halves at least as often as this before it is left out.
_ROUNDS_IN_A_CIRCLE = 50


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


def final_parts(held: Mapping[str, int], *, stakes: Stakes = NOBODY_KNOWN) -> dict[str, Fraction]:
    """Each holder's part of all that is held, where it ends: a company with known owners passes its part on to them.

    What goes round between companies that own each other is followed until it hardly matters, and then left out; so
    is what nobody is known to own. The parts together are therefore at most the whole.
    """
    whole = sum(held.values())
    moving = {holder: Fraction(number, whole) for holder, number in held.items() if number} if whole else {}
    ended: dict[str, Fraction] = {}
    for _ in range(len(stakes) + _ROUNDS_IN_A_CIRCLE):
        if not moving:
            break
        moving = _one_step(moving, stakes, ended)
    return ended


def _one_step(moving: Mapping[str, Fraction], stakes: Stakes, ended: dict[str, Fraction]) -> dict[str, Fraction]:
    passed: dict[str, Fraction] = {}
    for holder, part in moving.items():
        if holder not in stakes:
            ended[holder] = ended.get(holder, Fraction(0)) + part
            continue
        # Owners that are said to hold more than all of it share what there is.
        whole = max(Fraction(1), sum(stakes[holder].values(), Fraction(0)))
        for owner, stake in stakes[holder].items():
            passed[owner] = passed.get(owner, Fraction(0)) + part * stake / whole
    return passed
