"""Who holds how much, as bars. Widths are in percent, so that bars stretch and letters do not."""

from dataclasses import dataclass

_COLOURS = 8
_PATTERNS = 4
# A thinner slice would be a line without a word; these stand together as "Others". The table names each.
_THINNEST = 2.0


@dataclass(frozen=True, slots=True)
class Swatch:
    """The colour and the pattern that a holder keeps through table and bars."""

    colour: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Slice:
    """One holder's part of a bar."""

    label: str
    figure: str
    start: str
    width: str
    swatch: Swatch


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


def bar(label: str, holdings: list[tuple[str, int]]) -> Bar:
    """A class of shares as a bar, in the order of the table. At least one share is given."""
    total = sum(shares for _, shares in holdings)
    parts = [(swatch(place), name, shares) for place, (name, shares) in enumerate(holdings) if shares]
    wide = [part for part in parts if 100 * part[2] / total >= _THINNEST]
    thin = sum(part[2] for part in parts) - sum(part[2] for part in wide)
    if thin:
        wide.append((Swatch("f8", ""), "Others", thin))
    slices, start = [], 0.0
    for drawn, name, shares in wide:
        width = 100 * shares / total
        slices.append(Slice(name, f"{shares:,}", _percent(start), _percent(width), drawn))
        start += width
    said = ", ".join(f"{name} {_percent(100 * shares / total)}" for _, name, shares in parts)
    return Bar(label, f"{total:,} given", f"{label}: {said}", tuple(slices))


def _percent(part: float) -> str:
    return f"{part:.2f}".rstrip("0").rstrip(".") + "%"
