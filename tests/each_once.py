"""Combinations of which each run tries as few as show every value; `make test-long` tries them all."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def each_once(*values: Iterable[Any]) -> list[Any]:
    """Every combination as a case of a test; those that show no value for the first time are marked as long."""
    lists = [list(each) for each in values]
    most = max(map(len, lists))
    first = {tuple(place % len(each) for each in lists) for place in range(most)}
    cases = []
    for places in product(*(range(len(each)) for each in lists)):
        case = [each[place] for each, place in zip(lists, places, strict=True)]
        cases.append(pytest.param(*case, marks=() if places in first else pytest.mark.long))
    return cases
