"""Who holds how much, as bars. Widths are in percent, so that bars stretch and letters do not."""

from dataclasses import dataclass

from formation_portal.contract.language import figure, noted, say, say_count

from .percent import rounded

_COLOURS = 8
_PATTERNS = 4
# A thinner slice would be a line without a word; these stand together as "Others". The table names each.
_THINNEST = 2.0

# As many places as a width is drawn with.
_PLACES = "0.##"


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


def bar(label: str, holdings: list[tuple[str, int]], *, there_are: int | None = None) -> Bar:
    """A class of shares as a bar, in the order of the table, and then what is not given. At least one share is."""
    given = sum(shares for _, shares in holdings)
    total = max(given, there_are or 0)
    parts = [(swatch(place), name, shares) for place, (name, shares) in enumerate(holdings) if shares]
    wide = [part for part in parts if 100 * part[2] / total >= _THINNEST]
    thin = sum(part[2] for part in parts) - sum(part[2] for part in wide)
    if thin:
        wide.append((Swatch("f8", ""), say("Others"), thin))
    slices, start = [], 0.0
    for drawn, name, shares in wide:
        width = 100 * shares / total
        slices.append(Slice(name, figure(shares), _percent(start), _percent(width), drawn))
        start += width
    said = [f"{name} {rounded(shares, total, _PLACES)}" for _, name, shares in parts]
    if rest := total - given:
        slices.append(Slice(say("Not given"), figure(rest), _percent(start), _percent(100 * rest / total), None))
        said.append(say("{part} not yet given", part=rounded(rest, total, _PLACES)))
    return Bar(label, _figure(given, there_are), f"{label}: {', '.join(said)}", tuple(slices))


def _figure(given: int, there_are: int | None) -> str:
    if there_are is None:
        return say_count("{count} given", "{count} given", given)
    said = (
        noted("{given} of {there_are} given") if given <= there_are else noted("{given} given, {there_are} there are")
    )
    return say(said, given=figure(given), there_are=figure(there_are))


def _percent(part: float) -> str:
    """A width, as a style sheet writes it."""
    return f"{part:.2f}".rstrip("0").rstrip(".") + "%"
