"""The modes in which every journey is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.actors.interactions import Interactions
from tests.journeys.actors.keyboard import Keyboard
from tests.journeys.actors.pointer import Pointer

WIDTHS = (320, 1280)


@dataclass(frozen=True)
class Mode:
    """With a pointer or the keyboard, with or without script, and on how wide a screen."""

    interactions: type[Interactions]
    has_script: bool
    width: int

    def __str__(self) -> str:
        script = "script" if self.has_script else "no-script"
        return f"{self.interactions.__name__.lower()}-{script}-{self.width}"


MODES = tuple(
    Mode(interactions, has_script, width)
    for interactions in (Pointer, Keyboard)
    for has_script in (True, False)
    for width in WIDTHS
)
MODE_OF_EVERY_RUN = Mode(Keyboard, True, 320)


def _parametrized(short: Mode | None) -> Any:
    modes = [mode if mode == short else pytest.param(mode, marks=pytest.mark.long) for mode in MODES]
    return pytest.mark.parametrize("mode", modes, ids=str)


in_every_mode = _parametrized(None)
# In one mode in every run, in all others in `make test-long`.
in_every_mode_and_one_always = _parametrized(MODE_OF_EVERY_RUN)
