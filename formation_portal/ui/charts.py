"""Charts of who holds how much. Widths are in percent, so that bars stretch and letters do not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from django.utils.translation import gettext

from formation_portal.contract.localisation import colon, format_number, ngettext
from formation_portal.contract.ownership import WHOLE, format_hundredths, with_rest

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
    """One holder's part of a bar, and how much of the bar stands before it; without a swatch, what is not given yet."""

    label: str
    figure: str
    part: Fraction
    swatch: Swatch | None
    before: Fraction = Fraction(0)

    @property
    def start(self) -> str:
        return _length(self.before)

    @property
    def width(self) -> str:
        return _length(self.part)

    @property
    def label_from(self) -> str:
        return self._fits(self.label)

    @property
    def figure_from(self) -> str:
        return self._fits(self.figure)

    def _fits(self, words: str) -> str:
        """From which bar on there is room for the words in this part of it."""
        needed = (len(words) * _LETTER + _AROUND) / self.part
        return next((name for width, name in _BARS if needed <= width), "never")


@dataclass(frozen=True, slots=True)
class Bar:
    """One class; the sentence says all of it to those who do not see it."""

    label: str
    figure: str
    sentence: str
    slices: tuple[Slice, ...]


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
        Slice(name, format_number(shares), Fraction(shares, total), swatch(place))
        for place, (name, shares) in enumerate(holdings)
        if shares
    ]
    thin = sum(shares for _, shares in holdings if 0 < Fraction(shares, total) < _THINNEST)
    hundredths, left = with_rest([one.part for one in parts], short_of=short_of)
    said = [f"{one.label} {format_hundredths(of_it)}" for one, of_it in zip(parts, hundredths, strict=True)]
    rest = []
    if total > given:
        part = Fraction(total - given, total)
        rest.append(Slice(gettext("Not allocated"), format_number(total - given), part, None))
        said.append(gettext("{part} not allocated").format(part=format_hundredths(left)))
    if there_are is None:
        figure = ngettext("{count} allocated", "{count} allocated", given)
    else:
        numbers = {"given": format_number(given), "there_are": format_number(there_are)}
        figure = gettext("{given} of {there_are} allocated").format(**numbers)
    return Bar(label, figure, f"{label}{colon()}{', '.join(said)}", _slices(parts, format_number(thin), rest))


def ownership_bar(label: str, ends: Sequence[tuple[str, Fraction, int]], *, rest: int) -> Bar:
    """Where all shares end, through companies, as a bar, and then what is not accounted for.

    Each end is a name, its exact part, and the same in hundredths of a percent; with `rest` these are the whole.
    """
    parts = [Slice(name, format_hundredths(of_it), part, swatch(at)) for at, (name, part, of_it) in enumerate(ends)]
    known = sum((part for _, part, _ in ends), Fraction(0))
    thin = sum(of_it for _, part, of_it in ends if part < _THINNEST)
    said = [f"{one.label} {one.figure}" for one in parts]
    unknown = []
    if known < 1:
        unknown.append(Slice(gettext("Unknown owner"), format_hundredths(rest), 1 - known, None))
        said.append(gettext("{part} unknown owner").format(part=format_hundredths(rest)))
    known_words = gettext("{part} known").format(part=format_hundredths(WHOLE - rest))
    summary = f"{label}{colon()}{', '.join(said)}"
    return Bar(label, known_words, summary, _slices(parts, format_hundredths(thin), unknown))


def _slices(parts: Sequence[Slice], thin: str, rest: Sequence[Slice]) -> tuple[Slice, ...]:
    """The wide ones, the thin ones together, and the rest, each behind the one before it."""
    found = [one for one in parts if one.part >= _THINNEST]
    if together := sum((one.part for one in parts if one.part < _THINNEST), Fraction(0)):
        found.append(Slice(gettext("Others"), thin, together, Swatch("f8", "")))
    found += rest
    before = accumulate((one.part for one in found), initial=Fraction(0))
    return tuple(replace(one, before=start) for one, start in zip(found, before, strict=False))


def _length(part: Fraction) -> str:
    """A length of SVG, which knows no other notation than this."""
    return f"{float(part * 100):.2f}".rstrip("0").rstrip(".") + "%"
