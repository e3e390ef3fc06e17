"""Forty tamperings of five kinds, each found at its number, however careful about the hashes."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Append
from .tampering import KINDS, Care, Row, delete, findings, rehash, renumber, store, stored

pytestmark = pytest.mark.django_db

ROWS, ROUNDS = 12, 8


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_tampering_is_found_at_its_number(append: Append, kind: Callable[[list[Row], random.Random], int]) -> None:
    append(ROWS)
    before = stored()
    assert findings() == []
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        rows, care = [list(row) for row in before], chance.choice(list(Care))
        index = kind(rows, chance)
        if kind is not delete or care is Care.ALL:
            renumber(rows)
        rehash(rows, index, care)
        store(rows)
        found = findings()
        assert found, (seed, care)
        assert found[0][0] == index + 1, (seed, care, found)
    store(before)
    assert findings() == []


def test_several_rows_in_a_row_are_one_finding_and_rows_out_of_the_numbers_are_found(append: Append) -> None:
    append(9)
    rows = stored()
    store([*rows[:2], *rows[5:7]])
    assert findings() == [
        (3, "to 5 are missing"),
        (6, "does not follow the previous entry"),
        (8, "to 9 are missing from the end"),
    ]
    store([[0, *rows[0][1:]], *rows])
    assert [number for number, _ in findings()] == [0]


def test_a_lost_anchor_and_two_hashes_are_found_and_half_a_line_is_not(append: Append, anchor_file: Path) -> None:
    append(1)
    with anchor_file.open("a") as file:
        file.write(f"{2:012d} {'a' * 20}")
    append(2)
    assert findings() == []
    with anchor_file.open("a") as file:
        file.write(f"{2:012d} {'a' * 64}\n")
    assert findings() == [(2, "is anchored with two hashes")]
    anchor_file.unlink()
    assert findings() == [(1, "and all later entries have no anchor: the anchor is missing or empty")]
