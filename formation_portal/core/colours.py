"""Colours that carry text: how well two can be told apart (WCAG 2.2), and an accent's variants for both themes.

A colour is a text like `#12515b`. The grounds that text stands on are those of `static/css/tokens.css`.
"""

import colorsys
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TOKENS = Path(__file__).resolve().parents[2] / "static/css/tokens.css"
_TOKEN = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
_MINIFIED_TOKEN = re.compile(r"(--[\w-]+:)light-dark\((#[0-9a-f]{6}),#[0-9a-f]{6}\)")
_GROUNDS = ("paper", "sheet", "well", "heed-wash", "stop-wash")
# WCAG 2.2: level AA, and AAA, which the portal's own colours keep.
AA, AAA = 4.5, 7.0
_STEP = 0.005
# A dark ground makes a strong colour glare.
_STRONGEST_IN_DARK = 0.7


def contrast(one: str, other: str) -> float:
    """From 1 to 21, by WCAG's formula."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def without_light_dark(css: str) -> str:
    """Return the rules that give each token of minified CSS its light colour in browsers without `light-dark()`."""
    tokens = "".join(f"{name}{light};" for name, light in _MINIFIED_TOKEN.findall(css))
    if not tokens:
        return ""
    return f"@supports not (color:light-dark(#000,#fff)){{@layer tokens{{:root{{color-scheme:light;{tokens}}}}}}}"


@cache
def house_colours() -> dict[str, tuple[str, str]]:
    """Each colour of the style sheet by its name, for the light and for the dark theme."""
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(_TOKENS.read_text())}


@dataclass(frozen=True, slots=True)
class Accent:
    """What acts: links, buttons and what is current. Each a pair, for the light and for the dark theme."""

    plain: tuple[str, str]
    # Under the pointer.
    deep: tuple[str, str]
    # A ground that text may stand on.
    wash: tuple[str, str]

    @classmethod
    def of_house(cls) -> "Accent":
        """The portal's own."""
        colours = house_colours()
        return cls(colours["petrol"], colours["petrol-deep"], colours["petrol-wash"])

    @classmethod
    def derived_from(cls, colour: str) -> "Accent":
        """The colour itself where it is light; where it is dark the same hue, as light as text there has to be."""
        colour = colour.lower()
        hue, lightness, saturation = _hls(colour)
        dark = _lightest_needed(hue, lightness, min(saturation, _STRONGEST_IN_DARK))
        deep = _from_hls(hue, lightness * 0.75 if lightness > 0.12 else lightness + 0.1, saturation)
        return cls(
            plain=(colour, dark),
            deep=(deep, _mixed(dark, "#ffffff", 0.35)),
            wash=(_mixed("#ffffff", colour, 0.1), _mixed(house_colours()["paper"][1], dark, 0.12)),
        )

    @property
    def css(self) -> str:
        """A style sheet that puts it in the place of the portal's own."""
        named = {"petrol": self.plain, "petrol-deep": self.deep, "petrol-wash": self.wash}
        tokens = "".join(f"--{name}:light-dark({light},{dark});" for name, (light, dark) in named.items())
        css = f"@layer tokens{{:root{{{tokens}}}}}"
        return css + without_light_dark(css)

    def faults(self, least: float = AA) -> Iterator[str]:
        """Where text would be hard to read: in which theme, what on what, and how near they are."""
        colours = house_colours()
        for theme, name in enumerate(("light", "dark")):
            grounds = {ground: colours[ground][theme] for ground in _GROUNDS} | {"its wash": self.wash[theme]}
            pairs = [(self.plain[theme], ground, f"on {title}") for title, ground in grounds.items()]
            written = colours["on-petrol"][theme]
            pairs += [
                (self.plain[theme], written, "under a button's words"),
                (self.deep[theme], written, "when hovered"),
            ]
            for one, other, where in pairs:
                if (reached := contrast(one, other)) < least:
                    yield f"{name} theme, {one} {where} ({other}): {reached:.1f}:1"


def nearest_readable(colour: str) -> str:
    """The same hue, as much darker as it has to be to carry text."""
    hue, lightness, saturation = _hls(colour)
    while lightness > 0 and any(Accent.derived_from(colour).faults()):
        lightness -= _STEP
        colour = _from_hls(hue, max(0.0, lightness), saturation)
    return colour


def _lightest_needed(hue: float, lightness: float, saturation: float) -> str:
    grounds = [house_colours()[ground][1] for ground in _GROUNDS]
    colour = _from_hls(hue, lightness, saturation)
    while lightness < 1 and any(contrast(colour, ground) < AAA for ground in grounds):
        lightness = min(1.0, lightness + _STEP)
        colour = _from_hls(hue, lightness, saturation)
    return colour


def _luminance(colour: str) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _hls(colour: str) -> tuple[float, float, float]:
    return colorsys.rgb_to_hls(*_parts(colour))


def _from_hls(hue: float, lightness: float, saturation: float) -> str:
    return _hex(colorsys.hls_to_rgb(hue, lightness, saturation))


def _mixed(ground: str, colour: str, share: float) -> str:
    pairs = zip(_parts(ground), _parts(colour), strict=True)
    return _hex((under * (1 - share) + over * share) for under, over in pairs)


def _hex(parts: "Iterator[float] | tuple[float, float, float]") -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
