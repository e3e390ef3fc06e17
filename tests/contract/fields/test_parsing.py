"""Numbers, amounts, dates and telephone numbers are read as people write them, where only one reading is possible."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.translation import override

from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError

LANGUAGES = ("en", "de", "fr", "es")


def field(field_type: str, **more: Any) -> Any:
    return read_field({"key": "k", "label": "Capital", "field_type": field_type, **more})


FRANCS = field("currency_amount", allowed_currencies=["CHF"])
SEVERAL = field("currency_amount", allowed_currencies=["CHF", "EUR", "USD"])
SHARE = field("number", canonical_field="party.ownership_percentage")
SHARES = field("number", canonical_field="entity.number_of_shares")
BORN = field("date")
PHONE = field("phone")


def post(spec: Any, typed: dict[str, str]) -> Any:
    """Return what a page stores, after a check that its own text, sent again, changes nothing."""
    stored = spec.from_post(
        QueryDict(mutable=True) | {f"c:{part}" if part else "c": typed[part] for part in typed}, "c"
    )
    shown = spec.localised(stored)
    again = {f"c:{part}": text for part, text in shown.items()} if isinstance(shown, dict) else {"c": shown}
    assert spec.from_post(QueryDict(mutable=True) | again, "c") == stored
    return stored


def refusal(spec: Any, raw: Any) -> str:
    with pytest.raises(AnswerError) as refused:
        spec.clean(raw)
    return refused.value.code


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("typed", "amount"),
    [
        ("20000 CHF", "20000"),
        ("chf20000", "20000"),
        ("CHF 20'000.-", "20000"),
        ("Fr. 20’000.–", "20000"),
        ("20´000", "20000"),
        ("20.000,--", "20000"),
        ("20.000,50", "20000.5"),
        ("20 000,50", "20000.5"),
        ("20,000.50 CHF", "20000.5"),
        ("20000,5", "20000.5"),
        ("1.234.567", "1234567"),
        ("20,00,000", "2000000"),
        ("٢٠٬٠٠٠٫٥٠", "20000.5"),
        ("२००००", "20000"),
        (",50", "0.5"),
    ],
)
def test_an_amount_is_read_in_any_notation_with_one_reading(language: str, typed: str, amount: str) -> None:
    with override(language):
        stored = post(FRANCS, {"amount": typed, "currency": "CHF"})
        assert FRANCS.clean(stored).amount == Decimal(amount)
    assert FRANCS.clean({"amount": typed, "currency": "CHF"}).amount == Decimal(amount)
    assert FRANCS.clean(FRANCS.from_cells({"amount": typed})).amount == Decimal(amount)


@pytest.mark.parametrize(
    "typed", ["20000 EUR", "EUR 20000 CHF", "CHF", "20.00.50", "1,234,56", "20000 francs", "2 % CHF"]
)
def test_what_is_no_amount_in_the_fields_own_currency_stays_as_typed_and_is_refused(typed: str) -> None:
    stored = post(FRANCS, {"amount": typed, "currency": "CHF"})
    assert stored["amount"] == typed
    assert refusal(FRANCS, stored) == "not_a_number"


@pytest.mark.parametrize(
    ("typed", "currency", "code"),
    [("€ 500", "EUR", ""), ("US$500", "USD", ""), ("$500", "EUR", "not_a_number"), ("500 EUR", "", "not_a_number")],
)
def test_the_currency_beside_an_amount_is_the_chosen_one(typed: str, currency: str, code: str) -> None:
    stored = post(SEVERAL, {"amount": typed, "currency": currency})
    if code:
        assert refusal(SEVERAL, stored) == code
    else:
        assert SEVERAL.clean(stored).amount == 500


@pytest.mark.parametrize("typed", ["20.000 CHF", "CHF 20.000"])
def test_an_amount_with_two_readings_is_still_asked_again_beside_its_currency(typed: str) -> None:
    assert refusal(FRANCS, post(FRANCS, {"amount": typed, "currency": "CHF"})) == "ambiguous"
    with override("de"):
        assert FRANCS.clean(post(FRANCS, {"amount": typed, "currency": "CHF"})).amount == 20000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", ["33,5 %", "33.5%", "%33.5", "٣٣٫٥٪", "33,5"])
def test_a_percentage_is_read_with_its_sign(language: str, typed: str) -> None:
    with override(language):
        assert SHARE.clean(post(SHARE, {"": typed})) == Decimal("33.5")
    assert SHARE.clean(typed) == SHARE.clean(SHARE.from_cells({"": typed})) == Decimal("33.5")


def test_a_percentage_of_a_whole_count_is_refused() -> None:
    assert refusal(SHARES, post(SHARES, {"": "25%"})) == "not_a_number"
    assert refusal(SHARES, SHARES.from_cells({"": "25%"})) == "not_a_number"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", ["0.125", "0,125"])
def test_thousands_do_not_begin_with_zero(language: str, typed: str) -> None:
    with override(language):
        assert SHARE.clean(post(SHARE, {"": typed})) == Decimal("0.125")


@pytest.mark.parametrize("typed", ["1.23E+15", "20_000", "ten %", "1,2,3", "--5", "5.", "1٬5"])
def test_what_is_no_number_stays_as_typed_and_is_refused(typed: str) -> None:
    assert post(SHARE, {"": typed}) == typed
    assert refusal(SHARE, typed) == "not_a_number"


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("27.3.1985", ("27", "3", "1985")),
        ("1985-03-27", ("27", "03", "1985")),
        ("27/03/1985", ("27", "03", "1985")),
        ("27. Nov. 1985", ("27", "Nov", "1985")),
        ("1er févr. 1985", ("1", "févr", "1985")),
        ("٢٧/٣/١٩٨٥", ("27", "3", "1985")),
        ("31.2.1985", ("31", "2", "1985")),
    ],
)
def test_a_whole_date_in_the_box_of_the_day_is_read_into_its_parts(typed: str, parts: tuple[str, ...]) -> None:
    stored = post(BORN, {"day": typed, "month": "", "year": ""})
    assert tuple(stored[part] for part in ("day", "month", "year")) == parts


@pytest.mark.parametrize(
    ("typed", "code"),
    [("3/4/1985", "two_dates"), ("27.3.85", "incomplete_date"), ("27.3.", "incomplete_date"), ("5", "incomplete_date")],
)
def test_a_date_in_the_box_of_the_day_that_is_not_whole_or_has_two_readings_stays(typed: str, code: str) -> None:
    stored = post(BORN, {"day": typed, "month": "", "year": ""})
    assert stored == {"day": typed, "month": "", "year": ""}
    assert refusal(BORN, stored) == code


@pytest.mark.parametrize("others", [{"month": "March", "year": ""}, {"month": "03", "year": "1985"}])
def test_a_date_in_the_box_of_the_day_may_be_repeated_beside_it(others: dict[str, str]) -> None:
    assert BORN.clean(post(BORN, {"day": "27.3.1985"} | others)) == date(1985, 3, 27)


@pytest.mark.parametrize("others", [{"month": "4", "year": ""}, {"month": "", "year": "1986"}])
def test_a_date_in_the_box_of_the_day_replaces_no_other_part(others: dict[str, str]) -> None:
    stored = post(BORN, {"day": "27.3.1985"} | others)
    assert stored == {"day": "27.3.1985"} | others
    with pytest.raises(AnswerError):
        BORN.clean(stored)


@pytest.mark.parametrize(
    ("day", "month", "year"),
    [
        ("3.", "11.", "1985"),
        ("3rd", "Nov.", "1985"),
        ("3.º", "nov.", "1985"),
        ("٣", "١١", "١٩٨٥"),
        ("3", "NOVIEMBRE", "1985"),
    ],
)
def test_the_parts_of_a_date_are_read_with_their_marks(day: str, month: str, year: str) -> None:
    assert BORN.clean({"day": day, "month": month, "year": year}) == date(1985, 11, 3)


@pytest.mark.parametrize(
    "typed",
    ["0041 41 728 80 00", "00 41 41 728 80 00", "(0041) 41 728 80 00", "٠٠٤١ ٤١ ٧٢٨ ٨٠ ٠٠", "\u202a+41417288000\u202c"],
)
def test_a_telephone_number_may_begin_with_two_zeros(typed: str) -> None:
    assert PHONE.clean(typed) == "+41417288000"
