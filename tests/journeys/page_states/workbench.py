"""States of the workbench: empty, a sound schema, one with people and shares, and one with faults."""

import json
from collections.abc import Iterator

from playwright.sync_api import Page as Tab

from tests.journeys.page_states.screenshots import Shot, press
from tests.other_service import schemas

_PRODUCT = "/workbench/?product=bvi-limited-company"


def workbench_states() -> Iterator[Shot]:
    """Each for an agent; nothing has to be there but the catalog."""
    yield Shot("workbench", "/workbench/", who="agent")
    yield Shot("workbench-product", _PRODUCT, who="agent")
    yield Shot("workbench-people", _PRODUCT, who="agent", act=_add_somebody)
    yield Shot("workbench-faults", "/workbench/", who="agent", act=_paste_a_circle)
    yield Shot("workbench-warnings", "/workbench/", who="agent", act=_paste_warnings)
    yield Shot("workbench-no-json", "/workbench/", who="agent", act=_paste_nonsense)


def _add_somebody(tab: Tab) -> None:
    press(tab, "Add person as Directors")
    press(tab, "Add share class")


def _paste(tab: Tab, text: str) -> None:
    tab.get_by_label("Schema, or an item of a catalog").fill(text)
    press(tab, "Show")


def _paste_a_circle(tab: Tab) -> None:
    _paste(tab, json.dumps(schemas.FAULTY[0]))


def _paste_warnings(tab: Tab) -> None:
    [warned] = [one for one in schemas.USABLE if one["product"]["slug"] == "warned"]
    _paste(tab, json.dumps(warned))


def _paste_nonsense(tab: Tab) -> None:
    _paste(tab, "{'id': 1}")
