"""What keeps people out of a page: what axe finds in both themes and at two widths, scrolling sideways, empty paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pypdfium2
import pypdfium2.raw
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page as Tab

from tests.journeys.browser import IS_TOO_WIDE

WIDE, NARROW, HEIGHT = 1280, 320, 900
# Widths in pixels with sizes of text in percent (WCAG 1.4.4); 400 % of 1280 px is the narrow view (1.4.10).
_SIZES = ((WIDE, 200), (1000, 150), (768, 200), (390, 150))
_BRAND = "Formation Portal"

# Only what was violated, and what it was; lists of all that is well take longer than the search.
_ALL = {"resultTypes": ["violations"]}
_CONTRAST = _ALL | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
View = tuple[int, Literal["light", "dark"], dict[str, Any]]
EVERY_VIEW: tuple[View, ...] = (
    (WIDE, "light", _ALL),
    # Themes differ in nothing but colours, so that the rest is looked for once a width.
    (WIDE, "dark", _CONTRAST),
    (NARROW, "dark", _ALL),
    (NARROW, "light", _CONTRAST),
)
NARROW_AND_DARK: tuple[View, ...] = ((NARROW, "dark", _ALL),)
_FIND = "async (options) => (await axe.run(options)).violations"
_TOO_WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))"""


def barriers(tab: Tab, views: tuple[View, ...] = EVERY_VIEW) -> Iterator[str]:
    tab.evaluate(AXE_SCRIPT)
    for width, scheme, options in views:
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        tab.emulate_media(color_scheme=scheme)
        where = f"{tab.title()} ({tab.url}), {width} px, {scheme}"
        if tab.evaluate(IS_TOO_WIDE):
            yield f"{where}: scrolls sideways: {tab.evaluate(_TOO_WIDE)}"
        for violation in tab.evaluate(_FIND, options):
            yield f"{where}: {_words(violation)}"


def too_wide(tab: Tab) -> Iterator[str]:
    """Where the page scrolls sideways with larger text; leaves it as it was."""
    for width, percent in _SIZES:
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        tab.evaluate("(percent) => { document.documentElement.style.fontSize = `${percent}%`; }", percent)
        if tab.evaluate(IS_TOO_WIDE):
            yield f"{tab.url}, text at {percent} % of {width} px, scrolls sideways: {tab.evaluate(_TOO_WIDE)}"
    tab.evaluate("() => document.documentElement.style.removeProperty('font-size')")


def badly_printed(tab: Tab, papers: tuple[str, ...]) -> Iterator[str]:
    """Sheets of paper with nothing on them, or with no more than the name of the portal."""
    for paper in papers:
        document = pypdfium2.PdfDocument(tab.pdf(format=paper, margin=dict.fromkeys(("top", "bottom"), "1cm")))
        try:
            sheets = [_shown(sheet) for sheet in document]
        finally:
            document.close()
        empty = [number for number, text in enumerate(sheets, 1) if text in ("", _BRAND)]
        if empty:
            yield f"{tab.url} printed on {paper}: sheets {empty} of {len(sheets)} are empty"


def _shown(sheet: pypdfium2.PdfPage) -> str:
    """The words of a sheet; of one without, whether it has a picture."""
    has_picture = any(sheet.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]))
    return sheet.get_textpage().get_text_bounded().strip() or ("picture" if has_picture else "")


def _words(violation: dict[str, Any]) -> str:
    nodes = [f"{node['html'][:160]} | {node.get('failureSummary', '')[:200]}" for node in violation["nodes"][:3]]
    return f"{violation['id']}: {violation['help']}: {nodes}"
