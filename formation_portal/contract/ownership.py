"""Read stakes in companies (40%, 1/3, 400 of 1,000), follow them to their final owners, and show them in percent.

A part is an exact fraction of the whole, so that rounding never moves it across a threshold. Percentages are counted in
hundredths of a percent, and those of one whole add up to 100.00%. Hundredths that rounding leaves over go to the parts
with the largest remainders, but lift no part to a bound that it does not reach: the whole, or a threshold.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from types import MappingProxyType
from typing import NamedTuple

from .fields import parsing
from .fields.values import AnswerError
from .localisation import format_percentage, gettext, gettext_noop

# The owners' parts of companies, by the company's id and then the owner's.
Stakes = Mapping[str, Mapping[str, Fraction]]
NO_STAKES: Stakes = MappingProxyType({})

_NOTHING = Fraction(0)
_Flows = dict[str, dict[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The part from which a person is a beneficial owner in a place, with the source of the rule.

    `where` is the place with its article. If not `is_known`, the place has no rule, and the general rule is used.
    """

    percent: Fraction
    is_inclusive: bool
    where: str
    source: str
    is_known: bool = True

    def counts(self, part: Fraction) -> bool:
        return part * 100 >= self.percent if self.is_inclusive else part * 100 > self.percent


@dataclass(frozen=True, slots=True)
class Parts:
    """Each holder's part of the whole: `passing` through companies with known owners, or `final`.

    Final holders are people, foundations and companies without known owners. Stakes without a known owner, and those
    that companies own only in each other, have no final holder: the final parts may add up to less than the whole.
    """

    passing: Mapping[str, Fraction]
    final: Mapping[str, Fraction]

    def of(self, holder: str) -> Fraction:
        return self.passing.get(holder, _NOTHING) + self.final.get(holder, _NOTHING)


def trace_ownership(shares: Mapping[str, int], *, stakes: Stakes = NO_STAKES) -> Parts:
    """Follow every share to its final holder, exactly, also where companies own each other.

    The stakes in a company must not exceed the whole. One company after another is eliminated: its part goes to its
    owners. A company that then owns a part of itself passes everything on to its other owners in proportion, which is
    the limit of passing that part on to itself for ever.
    """
    whole = sum(shares.values())
    parts = {holder: Fraction(number, whole) for holder, number in shares.items() if number}
    flows: _Flows = {}
    for company, owners in stakes.items():
        flows[company] = {owner: part for owner, part in owners.items() if part}
    eliminated = [_eliminate(company, parts, flows) for company in stakes]
    passing: dict[str, Fraction] = {}
    for step in reversed(eliminated):
        received = sum((passing[other] * part for other, part in step.received_from.items()), _NOTHING)
        passing[step.company] = (step.own_part + received) * step.factor
    return Parts(passing, {holder: part for holder, part in parts.items() if part})


class _Eliminated(NamedTuple):
    """An eliminated company. If it owns half of itself, it passes on each part doubled: its factor is 2."""

    company: str
    own_part: Fraction
    received_from: dict[str, Fraction]
    factor: Fraction


def _eliminate(company: str, parts: dict[str, Fraction], flows: _Flows) -> _Eliminated:
    """Pass the parts of a company on to its owners, and remove the company."""
    owners = flows.pop(company)
    own_stake = owners.pop(company, _NOTHING)
    # Companies that own each other completely pass nothing on.
    factor = 1 / (1 - own_stake) if own_stake < 1 else Fraction(1)
    onward = {owner: part * factor for owner, part in owners.items()}
    own_part = parts.pop(company, _NOTHING)
    _add(parts, own_part, onward)
    received_from = {other: flow.pop(company) for other, flow in flows.items() if company in flow}
    for other, part in received_from.items():
        _add(flows[other], part, onward)
    return _Eliminated(company, own_part, received_from, factor)


def _add(parts: dict[str, Fraction], part: Fraction, owners: Mapping[str, Fraction]) -> None:
    """Add to each owner's part the owner's stake in `part`."""
    if part:
        for owner, stake in owners.items():
            parts[owner] = parts.get(owner, _NOTHING) + part * stake


_NOT_A_STAKE = gettext_noop("Enter {of} as a percentage, fraction or number, like 40%, 1/3 or 400 of 1,000")
_TOO_LONG = gettext_noop("Enter {of} with at most {limit} digits")
_NO_SIGN = gettext_noop("Enter {of} with a % sign or as a fraction, like 50% or 1/2")
_COUNT = re.compile(r"(?P<number>.+?)\s*(?:/|\bof\b)\s*(?P<all>.+?)(?:\s+shares?)?", re.IGNORECASE)
_MIXED = re.compile(r"(?P<whole>\d+)\s+(?P<rest>\d+\s*/\s*\d+)", re.ASCII)


def parse_stake(raw: object, *, of: str) -> Fraction:
    """Parse a typed stake into a part of the whole. Raises AnswerError with a message that calls the stake `of`."""
    text = parsing.ascii_digits(parsing.line(raw, label=of))
    number = text.rstrip(f"{parsing.PERCENT_SIGNS} ")
    has_sign = number != text
    # A plain number means percent, and so does a mixed number like 33 1/3.
    means_percent = not _COUNT.fullmatch(number) or _MIXED.fullmatch(number) is not None
    part = _parse(number, of)
    if has_sign or means_percent:
        part /= 100
    if part < 0:
        raise AnswerError("negative", gettext("Enter {of} as zero or more", of=of))
    if part > 1:
        raise AnswerError("too_much", gettext("Enter {of} as 100% or less", of=of))
    if means_percent and not has_sign and 0 < part * 100 < 1:
        raise AnswerError("no_sign", gettext(_NO_SIGN, of=of))
    return part


