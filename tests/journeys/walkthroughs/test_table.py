"""The table in `__init__.py` matches the tests: each journey is in it, and is done in every mode."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType

from tests.journeys import walkthroughs
from tests.journeys.actors.interactions import Interactions
from tests.journeys.actors.keyboard import Keyboard
from tests.journeys.actors.pointer import Pointer
from tests.journeys.walkthroughs.modes import MODE_OF_EVERY_RUN, MODES, WIDTHS, Mode

_COLUMNS: tuple[tuple[type[Interactions], bool], ...] = (
    (Pointer, True),
    (Pointer, False),
    (Keyboard, True),
    (Keyboard, False),
)
_WIDTHS = {"both": WIDTHS, **{str(width): (width,) for width in WIDTHS}, "": ()}


def in_the_table() -> dict[str, list[list[Mode]]]:
    """By the journey's words: its modes, column by column."""
    rows = re.findall(r"^\| \d \| ([^|]+) \|(.+)\|$", walkthroughs.__doc__ or "", re.MULTILINE)
    return {
        journey: [
            [Mode(interactions, has_script, width) for width in _WIDTHS[cell.strip()]]
            for (interactions, has_script), cell in zip(_COLUMNS, cells.split("|"), strict=True)
        ]
        for journey, cells in rows
    }


def journeys() -> Iterator[tuple[str, FunctionType]]:
    """Every test of a journey, with the words of its name."""
    for path in sorted(Path(walkthroughs.__file__ or "").parent.glob("test_*.py")):
        if path.stem != Path(__file__).stem:
            module = import_module(f"{walkthroughs.__name__}.{path.stem}")
            for name, one in vars(module).items():
                if name.startswith("test_") and isinstance(one, FunctionType):
                    yield name.removeprefix("test_").replace("_", " "), one


def modes_of(test: FunctionType) -> list[Mode]:
    """The modes in which it is done."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize" and mark.args[0] == "mode"]
    return [getattr(one, "values", (one,))[0] for mark in marks for one in mark.args[1]]


def test_every_journey_stands_in_the_table() -> None:
    assert sorted(words for words, _ in journeys()) == sorted(in_the_table())


def test_every_part_from_the_catalog_to_the_copies_has_its_journeys() -> None:
    parts = re.findall(r"^\| (\d) \|", walkthroughs.__doc__ or "", re.MULTILINE)
    assert sorted(set(parts)) == [*"23456789"]


def test_every_journey_is_done_in_every_mode_of_the_table() -> None:
    table = in_the_table()
    for words, test in journeys():
        modes = modes_of(test)
        assert len(modes) == len(MODES), words
        assert set(modes) == set(MODES) == {mode for cell in table[words] for mode in cell}, words


def test_one_of_the_modes_is_done_in_every_run() -> None:
    kept = [
        mark.args[1] for _, test in journeys() for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"
    ]
    always = [one for modes in kept for one in modes if not hasattr(one, "marks")]
    assert 2 <= len(always) <= 4
    assert set(always) == {MODE_OF_EVERY_RUN}
