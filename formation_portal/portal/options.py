"""What a control offers to be chosen, as the tags `options` and `ticks` draw it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen."""

    value: str
    label: str
    chosen: bool
    # Whether it excludes every other one.
    alone: bool = False


def offered(labels: Iterable[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    """Each with its value and its label; the one that has the value `chosen` is chosen."""
    return tuple(Option(value, label, value == chosen) for value, label in labels)


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of an error summary: the id of the control and the words that stand at it."""

    id: str
    text: str
