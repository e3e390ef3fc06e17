"""The ways in which every journey is gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.actors.interactions import Hands
from tests.journeys.actors.keyboard import Keys
from tests.journeys.actors.pointer import Pointer

WIDTHS = (320, 1280)


@dataclass(frozen=True)
class Way:
    """With which hands, with or without script, and on how wide a screen."""

    hands: type[Hands]
    has_script: bool
    width: int

    def __str__(self) -> str:
        script = "script" if self.has_script else "no-script"
        return f"{self.hands.__name__.lower()}-{script}-{self.width}"


WAYS = tuple(
    Way(hands, has_script, width) for hands in (Pointer, Keys) for has_script in (True, False) for width in WIDTHS
)
SHORT = Way(Keys, True, 320)


def _told(short: Way | None) -> Any:
    ways = [way if way == short else pytest.param(way, marks=pytest.mark.long) for way in WAYS]
    return pytest.mark.parametrize("way", ways, ids=str)


in_every_way = _told(None)
# One of the ways is gone in every run.
in_every_way_and_one_always = _told(SHORT)
