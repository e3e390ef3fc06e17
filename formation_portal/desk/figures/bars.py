"""Bars of a row, drawn on the server. Lengths are in percent, so that a bar is as wide as its cell."""

from collections.abc import Iterable
from dataclasses import dataclass

from formation_portal.ui.charts import Swatch


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar: where it begins, and how long it is."""

    start: str
    width: str
    swatch: Swatch


@dataclass(frozen=True, slots=True)
class Bar:
    """The pieces of a row's bar, and a stroke across it where there is one."""

    parts: tuple[Part, ...] = ()
    stroke: str = ""


def bar(lengths: Iterable[tuple[float, Swatch]], *, longest: float) -> Bar:
    """Pieces one after the other; `longest` is what would fill the cell."""
    parts, start = [], 0.0
    for length, swatch in lengths:
        if length > 0:
            parts.append(Part(percent(start / longest), percent(length / longest), swatch))
            start += length
    return Bar(tuple(parts))


def span_bar(first: float, middle: float, last: float, swatch: Swatch, *, longest: float) -> Bar:
    """From one value to another, with a stroke at what lies between."""
    if not longest:
        return Bar()
    piece = Part(percent(first / longest), percent((last - first) / longest), swatch)
    return Bar((piece,), percent(middle / longest))


def percent(part: float) -> str:
    """A length of SVG, which knows no other notation than this."""
    return f"{part * 100:.2f}".rstrip("0").rstrip(".") + "%"
