"""Opens pages for people in the mode that the test is run in; at its end no page may have had a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.actors.interactions import Interactions
from tests.journeys.actors.keyboard import Keyboard
from tests.journeys.actors.pointer import Pointer
from tests.journeys.conftest import OpenTab

OpenAs = Callable[[Any, str], Interactions]


@dataclass(frozen=True)
class Mode:
    """With a pointer or the keyboard, with or without script, and on how wide a screen."""

    interactions: type[Interactions]
    has_script: bool
    width: int


KEYS = Mode(Keyboard, has_script=True, width=320)
NO_SCRIPT = Mode(Pointer, has_script=False, width=320)


def _in(*modes: Any) -> Any:
    return pytest.mark.parametrize("mode", modes, ids=["keys", "no-script"])


# By the keyboard alone and without script: in `make test-long`, in every run by keys, or in every run in both.
by_keys_and_without_script = _in(*(pytest.param(mode, marks=pytest.mark.long) for mode in (KEYS, NO_SCRIPT)))
one_always = _in(KEYS, pytest.param(NO_SCRIPT, marks=pytest.mark.long))
both_always = _in(KEYS, NO_SCRIPT)


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
