"""Two entries are the same where the answers that tell are equal; where they are missing nobody can tell."""

from datetime import date
from typing import Any

import pytest

from formation_portal.contract.canonical import canonical_properties, identity, may_be_same
from formation_portal.contract.fields.types import read_field

ADA = {"first_name": "Ada", "last_name": "Lovelace", "date_of_birth": date(1985, 12, 10)}
LTD = {"name": "Nominees Ltd", "registration_number": "HE 123-456", "country": "CY"}


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("person", ADA, ADA | {"first_name": " ADA "}),
        ("person", ADA, ADA | {"email": "other@example.com"}),
        ("corporate", LTD, LTD | {"name": "Nominees Limited", "registration_number": "he123456"}),
    ],
)
def test_equal_ones_are_the_same(kind: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert identity(kind, one) == identity(kind, other) is not None


@pytest.mark.parametrize(
    ("kind", "one", "changed"),
    [
        ("person", ADA, {"date_of_birth": date(1985, 12, 11)}),
        ("corporate", LTD, {"country": "MT"}),
        ("corporate", LTD, {"registration_number": "HE 123-457"}),
    ],
)
def test_whoever_differs_is_somebody_else(kind: str, one: dict[str, Any], changed: dict[str, Any]) -> None:
    assert identity(kind, one) != identity(kind, one | changed)


@pytest.mark.parametrize("missing", ["date_of_birth", "registration_number", "country"])
def test_without_one_of_them_nobody_can_tell(missing: str) -> None:
    known = {name: value for name, value in (ADA if missing in ADA else LTD).items() if name != missing}
    assert identity("person", known) is None


def test_only_canonical_answers_tell() -> None:
    fields = (
        read_field({"key": "name", "canonical_field": "corporate.name", "field_type": "text"}),
        read_field({"key": "country", "csp_field_key": "xy.country", "field_type": "text"}),
    )
    assert canonical_properties(fields, {"corporate.name": "A", "xy.country": "CY"}) == {"name": "A"}


@pytest.mark.parametrize(
    ("kind", "one", "other", "may_be"),
    [
        ("person", ADA, ADA | {"date_of_birth": date(1985, 12, 11)}, False),
        ("person", ADA, {"first_name": "Ada", "last_name": "Lovelace"}, True),
        ("person", ADA | {"email": "a@example.com"}, {"last_name": "Lovelace", "email": "a@example.com"}, True),
        ("person", ADA | {"email": "a@example.com"}, {"last_name": "Lovelace", "email": "b@example.com"}, False),
        ("corporate", LTD, {"name": "Nominees Ltd", "country": "MT"}, False),
    ],
)
def test_two_of_one_name_may_be_one_unless_something_speaks_against_it(
    kind: str, one: dict[str, Any], other: dict[str, Any], may_be: bool
) -> None:
    assert may_be_same(kind, one, other) is may_be
    assert may_be_same(kind, other, one) is may_be
