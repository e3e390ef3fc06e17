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
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.date import calendar_date
from formation_portal.contract.fields.iso_codes import COUNTRIES, by_country_name, country_name, sort_key
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
        ("de", "1 234,56", "1234.56"),
        ("de", "1.234", "1234"),
        ("de", "1,5", "1.5"),
        ("es", "1.234.567,8", "1234567.8"),
        ("fr", "1\u202f234,56", "1234.56"),
        ("fr", "1 234,56", "1234.56"),
        ("fr", "1.5", "1.5"),
        # Nobody can mean anything else by these, whatever the page is in.
        ("de", "1,234.56", "1234.56"),
        ("de", "1.5", "1.5"),
        ("de", "1'234.56", "1234.56"),
    ],
)
def test_a_number_is_read_in_the_notation_of_the_page(code: str, typed: str, value: str) -> None:
    with translation.override(code):
        kept = parsing.normalised_number(typed)
    assert parsing.decimal(kept, label="it") == Decimal(value)


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=25)
@given(number=st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_a_number_reads_the_same_in_every_language(code: str, number: Decimal) -> None:
    for kept in (str(number), f"{number:,}"):
        with translation.override(code):
            again = parsing.normalised_number(parsing.localised_number(kept))
        assert again == kept


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


@pytest.mark.parametrize(
    ("typed", "month"),
    [
        ("Mai", 5),
        ("mai", 5),
        ("März", 3),
        ("août", 8),
        ("Aout", 8),
        ("juin", 6),
        ("juil.", 7),
        ("enero", 1),
        ("Dez.", 12),
    ],
)
def test_a_month_is_read_by_its_name_in_any_of_the_languages(typed: str, month: int) -> None:
    parts = {"day": "3.", "month": typed, "year": "1980"}
    assert calendar_date(parts, label="it") == date(1980, month, 3)


def test_no_name_means_two_months() -> None:
    for code in LANGUAGES:
        for number in range(1, 13):
            for width in ("wide", "abbreviated"):
                name = localisation.locale_of(code).months["format"][width][number]
                assert localisation.month_number(name) == number


@pytest.mark.parametrize(
    ("code", "shown"),
    [("en", "27 March 1985"), ("de", "27. März 1985"), ("fr", "27 mars 1985"), ("es", "27 de marzo de 1985")],
)
def test_a_day_is_said_as_the_language_says_it(code: str, shown: str) -> None:
    with translation.override(code):
        assert localisation.long_date(date(1985, 3, 27)).replace("\u00a0", " ") == shown


@pytest.mark.parametrize(
    ("code", "listed"), [("en", "A, B and C"), ("de", "A, B und C"), ("fr", "A, B et C"), ("es", "A, B y C")]
)
def test_a_list_is_said_as_the_language_says_it(code: str, listed: str) -> None:
    with translation.override(code):
        assert localisation.join_list(["A", "B", "C"]) == listed


@pytest.mark.parametrize(
    ("words", "last", "listed"),
    [
        (("Ada", "Ingrid"), "and", "Ada e Ingrid"),
        (("Kite y Cía.", "Noor", "Hilos y Redes"), "and", "Kite y Cía., Noor e Hilos y Redes"),
        (("Ada", "«Índice»"), "and", "Ada e «Índice»"),
        (("agua", "hielo"), "and", "agua y hielo"),
        (("Ada", "Yves"), "and", "Ada y Yves"),
        (("Juego", "Otro"), "or", "Juego u Otro"),
        (("7", "8"), "or", "7 u 8"),
        (("Hong Kong", "España"), "or", "Hong Kong o España"),
    ],
)
def test_a_spanish_list_minds_the_vowel_of_its_last_word(words: tuple[str, ...], last: Any, listed: str) -> None:
    with translation.override("es"):
        assert localisation.join_list(words, last) == listed
    with translation.override("en"):
        assert localisation.join_list(words, last).endswith(f" {last} {words[-1]}")


@pytest.mark.parametrize(("code", "quoted"), [("en", "“A”"), ("de", "„A“"), ("fr", "« A »"), ("es", "«A»")])
def test_a_word_stands_between_the_quotation_marks_of_the_language(code: str, quoted: str) -> None:
    with translation.override(code):
        assert localisation.in_quotes("A").replace("\u00a0", " ").replace("\u202f", " ") == quoted


def test_a_sentence_that_counts_has_the_form_and_the_number_of_its_language() -> None:
    def words(count: int) -> str:
        return localisation.ngettext("{count} answer", "{count} answers", count)

    with translation.override("de"):
        assert (words(1), words(1234)) == ("1 Antwort", "1.234 Antworten")
    with pytest.MonkeyPatch.context() as patch:
        # Without a translator, as where there is no Django.
        patch.setattr(localisation, "_translator", localisation.Translator())
        assert (words(1), words(2), words(1234)) == ("1 answer", "2 answers", "1,234 answers")


def test_a_sentence_is_said_with_its_values_and_no_value_is_taken_for_a_gap() -> None:
    with translation.override("de"):
        assert localisation.gettext("Enter “{label}”", label="{x} %s") == "Füllen Sie „{x} %s“ aus"


@pytest.mark.parametrize("code", LANGUAGES)
def test_countries_stand_where_a_reader_looks_for_them(code: str) -> None:
    names = [country_name(one, code) for one in by_country_name(COUNTRIES, code)]
    assert len(names) == len(COUNTRIES)
    assert names == sorted(names, key=sort_key)
    austria = country_name("AT", code)
    # Ö, Å and É stand with their plain letters and not after Z.
    assert names.index(austria) < names.index(country_name("ZW", code))
    assert sort_key("Österreich") < sort_key("Peru")


def test_questions_that_no_schema_lists_are_in_the_readers_words() -> None:
    from tests.factories import product

    section = product().form.share_section
    assert section is not None
    with translation.override("de"):
        german = [spec.label for spec in section.groups["share_class"] if spec.is_ours]
    english = [spec.label for spec in section.groups["share_class"] if spec.is_ours]
    assert german[0] == "Name der Anteilsklasse"
    assert english[0] == "Name of the share class"


@pytest.mark.parametrize(
    ("code", "typed", "message"),
    [
        ("fr", "1.234", "Nous lisons 1,234, avec trois décimales. Si vous voulez un nombre entier, saisissez 1234."),
        ("fr", "10.000", "Nous lisons 10,000, avec trois décimales. Si vous voulez un nombre entier, saisissez 10000."),
        ("en", "1.234", "We read this as 1.234, with three decimals. If you mean a whole number, enter 1234."),
        ("es", "1,234", "Leemos 1,234, con tres decimales. Si quiere decir un número entero, introduzca 1234."),
        ("en", "1,234", "We read this as the whole number 1234."),
        ("de", "33.333", "Wir lesen das als die ganze Zahl 33333."),
        ("en", "0,123", "We read this as the whole number 123."),
        # Nobody can mean two things by these.
        ("en", "10,000", ""),
        ("de", "10.000", ""),
        ("fr", "1 234", ""),
        ("fr", "1,5", ""),
        ("en", "1,234.5", ""),
        ("en", "1,234,567", ""),
        ("en", "0.125", ""),
        ("en", "1234", ""),
        ("en", "many", ""),
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
    for currency in ("EUR", "JPY", "KWD"):
        amount = read_field(field("it", "currency_amount", allowed_currencies=[currency]))
        with translation.override(code):
            raw = {"amount": amount.normalised(typed, "amount"), "currency": currency}
            value, refusal = parse(amount, raw)
            assert refusal == "ambiguous" or amount.ambiguity_note(raw) or value.amount >= 1000


def parse(spec: FieldSpec, raw: dict[str, str]) -> tuple[Any, str]:
    """The value, or else the code of what speaks against it."""
    try:
        return spec.clean(raw), ""
    except AnswerError as refused:
        return None, refused.code


@pytest.mark.parametrize("typed", ["Janury", "sept", "Sept.", "JAN"])
def test_an_english_month_is_known_by_its_beginning(typed: str) -> None:
    found = calendar_date({"day": "3", "month": typed, "year": "1980"}, label="it")
    assert found == date(1980, 9 if typed.lower().startswith("s") else 1, 3)


@pytest.mark.parametrize("raw", [{"amount": None}, {"currency": "EUR"}, "1,5", None])
def test_an_amount_without_digits_is_shown_as_it_is(raw: Any) -> None:
    with translation.override("de"):
        assert read_field(field("it", "currency_amount")).localised(raw) == raw


def test_only_french_sets_the_colon_apart() -> None:
    said = {}
    for language in LANGUAGES:
        with translation.override(language):
            said[language] = localisation.colon()
    assert said == {"en": ": ", "de": ": ", "fr": "\u00a0: ", "es": ": "}
