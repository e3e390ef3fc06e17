"""Colours: whatever is read or must be seen stands out from every ground, in both themes, and without them."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from formation_portal.core.static_files import bundle_css

CSS = Path(__file__).parents[1] / "static/css"
SHEETS = "".join(bundle_css(CSS / f"{name}.css") for name in ("index", "desk"))
THEMES = ("light", "dark")

_PAIR = re.compile(r"--(?P<name>[\w-]+): light-dark\((?P<light>#[0-9a-f]{6}), (?P<dark>#[0-9a-f]{6})\)")
TOKENS = {
    found["name"]: found for name in ("tokens", "series") for found in _PAIR.finditer((CSS / f"{name}.css").read_text())
}

SERIES = tuple(f"series-{number}" for number in range(1, 9))
# Every text may come to stand on every ground: 7:1 is WCAG's level AAA.
GROUNDS = ("paper", "sheet", "well", "petrol-wash", "warning-wash", "error-wash")
TEXTS = ("ink", "ink-2", "petrol", "petrol-deep", "good", "warning", "error")
# Words on a button, and the numbers in the bars of a chart.
FILLED = ("petrol", "petrol-deep", *SERIES)
# What must only be seen: the edge of a control, the ring of the focus, marks, the bars of the picture.
SEEN = ("edge", "focus", "petrol", "good", "warning", "error")
# Lines that part what space parts already.
DECORATION = ("rule", "spine")


def _luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """By the formula of WCAG 2.2."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def between(front: str, ground: str, theme: str) -> float:
    """The contrast of two tokens in a theme."""
    return contrast(TOKENS[front][theme], TOKENS[ground][theme])


def used(*properties: str) -> Iterator[str]:
    """Each colour token that stands anywhere in the style sheets as the value of one of these properties."""
    declarations = re.finditer(rf"(?<![\w-])(?:{'|'.join(properties)})\s*:\s*([^;}}]+)", SHEETS)
    for declaration in declarations:
        yield from (name for name in re.findall(r"var\(--([\w-]+)", declaration[1]) if name in TOKENS)


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_read_easily_and_controls_marks_and_pictures_are_seen(theme: str) -> None:
    for front, ground in (*product(TEXTS, GROUNDS), *product(["on-petrol"], FILLED)):
        assert between(front, ground, theme) >= 7, (front, ground)
    for front, ground in (*product(SEEN, GROUNDS), *product(SERIES, ["paper", "sheet"])):
        assert between(front, ground, theme) >= 3, (front, ground)


def test_no_text_and_no_ground_is_left_out_here() -> None:
    assert set(used("color", "--mark", "--button-ink")) <= {*TEXTS, "on-petrol"}
    grounds = {*GROUNDS, *FILLED, *SEEN, *TEXTS, "on-petrol", "spine"}
    assert set(used("background", "--button-ground", "--button-hover")) <= grounds
    lines = (r"border(?:-[\w-]+)?", "outline", "stroke", "--button-edge")
    assert set(used(*lines)) <= {*SEEN, *TEXTS, *SERIES, *DECORATION, "paper"}


def test_either_theme_can_be_chosen_against_the_system() -> None:
    """Colours follow `color-scheme` alone, so that the attribute need not know any of them."""
    tokens = (CSS / "tokens.css").read_text()
    assert "color-scheme: light dark" in tokens
    for theme in THEMES:
        assert f'[data-theme="{theme}"] {{ color-scheme: {theme}; }}' in tokens
    assert "prefers-color-scheme" not in SHEETS
    literal = re.findall(r"--[\w-]+: #[0-9a-f]{3,8}", tokens)
    assert literal == []


def test_where_the_system_gives_the_colours_ours_are_not_asked() -> None:
    start = SHEETS.index("@media (forced-colors:active)")
    block = SHEETS[start : SHEETS.index("@layer print", start)]
    colours = re.findall(r"(?<![\w-])(?:background|color|fill|border-color|outline):\s*([^;}]+)", block)
    system = {"Canvas", "CanvasText", "Highlight", "2px solid Highlight"}
    assert colours
    assert {one.strip() for one in colours} <= system
    # What is drawn by a background alone would be gone: the spine, and the bar beside what speaks up.
    assert re.search(r"\.lit::before,body::before\{background:CanvasText", block)
    # A chart keeps its colours, since they carry its meaning.
    assert ".bar{forced-color-adjust:none" in block


def test_print_is_read_on_white() -> None:
    assert "color-scheme: light; --paper: #fff; --sheet: #fff" in (CSS / "print.css").read_text()
    for front in TEXTS:
        assert contrast(TOKENS[front]["light"], "#ffffff") >= 7, front


def test_browsers_without_light_dark_get_every_light_colour() -> None:
    fallbacks = "".join(re.findall(r"@supports not \(color:light-dark\(#000,#fff\)\)\{(.*?)\}\}\}", SHEETS))
    given = dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", fallbacks))
    assert given == {name: token["light"] for name, token in TOKENS.items()}
    assert ":root{color-scheme:light;" in fallbacks
