"""Charts of who holds how much. Widths are in percent, so that bars stretch and letters do not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from formation_portal.contract.localisation import format_number, gettext, ngettext
from formation_portal.contract.stakes import WHOLE, format_hundredths, with_rest

_COLOURS = 8
_PATTERNS = 4
# A thinner slice would be a line without a word; these stand together as "Others". The table names each.
_THINNEST = Fraction(2, 100)
# How wide a bar is at least, in pixels: on a telephone, beside the margin, and with the rail's column besides. A word
# is drawn from the first on that it fits into, so that no number is ever cut off.
_BARS = ((256, "from-narrow"), (500, "from-medium"), (880, "from-wide"))
_LETTER, _AROUND = 9, 18


@dataclass(frozen=True, slots=True)
class Swatch:
    """The colour and the pattern that a holder keeps through table and bars."""

    colour: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Slice:
    """One holder's part of a bar; without a swatch, what is not given yet."""

    label: str
    figure: str
    start: str
    width: str
    swatch: Swatch | None
    label_from: str
    figure_from: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One class; the sentence says all of it to those who do not see it."""

    label: str
    figure: str
    sentence: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class _UnplacedSlice:
    """A slice before it is placed: its words, its part of the bar, and how it is drawn."""

    label: str
    figure: str
    part: Fraction
    swatch: Swatch | None


def swatch(place: int) -> Swatch:
    """What the holder in that place of the table is drawn with."""
    pattern = place % _PATTERNS
    return Swatch(f"f{place % _COLOURS + 1}", f"p{pattern + 1}" if pattern else "")


def share_bar(
    label: str,
    holdings: Sequence[tuple[str, int]],
    *,
    there_are: int | None = None,
    short_of: Collection[Fraction] = (),
) -> Bar:
    """A class of shares as a bar, in the order of the table, and then what is not given. At least one share is.

    No figure is rounded up to a part that it is `short_of`.
    """
    given = sum(shares for _, shares in holdings)
    total = max(given, there_are or 0)
    parts = [
        _UnplacedSlice(name, format_number(shares), Fraction(shares, total), swatch(place))
        for place, (name, shares) in enumerate(holdings)
        if shares
    ]
    thin = sum(shares for _, shares in holdings if 0 < Fraction(shares, total) < _THINNEST)
    hundredths, left = with_rest([one.part for one in parts], short_of=short_of)
    said = [f"{one.label} {format_hundredths(of_it)}" for one, of_it in zip(parts, hundredths, strict=True)]
    rest = Fraction(total - given, total)
    slices = _with_others(parts, format_number(thin))
    if rest:
        slices.append(_UnplacedSlice(gettext("Not allocated"), format_number(total - given), rest, None))
        said.append(gettext("{part} not allocated", part=format_hundredths(left)))
    return Bar(label, _figure(given, there_are), f"{label}: {', '.join(said)}", _placed(slices))


def ownership_bar(label: str, ends: Sequence[tuple[str, Fraction, int]], *, rest: int) -> Bar:
    """Where all shares end, through companies, as a bar, and then what is not accounted for.

    Each end is a name, its exact part, and the same in hundredths of a percent; with `rest` these are the whole.
    """
    parts = [
        _UnplacedSlice(name, format_hundredths(of_it), part, swatch(at)) for at, (name, part, of_it) in enumerate(ends)
    ]
    known = sum((part for _, part, _ in ends), Fraction(0))
    thin = sum(of_it for _, part, of_it in ends if part < _THINNEST)
    said = [f"{one.label} {one.figure}" for one in parts]
    slices = _with_others(parts, format_hundredths(thin))
    if known < 1:
        slices.append(_UnplacedSlice(gettext("Unknown owner"), format_hundredths(rest), 1 - known, None))
        said.append(gettext("{part} unknown owner", part=format_hundredths(rest)))
    known_words = gettext("{part} known", part=format_hundredths(WHOLE - rest))
    return Bar(label, known_words, f"{label}: {', '.join(said)}", _placed(slices))


def _with_others(parts: Sequence[_UnplacedSlice], thin: str) -> list[_UnplacedSlice]:
    """The wide ones, and the thin ones together."""
    wide = [one for one in parts if one.part >= _THINNEST]
    together = sum((one.part for one in parts), Fraction(0)) - sum((one.part for one in wide), Fraction(0))
    return [*wide, _UnplacedSlice(gettext("Others"), thin, together, Swatch("f8", ""))] if together else wide


def _placed(parts: Sequence[_UnplacedSlice]) -> tuple[Slice, ...]:
    slices, start = [], Fraction(0)
    for one in parts:
        fits = _fits(one.label, one.part), _fits(one.figure, one.part)
        slices.append(Slice(one.label, one.figure, _length(start), _length(one.part), one.swatch, *fits))
        start += one.part
    return tuple(slices)


def _fits(words: str, part: Fraction) -> str:
    """From which bar on there is room for the words in that part of it."""
    needed = (len(words) * _LETTER + _AROUND) / part
    return next((name for width, name in _BARS if needed <= width), "never")


def _figure(given: int, there_are: int | None) -> str:
    if there_are is None:
        return ngettext("{count} allocated", "{count} allocated", given)
    return gettext("{given} of {there_are} allocated", given=format_number(given), there_are=format_number(there_are))


def _length(part: Fraction) -> str:
    """A length of SVG, which knows no other notation than this."""
    return f"{float(part * 100):.2f}".rstrip("0").rstrip(".") + "%"
