"""Parts of a whole in percent, in the notation of the page. Parts of one whole add up to 100.00%.

Figures are counted in hundredths of a percent. What is left over by rounding goes to the largest remainders, but lifts
nobody to a bound that they don't reach: to all of it, or to the part from which on somebody counts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from ..localisation import format_number, get_language
from .stakes import Parts

WHOLE = 10_000
_ALL_OF_IT = (Fraction(1),)


def format_percent(part: Fraction) -> str:
    """60%, or 33.33%, of a part that stands alone: cut off, so that nobody seems to reach what they don't."""
    return format_hundredths(part * WHOLE // 1)


def format_hundredths(hundredths: int) -> str:
    """33.33% from 3333."""
    number = format_number(Decimal(hundredths) / 100)
    return number + ("%" if get_language() == "en" else "\u00a0%")


def hundredths_rounded_up(part: Fraction) -> int:
    """The hundredths of what is left of a whole: what nobody is known to have never seems less than it is."""
    return ceil(part * WHOLE)


def apportion(
    parts: Sequence[Fraction], *, total: int = WHOLE, short_of: Collection[Fraction] = _ALL_OF_IT
) -> tuple[int, ...]:
    """The hundredths of each part; together they are `total`, in the proportion of the parts."""
    whole = sum(parts, Fraction(0))
    if not whole:
        return (0,) * len(parts)
    exact = [part / whole * total for part in parts]
    found = [int(one // 1) for one in exact]

    def turn(place: int) -> tuple[bool, Fraction]:
        lifted = Fraction(found[place] + 1, WHOLE)
        return any(parts[place] < bound <= lifted for bound in short_of), found[place] - exact[place]

    for place in sorted(range(len(parts)), key=turn)[: total - sum(found)]:
        found[place] += 1
    return tuple(found)


def with_rest(parts: Sequence[Fraction], *, short_of: Collection[Fraction] = _ALL_OF_IT) -> tuple[tuple[int, ...], int]:
    """The hundredths of parts that are at most the whole together, and of what is left of it."""
    rest = hundredths_rounded_up(1 - sum(parts, Fraction(0)))
    return apportion(parts, total=WHOLE - rest, short_of=short_of), rest


@dataclass(frozen=True, slots=True)
class Percentages:
    """What each holder has of the whole, directly and in the end, as one figure wherever it stands.

    `rest` is what comes to nobody that is known.
    """

    direct: Mapping[str, tuple[Fraction, int]]
    final: Mapping[str, tuple[Fraction, int]]
    rest: int

    def of(self, holder: str, part: Fraction) -> str:
        """The part of that holder in percent."""
        for known in (self.direct, self.final):
            if holder in known and known[holder][0] == part:
                return format_hundredths(known[holder][1])
        return format_percent(part)


def percentages_of(
    held: Mapping[str, int], ends: Parts, *, unknown: Collection[str] = (), short_of: Collection[Fraction] = _ALL_OF_IT
) -> Percentages:
    """The figures of what is held and of where it ends; what ends with an `unknown` holder is part of the rest."""
    whole = sum(held.values())
    if not whole:
        return Percentages({}, {}, WHOLE)
    parts = {holder: Fraction(number, whole) for holder, number in held.items()}
    hundredths = apportion(list(parts.values()), short_of=short_of)
    direct = {holder: (parts[holder], one) for holder, one in zip(parts, hundredths, strict=True)}
    known = {holder: part for holder, part in ends.final.items() if holder not in unknown}
    final = {holder: direct[holder] for holder, part in known.items() if parts.get(holder) == part}
    others = {holder: part for holder, part in known.items() if holder not in final}
    left = WHOLE - sum(one for _, one in final.values())
    rest = min(left, hundredths_rounded_up(1 - sum(known.values(), Fraction(0)))) if others else left
    shared = apportion(list(others.values()), total=left - rest, short_of=short_of)
    final |= {holder: (others[holder], one) for holder, one in zip(others, shared, strict=True)}
    return Percentages(direct, final, rest)
