"""What is typed and shown in each language, and that a draft keeps it in one way."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation
from hypothesis import example, given, settings
from hypothesis import strategies as st

from formation_portal.contract import localisation
from formation_portal.contract.fields import parsing
from formation_portal.contract.fields.date import calendar_date
from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError
from tests.factories import field

LANGUAGES = ("en", "de", "fr", "es")


@pytest.fixture(autouse=True)
def _afterwards_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.mark.parametrize(
    ("code", "typed", "value"),
    [
        ("en", "1,234.56", "1234.56"),
        ("de", "1.234,56", "1234.56"),
        ("de", "1.234", "1234"),
        ("fr", "1\u202f234,56", "1234.56"),
        ("fr", "1.5", "1.5"),
        ("de", "1,234.56", "1234.56"),
    ],
)
def test_a_number_is_read_in_the_notation_of_the_page(code: str, typed: str, value: str) -> None:
    with translation.override(code):
        kept = parsing.normalised_number(typed)
    assert parsing.decimal(kept, label="it") == Decimal(value)


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=25)
@given(text=st.text(alphabet="0123456789.,' -x\u202f\u00a0", max_size=12))
@example("0.0\u202f")
def test_what_is_no_number_stays_as_it_was_typed(code: str, text: str) -> None:
    with translation.override(code):
        kept = parsing.normalised_number(text)
        if kept != text:
            parsing.decimal(kept, label="it")
        assert parsing.normalised_number(parsing.localised_number(kept)) == kept


def test_only_numbers_are_turned() -> None:
    text, number = read_field(field("it")), read_field(field("it", "number"))
    amount = read_field(field("it", "currency_amount", allowed_currencies=["EUR", "USD"]))
    with translation.override("de"):
        assert text.normalised("1.234,56") == "1.234,56"
        assert number.normalised("1.234,56") == "1,234.56"
        assert amount.normalised("1.234,56", "amount") == "1,234.56"
        assert amount.localised({"amount": "1,234.56", "currency": "EUR"}) == {"amount": "1.234,56", "currency": "EUR"}


def test_a_month_is_read_by_its_name_in_any_of_the_languages() -> None:
    numbers = {"Mai": 5, "März": 3, "août": 8, "juil.": 7, "juill.": 7, "fév.": 2, "Dez.": 12, "MRZ": 3, "Jänner": 1}
    for typed, month in (numbers | {"ene.": 1, "3.": 3}).items():
        assert calendar_date({"day": "3.", "month": typed, "year": "1980"}, label="it") == date(1980, month, 3)


@pytest.mark.parametrize(
    ("words", "last", "listed"),
    [
        (("Kite y Cía.", "Noor", "Hilos y Redes"), "and", "Kite y Cía., Noor e Hilos y Redes"),
        (("Ada", "«Índice»"), "and", "Ada e «Índice»"),
        (("agua", "hielo"), "and", "agua y hielo"),
        (("Juego", "Otro"), "or", "Juego u Otro"),
        (("7", "8"), "or", "7 u 8"),
    ],
)
def test_a_spanish_list_minds_the_vowel_of_its_last_word(words: tuple[str, ...], last: Any, listed: str) -> None:
    with translation.override("es"):
        assert localisation.join_list(words, last) == listed
    with translation.override("en"):
        assert localisation.join_list(words, last).endswith(f" {last} {words[-1]}")


def test_a_sentence_that_counts_has_the_form_and_the_number_of_its_language() -> None:
    def words(count: int) -> str:
        return localisation.ngettext("{count} answer", "{count} answers", count)

    with translation.override("de"):
        assert (words(1), words(1234)) == ("1 Antwort", "1.234 Antworten")
    with pytest.MonkeyPatch.context() as patch:
        # Without a translator, as where there is no Django.
        patch.setattr(localisation, "_translator", localisation.Translator())
        assert (words(1), words(2), words(1234)) == ("1 answer", "2 answers", "1,234 answers")


@pytest.mark.parametrize(
    ("code", "typed", "message"),
    [
        ("fr", "1.234", "Nous lisons 1,234, avec trois décimales. Si vous voulez un nombre entier, saisissez 1234."),
        ("en", "1.234", "We read this as 1.234, with three decimals. If you mean a whole number, enter 1234."),
        ("en", "1,234", "We read this as the whole number 1234."),
        ("de", "33.333", "Wir lesen das als die ganze Zahl 33333."),
        ("de", "10.000", ""),
        ("fr", "1,5", ""),
        ("en", "1,234,567", ""),
    ],
)
def test_what_could_be_read_in_two_ways_says_how_it_was_read(code: str, typed: str, message: str) -> None:
    number = read_field(field("it", "number"))
    with translation.override(code):
        assert number.ambiguity_note(number.normalised(typed)) == message


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("typed", ["10.000", "1.234", "10,000", "1,234"])
def test_no_amount_is_off_by_a_thousand_without_a_word(code: str, typed: str) -> None:
    """Either it is the thousands that anybody sees in it, or it is refused, or it says how it was read."""
    refusals = set()
    for currency in ("EUR", "JPY", "KWD"):
        amount = read_field(field("it", "currency_amount", allowed_currencies=[currency]))
        with translation.override(code):
            raw = {"amount": amount.normalised(typed, "amount"), "currency": currency}
            try:
                value = amount.clean(raw)
            except AnswerError as refused:
                refusals.add(refused.code)
            else:
                assert amount.ambiguity_note(raw) or value.amount >= 1000
    assert refusals <= {"ambiguous"}
