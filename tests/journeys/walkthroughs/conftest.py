"""Somebody sits down before a page, in the way that the journey is gone; in the end nothing was wrong with any."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.journeys.actors.interactions import Hands
from tests.journeys.conftest import OpenTab
from tests.journeys.walkthroughs.modes import Way

Sit = Callable[[Any, str], Hands]


@pytest.fixture
def way() -> Way:
    """Given by `in_every_way`."""
    raise AssertionError("this journey names no way")


@pytest.fixture
def sit(open_tab: OpenTab, way: Way) -> Iterator[Sit]:
    """Opens the page of an address for somebody; None is nobody."""
    seated: list[Hands] = []

    def at(user: Any, address: str) -> Hands:
        browser = open_tab(user, has_script=way.has_script, width=way.width)
        hands = way.hands(browser)
        seated.append(hands)
        hands.go(address)
        return hands

    yield at
    for hands in seated:
        assert not hands.faults, "\n".join(dict.fromkeys(hands.faults))
        assert not hands.browser.faults, hands.browser.faults
