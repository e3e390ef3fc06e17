"""The table of journeys and ways is what the tests are: every journey stands in it, and is gone in every way."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType

from tests.journeys import walkthroughs
from tests.journeys.actors.interactions import Hands
from tests.journeys.actors.keyboard import Keys
from tests.journeys.actors.pointer import Pointer
from tests.journeys.walkthroughs.modes import SHORT, WAYS, WIDTHS, Way

_COLUMNS: tuple[tuple[type[Hands], bool], ...] = ((Pointer, True), (Pointer, False), (Keys, True), (Keys, False))
_WIDTHS = {"both": WIDTHS, **{str(width): (width,) for width in WIDTHS}, "": ()}


def in_the_table() -> dict[str, list[list[Way]]]:
    """By the journey's words: its ways, column by column."""
    rows = re.findall(r"^\| \d \| ([^|]+) \|(.+)\|$", walkthroughs.__doc__ or "", re.MULTILINE)
    return {
        journey: [
            [Way(hands, has_script, width) for width in _WIDTHS[cell.strip()]]
            for (hands, has_script), cell in zip(_COLUMNS, cells.split("|"), strict=True)
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


def ways_of(test: FunctionType) -> list[Way]:
    """In which ways it is walkthroughs."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize" and mark.args[0] == "way"]
    return [getattr(one, "values", (one,))[0] for mark in marks for one in mark.args[1]]


def test_every_journey_stands_in_the_table() -> None:
    assert sorted(words for words, _ in journeys()) == sorted(in_the_table())


def test_every_part_from_the_catalog_to_the_copies_has_its_journeys() -> None:
    parts = re.findall(r"^\| (\d) \|", walkthroughs.__doc__ or "", re.MULTILINE)
    assert sorted(set(parts)) == [*"23456789"]


def test_every_journey_is_gone_in_every_way_of_the_table() -> None:
    table = in_the_table()
    for words, test in journeys():
        ways = ways_of(test)
        assert len(ways) == len(WAYS), words
        assert set(ways) == set(WAYS) == {way for cell in table[words] for way in cell}, words


def test_one_of_the_ways_is_gone_in_every_run() -> None:
    kept = [
        mark.args[1] for _, test in journeys() for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"
    ]
    always = [one for ways in kept for one in ways if not hasattr(one, "marks")]
    assert 2 <= len(always) <= 4
    assert set(always) == {SHORT}
