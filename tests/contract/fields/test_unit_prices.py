"""Unit prices have up to twelve decimals and are shown with each; sums have their currency's minor units."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.schema_check import check_schema
from tests.contract.builders import entity, form, question


def amount_field(**more: Any) -> Any:
    return read_field({"key": "k", "label": "Par value", "field_type": "currency_amount", **more})


PAR_VALUE = amount_field(canonical_field="entity.par_value", allowed_currencies=["USD"])
CAPITAL = amount_field(csp_field_key="xx.capital")
CLASS_PAR_VALUE = read_field(
    {"key": "p", "label": "Par value", "field_type": "number", "canonical_field": "share_class.par_value"}
)
SMALL = ["0.0001", "0.00001", "0.000000000001", "1234567.00000001", "0.1", "3"]


@pytest.mark.parametrize("typed", SMALL)
def test_a_unit_price_is_read_back_exactly_from_what_is_sent(typed: str) -> None:
    value = PAR_VALUE.clean({"amount": typed, "currency": "USD"})
    sent = json.loads(json.dumps(PAR_VALUE.payload(value)))
    assert isinstance(sent["amount"], int | float)
    assert PAR_VALUE.clean(sent).amount == Decimal(typed)
    price = CLASS_PAR_VALUE.clean(typed)
    assert CLASS_PAR_VALUE.clean(json.loads(json.dumps(CLASS_PAR_VALUE.payload(price)))) == Decimal(typed)


@pytest.mark.parametrize(
    ("spec", "raw"),
    [(PAR_VALUE, {"amount": "0.0000000000001", "currency": "USD"}), (CLASS_PAR_VALUE, "0.0000000000001")],
)
def test_a_thirteenth_decimal_is_refused(spec: Any, raw: Any) -> None:
    with pytest.raises(AnswerError) as refusal:
        spec.clean(raw)
    assert refusal.value.code == "too_precise"
    assert "at most 12 decimals" in refusal.value.message


def test_thousands_of_a_unit_price_are_read_as_decimals_and_said() -> None:
    typed = {"amount": "1.125", "currency": "USD"}
    assert PAR_VALUE.clean(typed).amount == Decimal("1.125")
    assert "three decimals" in PAR_VALUE.ambiguity_note(typed)


@pytest.mark.parametrize(
    ("spec", "typed", "currency", "shown"),
    [
        (PAR_VALUE, "0.000000000001", "USD", "USD\u00a00.000000000001"),
        (PAR_VALUE, "1", "USD", "USD\u00a01.00"),
        (PAR_VALUE, "1234567.00000001", "USD", "USD\u00a01,234,567.00000001"),
        (CAPITAL, "20000.50", "CHF", "CHF\u00a020,000.50"),
        (CAPITAL, "20000", "JPY", "JPY\u00a020,000"),
        (CAPITAL, "20000.5", "KWD", "KWD\u00a020,000.500"),
        (CAPITAL, "0.375", "KWD", "KWD\u00a00.375"),
    ],
)
def test_an_amount_is_shown_with_every_digit_and_its_currencys_minor_units(
    spec: Any, typed: str, currency: str, shown: str
) -> None:
    assert spec.display(spec.clean({"amount": typed, "currency": currency})) == shown


@given(st.decimals(min_value=0, max_value=10**9, places=6), st.sampled_from(["USD", "JPY", "KWD"]))
def test_a_shown_amount_says_the_amount_exactly(amount: Decimal, currency: str) -> None:
    assert Decimal(format_money(amount, currency).partition("\u00a0")[2].replace(",", "")) == amount


@pytest.mark.parametrize(
    ("name", "decimals", "typed", "is_read"),
    [
        (None, 4, "0.0001", True),
        (None, 4, "0.00001", False),
        (None, 0, "1.5", False),
        (None, 0, "1", True),
        ("entity.par_value", 2, "0.0001", False),
    ],
)
def test_a_schema_says_how_many_decimals_an_amount_may_have_whatever_its_name(
    name: str | None, decimals: int, typed: str, is_read: bool
) -> None:
    names = {"csp_field_key": "xx.fee", "canonical_field": name}
    spec = amount_field(**names, allowed_currencies=["USD"], decimals=decimals)
    if is_read:
        assert spec.clean({"amount": typed, "currency": "USD"}).amount == Decimal(typed)
    else:
        with pytest.raises(AnswerError):
            spec.clean({"amount": typed, "currency": "USD"})


@pytest.mark.parametrize("decimals", [-1, 16, 2.5, "2", True, [2], {}])
def test_decimals_that_are_no_count_are_left_out_with_a_warning(decimals: Any) -> None:
    asked = question("fee", "currency_amount", allowed_currencies=["USD"], decimals=decimals)
    schema = form(entity(asked, question("name")))
    (spec, _) = schema.entity_fields
    assert spec.clean({"amount": "1.25", "currency": "USD"}).amount == Decimal("1.25")
    with pytest.raises(AnswerError):
        spec.clean({"amount": "1.2555", "currency": "USD"})
    assert [(one.code, one.where) for one in check_schema(schema).warnings] == [("bad_bound", "fee")]
