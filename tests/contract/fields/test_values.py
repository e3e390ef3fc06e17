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
    ("value", "wanted", "is_equal"),
    [
        ("Trading", "Trading", True),
        (False, False, True),
        (Decimal("2.50"), 2.5, True),
        (date(2026, 11, 20), "2026-11-20", True),
        (("a", "b"), ["b", "a"], True),
        (("a", "b"), ["a", "b", "a"], True),
        ((), [], True),
        (ADDRESS, PARTS, True),
        (MONEY, {"amount": 50000.1, "currency": "KWD"}, True),
        ("Trading", "trading", False),
        ("Trading", None, False),
        ("true", True, False),
        (True, 1, False),
        (0, False, False),
        ("2", 2, False),
        (date(2026, 11, 20), "2026-11-21", False),
        (("a", "b"), ["a"], False),
        (("a",), ["a", "b"], False),
        (("a",), "a", False),
        (ADDRESS, PARTS | {"city": "Porto"}, False),
        (ADDRESS, {"street1": "1 Harbour Road", "city": "Port"}, False),
        (ADDRESS, "1 Harbour Road, Port, VG", False),
        (ADDRESS, list(PARTS), False),
        (MONEY, {"amount": 50000.1, "currency": "JPY"}, False),
        (MONEY, 50000.1, False),
    ],
)
def test_an_answer_equals_the_value_of_a_rule_and_none_that_only_looks_alike(
    value: Any, wanted: Any, is_equal: bool
) -> None:
    assert equals(value, wanted) is is_equal


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
