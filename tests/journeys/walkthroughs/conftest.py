"""Opens pages for people in the mode that the test is run in; at its end no page may have had a fault."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.journeys.actors.interactions import Interactions
from tests.journeys.conftest import OpenTab
from tests.journeys.walkthroughs.modes import Mode

OpenAs = Callable[[Any, str], Interactions]


@pytest.fixture
def mode() -> Mode:
    """Given by `in_every_mode`."""
    raise AssertionError("this journey names no mode")


@pytest.fixture
def open_as(open_tab: OpenTab, mode: Mode) -> Iterator[OpenAs]:
    """Opens the page of an address for somebody; None is nobody."""
    opened: list[Interactions] = []

    def at(user: Any, address: str) -> Interactions:
        browser = open_tab(user, has_script=mode.has_script, width=mode.width)
        actor = mode.interactions(browser)
        opened.append(actor)
        actor.go(address)
        return actor

    yield at
    for actor in opened:
        assert not actor.faults, "\n".join(dict.fromkeys(actor.faults))
        assert not actor.browser.faults, actor.browser.faults
