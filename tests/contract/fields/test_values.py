"""Which answers satisfy the value of a rule: the pairs that are equal, and those that only look alike."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from formation_portal.contract.fields.values import Address, Money, equals, includes_any

ADDRESS = Address(street1="1 Harbour Road", city="Port", country="VG")
PARTS = {"street1": "1 Harbour Road", "city": "Port", "country": "VG"}
MONEY = Money(amount=Decimal("50000.10"), currency="KWD")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Trading", "Trading"),
        (False, False),
        (Decimal("2.50"), 2.5),
        (date(2026, 11, 20), "2026-11-20"),
        (("a", "b"), ["b", "a"]),
        (("a", "b"), ["a", "b", "a"]),
        ((), []),
        (ADDRESS, PARTS),
        (MONEY, {"amount": 50000.1, "currency": "KWD"}),
    ],
)
def test_an_answer_equals_the_value_of_a_rule(value: Any, wanted: Any) -> None:
    assert equals(value, wanted)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Trading", "trading"),
        ("Trading", None),
        ("true", True),
        (True, 1),
        (0, False),
        ("2", 2),
        (date(2026, 11, 20), "2026-11-21"),
        (("a", "b"), ["a"]),
        (("a",), ["a", "b"]),
        (("a",), "a"),
        (ADDRESS, PARTS | {"city": "Porto"}),
        (ADDRESS, {"street1": "1 Harbour Road", "city": "Port"}),
        (ADDRESS, "1 Harbour Road, Port, VG"),
        (ADDRESS, list(PARTS)),
        (MONEY, {"amount": 50000.1, "currency": "JPY"}),
        (MONEY, 50000.1),
    ],
)
def test_an_answer_that_only_looks_alike_is_not_equal(value: Any, wanted: Any) -> None:
    assert not equals(value, wanted)


@pytest.mark.parametrize(
    ("value", "wanted", "is_included"),
    [
        (("a", "b"), ["b", "c"], True),
        (("a", "b"), ["c"], False),
        (("a", "b"), "b", True),
        (("a", "b"), "ab", False),
        ("b", ["b", "c"], True),
        ("b", [], False),
        (2, [1, 2.0], True),
        (True, [1], False),
    ],
)
def test_an_answer_is_included_where_a_rule_has_one_of_its_values(value: Any, wanted: Any, is_included: bool) -> None:
    assert includes_any(value, wanted) is is_included
