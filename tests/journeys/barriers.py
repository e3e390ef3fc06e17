"""What keeps people out of a page: whatever axe finds, in either theme and at two widths, and scrolling sideways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab

_HEIGHT = 900
_CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
_IS_TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
_TOO_WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))"""


def barriers(tab: Tab) -> Iterator[str]:
    """Everything that is wrong with the page as it stands in the tab. Themes differ in colours alone."""
    axe = Axe()
    for width, scheme, options in (
        (1280, "light", {}),
        (1280, "dark", _CONTRAST),
        (320, "light", _CONTRAST),
        (320, "dark", {}),
    ):
        tab.set_viewport_size({"width": width, "height": _HEIGHT})
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        where = f"{tab.title()} ({tab.url}), {width} px, {scheme}"
        if tab.evaluate(_IS_TOO_WIDE):
            yield f"{where}: scrolls sideways: {tab.evaluate(_TOO_WIDE)}"
        for violation in axe.run(tab, options=options).response["violations"]:
            yield f"{where}: {_words(violation)}"


def _words(violation: dict[str, Any]) -> str:
    nodes = [f"{node['html'][:160]} | {node.get('failureSummary', '')[:200]}" for node in violation["nodes"][:3]]
    return f"{violation['id']}: {violation['help']}: {nodes}"
