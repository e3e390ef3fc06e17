"""What keeps people out of a page: whatever axe finds, in either theme and at two widths, and scrolling sideways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page as Tab

WIDE, NARROW, HEIGHT = 1280, 320, 900

# Only what was violated, and what it was; lists of all that is well take longer than the search.
_ALL = {"resultTypes": ["violations"]}
_CONTRAST = _ALL | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
_VIEWS: tuple[tuple[int, Literal["light", "dark"], dict[str, Any]], ...] = (
    (WIDE, "light", _ALL),
    # Themes differ in nothing but colours, so that the rest is looked for once a width.
    (WIDE, "dark", _CONTRAST),
    (NARROW, "dark", _ALL),
    (NARROW, "light", _CONTRAST),
)
_FIND = "async (options) => (await axe.run(options)).violations"
_IS_TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
_TOO_WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))"""


def barriers(tab: Tab) -> Iterator[str]:
    """Everything that is wrong with the page as it stands in the tab."""
    tab.evaluate(AXE_SCRIPT)
    for width, scheme, options in _VIEWS:
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        tab.emulate_media(color_scheme=scheme)
        where = f"{tab.title()} ({tab.url}), {width} px, {scheme}"
        if tab.evaluate(_IS_TOO_WIDE):
            yield f"{where}: scrolls sideways: {tab.evaluate(_TOO_WIDE)}"
        for violation in tab.evaluate(_FIND, options):
            yield f"{where}: {_words(violation)}"


def _words(violation: dict[str, Any]) -> str:
    nodes = [f"{node['html'][:160]} | {node.get('failureSummary', '')[:200]}" for node in violation["nodes"][:3]]
    return f"{violation['id']}: {violation['help']}: {nodes}"
