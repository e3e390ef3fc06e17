"""Stakes in companies: as people type them (40%, 1/3, 400 of 1,000), followed to the owners at their end, in percent.

Parts are exact fractions, so that somebody at the very threshold is never rounded to its other side. Percentages are
counted in hundredths, and those of one whole add up to 100.00%. What is left over by rounding goes to the largest
remainders, but lifts nobody to a bound that they don't reach: to all of it, or to the part from which on somebody
counts.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from types import MappingProxyType

from .fields import parsing
from .fields.values import AnswerError
from .localisation import format_percentage, gettext, gettext_noop

# Who owns which part of a company, by the company's id and then the owner's.
Stakes = Mapping[str, Mapping[str, Fraction]]
NO_STAKES: Stakes = MappingProxyType({})

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


def trace_ownership(held: Mapping[str, int], *, stakes: Stakes = NO_STAKES) -> Parts:
    """Follow every share to its end, exactly, also where companies own each other.

    The stakes in one company must not exceed the whole. One company after another is taken out, and what it has goes
    straight to its owners. A company that then owns a part of itself passes on the rest in the proportion of the
    others, which is what going round for ever comes to.
    """
    whole = sum(held.values())
    moving = {holder: Fraction(number, whole) for holder, number in held.items() if number} if whole else {}
    flows = {company: {owner: part for owner, part in owners.items() if part} for company, owners in stakes.items()}
    taken_out = [_eliminate(company, moving, flows) for company in stakes]
    passing: dict[str, Fraction] = {}
    for company, had, came_from, rounds in reversed(taken_out):
        passed = sum((passing[other] * part for other, part in came_from.items()), _NOTHING)
        passing[company] = (had + passed) * rounds
    return Parts(passing, {holder: part for holder, part in moving.items() if part})


def _eliminate(
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


def unknown_part(owners: Mapping[str, Fraction]) -> Fraction:
    """Return the part of a company that has no known owner."""
    return 1 - sum(owners.values(), _NOTHING)


_NOT_A_STAKE = gettext_noop("Enter {of} as a percentage, fraction or number, like 40%, 1/3 or 400 of 1,000")
_TOO_LONG = gettext_noop("Enter {of} with at most {limit} digits")
_NO_SIGN = gettext_noop("Enter {of} with a % sign or as a fraction, like 50% or 1/2")
_COUNT = re.compile(r"(?P<some>.+?)\s*(?:/|\bof\b)\s*(?P<all>.+?)(?:\s+shares?)?", re.IGNORECASE)
_MIXED = re.compile(r"(?P<whole>\d+)\s+(?P<rest>\d+\s*/\s*\d+)", re.ASCII)
# A comma before three digits may stand between thousands; before one, two or more than three it can't.
_DECIMAL_COMMA = re.compile(r"(\d{1,3}),(\d{1,2}|\d{4,})", re.ASCII)


def parse_stake(raw: object, *, of: str) -> Fraction:
    """The part that was typed. Raises AnswerError with the way out, naming whose part `of` it is."""
    text = parsing.ascii_digits(parsing.line(raw, label=of))
    is_percent, bare = text.endswith("%"), text.removesuffix("%").strip()
    part = _parse(bare, of) / 100 if is_percent or _is_percent(bare) else _parse(bare, of)
    if part < 0:
        raise AnswerError("negative", gettext("Enter {of} as zero or more", of=of))
    if part > 1:
        raise AnswerError("too_much", gettext("Enter {of} as 100% or less", of=of))
    if not is_percent and _is_percent(bare) and 0 < part * 100 < 1:
        raise AnswerError("no_sign", gettext(_NO_SIGN, of=of))
    return part


def _is_percent(bare: str) -> bool:
    """A number alone means percent, and so does one with a fraction behind it."""
    return not _COUNT.fullmatch(bare) or _MIXED.fullmatch(bare) is not None


def _parse(bare: str, of: str) -> Fraction:
    if mixed := _MIXED.fullmatch(bare):
        return _number(mixed["whole"], of) + _parse(mixed["rest"], of)
    if count := _COUNT.fullmatch(bare):
        some, there_are = _number(count["some"], of), _number(count["all"], of)
        if there_are <= 0:
            raise AnswerError("none_at_all", gettext(_NOT_A_STAKE, of=of))
        return some / there_are
    return _number(bare, of)


def _number(text: str, of: str) -> Fraction:
    whole = _DECIMAL_COMMA.fullmatch(text)
    with_point = f"{whole[1]}.{whole[2]}" if whole else text
    try:
        return Fraction(parsing.number(with_point, label=of))
    except AnswerError as error:
        said = _TOO_LONG if error.code == "too_many_digits" else _NOT_A_STAKE
        raise AnswerError(error.code, gettext(said, of=of, limit=parsing.DIGITS_LIMIT)) from None


WHOLE = 10_000
_ALL_OF_IT = (Fraction(1),)


def format_percent(part: Fraction) -> str:
    """60%, or 33.33%, of a part that stands alone: cut off, so that nobody seems to reach what they don't."""
    return format_hundredths(part * WHOLE // 1)


def format_hundredths(hundredths: int) -> str:
    """33.33% from 3333."""
    return format_percentage(Decimal(hundredths) / 100)


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
