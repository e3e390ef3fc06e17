"""The contrast of two colours like `#12515b` (WCAG 2.2), and an accent colour's variants for both themes."""

import colorsys
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TOKENS = Path(__file__).resolve().parents[2] / "static/css/tokens.css"
_TOKEN = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
_MINIFIED_TOKEN = re.compile(r"(--[\w-]+:)light-dark\((#[0-9a-f]{6}),#[0-9a-f]{6}\)")
_BACKGROUNDS = ("paper", "sheet", "well", "warning-wash", "error-wash")
# The least contrast of text at each level of WCAG 2.2. The portal's own colours reach AAA.
AA = 4.5
AAA = 7.0
_STEP = 0.005
# A more saturated colour glares on a dark background.
_MAX_SATURATION_IN_DARK = 0.7


def contrast(colour1: str, colour2: str) -> float:
    """Return the contrast by WCAG's formula, from 1 to 21."""
    darker, lighter = sorted([_luminance(colour1), _luminance(colour2)])
    return (lighter + 0.05) / (darker + 0.05)


def without_light_dark(css: str) -> str:
    """Return a rule with the light colours of minified CSS, for browsers without `light-dark()`; "" for no colours."""
    tokens = "".join(f"{name}{light};" for name, light in _MINIFIED_TOKEN.findall(css))
    if not tokens:
        return ""
    return f"@supports not (color:light-dark(#000,#fff)){{@layer tokens{{:root{{color-scheme:light;{tokens}}}}}}}"


@cache
def portal_colours() -> dict[str, tuple[str, str]]:
    """Return the style sheet's colours for the light and the dark theme, by their names."""
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(_TOKENS.read_text())}


@dataclass(frozen=True, slots=True)
class Accent:
    """The colours of links, buttons and current items, each as a pair: for the light and for the dark theme."""

    plain: tuple[str, str]
    # The colour of hovered links and buttons.
    deep: tuple[str, str]
    # The colour of a background behind text.
    wash: tuple[str, str]

    @classmethod
    def of_portal(cls) -> "Accent":
        colours = portal_colours()
        return cls(colours["petrol"], colours["petrol-deep"], colours["petrol-wash"])

    @classmethod
    def derived_from(cls, colour: str) -> "Accent":
        """Use the colour in the light theme, and a variant light enough for text in the dark theme."""
        colour = colour.lower()
        hue, lightness, saturation = colorsys.rgb_to_hls(*_components(colour))
        dark = _readable_in_dark(hue, lightness, min(saturation, _MAX_SATURATION_IN_DARK))
        deep = _from_hls(hue, lightness * 0.75 if lightness > 0.12 else lightness + 0.1, saturation)
        return cls(
            plain=(colour, dark),
            deep=(deep, _mixed(dark, "#ffffff", 0.35)),
            wash=(_mixed("#ffffff", colour, 0.1), _mixed(portal_colours()["paper"][1], dark, 0.12)),
        )

    @property
    def css(self) -> str:
        colours = {"petrol": self.plain, "petrol-deep": self.deep, "petrol-wash": self.wash}
        tokens = "".join(f"--{name}:light-dark({light},{dark});" for name, (light, dark) in colours.items())
        css = f"@layer tokens{{:root{{{tokens}}}}}"
        return css + without_light_dark(css)

    def faults(self, least: float = AA) -> Iterator[str]:
        """Yield a line for each text and background whose contrast is less than `least`."""
        colours = portal_colours()
        for theme, theme_name in enumerate(("light", "dark")):
            plain = self.plain[theme]
            button_text = colours["on-petrol"][theme]
            pairs = [(plain, f"on {name}", colours[name][theme]) for name in _BACKGROUNDS]
            pairs.append((plain, "on its wash", self.wash[theme]))
            pairs.append((plain, "under a button's words", button_text))
            pairs.append((self.deep[theme], "when hovered", button_text))
            for colour, where, other in pairs:
                ratio = contrast(colour, other)
                if ratio < least:
                    yield f"{theme_name} theme, {colour} {where} ({other}): {ratio:.1f}:1"


def nearest_readable(colour: str) -> str:
    """Darken the colour until text in it can be read on every background."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*_components(colour))
    while lightness > 0 and any(Accent.derived_from(colour).faults()):
        lightness -= _STEP
        colour = _from_hls(hue, max(0.0, lightness), saturation)
    return colour


def _readable_in_dark(hue: float, lightness: float, saturation: float) -> str:
    """Lighten the colour until text in it can be read on every background of the dark theme."""
    backgrounds = [portal_colours()[name][1] for name in _BACKGROUNDS]
    colour = _from_hls(hue, lightness, saturation)
    while lightness < 1 and any(contrast(colour, background) < AAA for background in backgrounds):
        lightness = min(1.0, lightness + _STEP)
        colour = _from_hls(hue, lightness, saturation)
    return colour


def _luminance(colour: str) -> float:
    luminance = 0.0
    for component, weight in zip(_components(colour), (0.2126, 0.7152, 0.0722), strict=True):
        linear = component / 12.92 if component <= 0.04045 else ((component + 0.055) / 1.055) ** 2.4
        luminance += weight * linear
    return luminance


def _components(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue, from 0 to 1."""
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def _from_hls(hue: float, lightness: float, saturation: float) -> str:
    return _hex(colorsys.hls_to_rgb(hue, lightness, saturation))


def _mixed(background: str, colour: str, share: float) -> str:
    pairs = zip(_components(background), _components(colour), strict=True)
    return _hex(below * (1 - share) + above * share for below, above in pairs)


def _hex(components: Iterable[float]) -> str:
    return "#" + "".join(f"{round(component * 255):02x}" for component in components)
