"""Bar charts of shares and ownership. Widths are in percent, so that bars stretch and letters do not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from django.utils.translation import gettext

from formation_portal.contract.localisation import colon, format_number, ngettext
from formation_portal.contract.ownership import WHOLE, format_hundredths, with_rest

_COLOURS = 8
_PATTERNS = 4
# Thinner slices have no room for labels and are joined as "Others". The table names each of them.
_THINNEST = Fraction(2, 100)
# The least width of a bar in pixels: on a telephone, beside the margin, and with the rail's column besides. A label is
# drawn from the first width that has room for it, so that no number is ever cut off.
_BARS = ((256, "from-narrow"), (500, "from-medium"), (880, "from-wide"))
_LETTER, _AROUND = 9, 18


@dataclass(frozen=True, slots=True)
class Swatch:
    """The colour and the pattern that a holder keeps through table and bars."""

    colour: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Slice:
    """A holder's part of a bar, and the part of the bar before it. A slice without a swatch has no known holder."""

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

    def _fits(self, label: str) -> str:
        """Return the name of the narrowest bar whose slice has room for the label, or "never"."""
        needed = (len(label) * _LETTER + _AROUND) / self.part
        return next((name for width, name in _BARS if needed <= width), "never")


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    figure: str
    sentence: str
    slices: tuple[Slice, ...]


def swatch(place: int) -> Swatch:
    pattern = place % _PATTERNS
    return Swatch(f"f{place % _COLOURS + 1}", f"p{pattern + 1}" if pattern else "")


def share_bar(
    label: str,
    holdings: Sequence[tuple[str, int]],
    *,
    there_are: int | None = None,
    short_of: Collection[Fraction] = (),
) -> Bar:
    """Draw a share class as a bar of holders, then the rest. No figure is rounded up to a bound in `short_of`."""
    allocated = sum(shares for _, shares in holdings)
    total = max(allocated, there_are or 0)
    parts = [
        Slice(name, format_number(shares), Fraction(shares, total), swatch(place))
        for place, (name, shares) in enumerate(holdings)
        if shares
    ]
    thin = sum(shares for _, shares in holdings if 0 < Fraction(shares, total) < _THINNEST)
    figures, remainder = with_rest([part.part for part in parts], short_of=short_of)
    phrases = [f"{part.label} {format_hundredths(figure)}" for part, figure in zip(parts, figures, strict=True)]
    rest = []
    if total > allocated:
        part = Fraction(total - allocated, total)
        rest.append(Slice(gettext("Not allocated"), format_number(total - allocated), part, None))
        phrases.append(gettext("{part} not allocated").format(part=format_hundredths(remainder)))
    if there_are is None:
        figure = ngettext("{count} allocated", "{count} allocated", allocated)
    else:
        numbers = {"given": format_number(allocated), "there_are": format_number(there_are)}
        figure = gettext("{given} of {there_are} allocated").format(**numbers)
    return Bar(label, figure, f"{label}{colon()}{', '.join(phrases)}", _slices(parts, format_number(thin), rest))


def ownership_bar(label: str, ends: Sequence[tuple[str, Fraction, int]], *, rest: int) -> Bar:
    """Draw the final owners (name, exact part, hundredths of a percent) as a bar, and then the part of `rest`."""
    parts = [
        Slice(name, format_hundredths(figure), part, swatch(place)) for place, (name, part, figure) in enumerate(ends)
    ]
    total = sum((part for _, part, _ in ends), Fraction(0))
    thin = sum(figure for _, part, figure in ends if part < _THINNEST)
    phrases = [f"{part.label} {part.figure}" for part in parts]
    unknown = []
    if total < 1:
        unknown.append(Slice(gettext("Unknown owner"), format_hundredths(rest), 1 - total, None))
        phrases.append(gettext("{part} unknown owner").format(part=format_hundredths(rest)))
    figure_known = gettext("{part} known").format(part=format_hundredths(WHOLE - rest))
    summary = f"{label}{colon()}{', '.join(phrases)}"
    return Bar(label, figure_known, summary, _slices(parts, format_hundredths(thin), unknown))


def _slices(parts: Sequence[Slice], thin: str, rest: Sequence[Slice]) -> tuple[Slice, ...]:
    """Place the wide slices, the thin slices joined, and the rest, each where the previous ends."""
    slices = [part for part in parts if part.part >= _THINNEST]
    if others := sum((part.part for part in parts if part.part < _THINNEST), Fraction(0)):
        slices.append(Slice(gettext("Others"), thin, others, Swatch("f8", "")))
    slices += rest
    before = accumulate((part.part for part in slices), initial=Fraction(0))
    return tuple(replace(part, before=start) for part, start in zip(slices, before, strict=False))


def _length(part: Fraction) -> str:
    return f"{float(part * 100):.2f}".rstrip("0").rstrip(".") + "%"