def _parse(text: str, of: str) -> Fraction:
    if mixed := _MIXED.fullmatch(text):
        return _number(mixed["whole"], of) + _parse(mixed["rest"], of)
    if count := _COUNT.fullmatch(text):
        number = _number(count["number"], of)
        total = _number(count["all"], of)
        if total <= 0:
            raise AnswerError("none_at_all", gettext(_NOT_A_STAKE, of=of))
        return number / total
    return _number(text, of)


def _number(text: str, of: str) -> Fraction:
    try:
        return Fraction(parsing.number(text, label=of))
    except AnswerError as error:
        message = _TOO_LONG if error.code == "too_many_digits" else _NOT_A_STAKE
        raise AnswerError(error.code, gettext(message, of=of, limit=parsing.DIGITS_LIMIT)) from None


WHOLE = 10_000
_ALL = (Fraction(1),)


def format_percent(part: Fraction) -> str:
    """Format a part as 33.33%, rounded down, so that it never seems to reach a bound that it does not."""
    return format_hundredths(part * WHOLE // 1)


def format_hundredths(hundredths: int) -> str:
    return format_percentage(Decimal(hundredths) / 100)


def hundredths_rounded_up(part: Fraction) -> int:
    """Round a part without a known owner up to hundredths of a percent, so that it never seems smaller than it is."""
    return ceil(part * WHOLE)


def apportion(
    parts: Sequence[Fraction], *, total: int = WHOLE, short_of: Collection[Fraction] = _ALL
) -> tuple[int, ...]:
    """Divide `total` hundredths among parts in proportion; round none up to a bound in `short_of`."""
    whole = sum(parts, Fraction(0))
    if not whole:
        return (0,) * len(parts)
    exact = [part / whole * total for part in parts]
    hundredths = [int(number) for number in exact]

    def order(place: int) -> tuple[bool, Fraction]:
        """Put the largest remainder first, and last the parts that one more hundredth lifts to a bound."""
        lifted = Fraction(hundredths[place] + 1, WHOLE)
        is_short = any(parts[place] < bound <= lifted for bound in short_of)
        return is_short, hundredths[place] - exact[place]

    for place in sorted(range(len(parts)), key=order)[: total - sum(hundredths)]:
        hundredths[place] += 1
    return tuple(hundredths)


def with_rest(parts: Sequence[Fraction], *, short_of: Collection[Fraction] = _ALL) -> tuple[tuple[int, ...], int]:
    """Return the hundredths of each part, and of the rest up to the whole, which the parts must not exceed."""
    rest = hundredths_rounded_up(1 - sum(parts, Fraction(0)))
    return apportion(parts, total=WHOLE - rest, short_of=short_of), rest


@dataclass(frozen=True, slots=True)
class Percentages:
    """Each holder's exact part and its hundredths, direct and final. `rest` are hundredths without a holder."""

    direct: Mapping[str, tuple[Fraction, int]]
    final: Mapping[str, tuple[Fraction, int]]
    rest: int

    def of(self, holder: str, part: Fraction) -> str:
        """Format a holder's part in percent, rounded as the holder's direct or final part if it equals that."""
        for figures in (self.direct, self.final):
            if holder in figures and figures[holder][0] == part:
                return format_hundredths(figures[holder][1])
        return format_percent(part)


def percentages_of(
    shares: Mapping[str, int], ends: Parts, *, unknown: Collection[str] = (), short_of: Collection[Fraction] = _ALL
) -> Percentages:
    """Return the percentages of direct and of final parts. The parts of `unknown` holders belong to the rest."""
    whole = sum(shares.values())
    if not whole:
        return Percentages({}, {}, WHOLE)
    parts = {holder: Fraction(number, whole) for holder, number in shares.items()}
    direct = _apportioned(parts, WHOLE, short_of)
    final: dict[str, tuple[Fraction, int]] = {}
    others: dict[str, Fraction] = {}
    for holder, part in ends.final.items():
        if holder in unknown:
            continue
        if parts.get(holder) == part:
            final[holder] = direct[holder]
        else:
            others[holder] = part
    rest = WHOLE - sum(hundredths for _, hundredths in final.values())
    if others:
        available = rest
        final_part = sum((part for part, _ in final.values()), _NOTHING) + sum(others.values(), _NOTHING)
        rest = min(available, hundredths_rounded_up(1 - final_part))
        final |= _apportioned(others, available - rest, short_of)
    return Percentages(direct, final, rest)


def _apportioned(
    parts: Mapping[str, Fraction], total: int, short_of: Collection[Fraction]
) -> dict[str, tuple[Fraction, int]]:
    hundredths = apportion(list(parts.values()), total=total, short_of=short_of)
    return {holder: (part, number) for (holder, part), number in zip(parts.items(), hundredths, strict=True)}
