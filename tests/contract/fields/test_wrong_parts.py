"""Of an answer with several controls only those are wrong that the problem lies in."""

from typing import Any

import pytest

from formation_portal.contract.fields.address import AddressField
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.currency_amount import CurrencyAmountField
from formation_portal.contract.fields.date import DateField
from formation_portal.contract.fields.values import AnswerError

CAPITAL = CurrencyAmountField(
    field_type="currency_amount", key="capital", label="Capital", allowed_currencies=("USD", "EUR", "JPY")
)
BORN = DateField(field_type="date", key="born", label="Born")
HOME = AddressField(field_type="address", key="home", label="Home")


def wrong(spec: FieldSpec, raw: Any) -> tuple[str, ...]:
    with pytest.raises(AnswerError) as caught:
        spec.clean(raw)
    return spec.wrong_parts(caught.value.code, raw)


@pytest.mark.parametrize("amount", ["lots", "-5", "9" * 20, "1.005"])
def test_an_amount_that_cannot_be_read_leaves_the_currency_as_it_is(amount: str) -> None:
    assert wrong(CAPITAL, {"amount": amount, "currency": "JPY"}) == ("amount",)


@pytest.mark.parametrize("currency", ["", "CHF", "no currency"])
def test_a_currency_that_is_missing_or_not_allowed_leaves_the_amount_as_it_is(currency: str) -> None:
    assert wrong(CAPITAL, {"amount": "5", "currency": currency}) == ("currency",)


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        ({"day": "3", "month": "", "year": "1985"}, ("month",)),
        ({"day": "", "month": "3", "year": ""}, ("day", "year")),
        ({"day": "3", "month": "3", "year": "85"}, ("year",)),
        ({"day": "31", "month": "2", "year": "1985"}, ("day", "month", "year")),
    ],
)
def test_of_a_date_the_missing_parts_are_wrong_or_all_of_it(raw: dict[str, str], parts: tuple[str, ...]) -> None:
    assert wrong(BORN, raw) == parts


def test_of_an_address_only_what_is_needed_is_missing() -> None:
    assert wrong(HOME, {"street1": "1 Main St", "city": "", "country": ""}) == ("city", "country")
    assert wrong(HOME, {"street1": "1 Main St", "city": "Zug", "country": "XX"}) == ("country",)
