"""What people type into the cells of a sheet becomes what a form would have posted."""

from datetime import date
from typing import Any

import pytest

from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError
from tests.contract.builders import question
from tests.field_types import FIELD_TYPES

OPTIONS = ["Holding, and nothing else", "Trading", "Société d’études"]


def asked(field_type: str, **more: Any) -> Any:
    return read_field(question("it", field_type, **more))


def typed(field_type: str, text: str, **more: Any) -> Any:
    return asked(field_type, **more).from_cells({"": text})


@pytest.mark.parametrize("field_type", FIELD_TYPES)
def test_empty_cells_are_no_answer_to_any_type(field_type: str) -> None:
    spec = asked(field_type, options=["One"], allowed_currencies=["USD", "EUR"])
    raw = spec.from_cells(dict.fromkeys(spec.cell_parts, "  "))
    assert spec.clean(raw) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1985-03-27", date(1985, 3, 27)),
        ("1985-03-27 00:00:00", date(1985, 3, 27)),
        ("27.3.1985", date(1985, 3, 27)),
        ("27. März 1985", date(1985, 3, 27)),
        ("1er mars 1985", date(1985, 3, 1)),
        ("1.º DE MARZO DEL 2001", date(2001, 3, 1)),
        ("27-Mar-1985", date(1985, 3, 27)),
        ("March 27, 1985", date(1985, 3, 27)),
        ("27/03/1985", date(1985, 3, 27)),
        ("03/27/1985", date(1985, 3, 27)),
        ("04/04/1985", date(1985, 4, 4)),
        ("3.4.1985", date(1985, 4, 3)),
    ],
)
def test_a_date_is_read_as_people_write_it(text: str, found: date) -> None:
    assert asked("date").clean(typed("date", text)) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "could mean two dates") for text in ("03/04/1985", "3-4-1985", "03/12/1985")),
        *((text, "like 27 March 1985") for text in ("soon", "27.3.85", "31131", "1985-03-27 14:30:00")),
        # Longer than any date: it is not looked through for one.
        *((text, "like 27 March 1985") for text in (f"3 April{',' * 60}1985", f"1 x{' ' * 30_000}y")),
        *((text, "as a real date") for text in ("31.2.1985", "3/²/1985")),
    ],
)
def test_what_is_no_date_or_could_be_two_is_said(text: str, words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        asked("date").clean(typed("date", text))


def test_a_choice_is_found_by_its_words_and_stays_as_typed_where_it_is_not_offered() -> None:
    spec = asked("select", options=OPTIONS)
    for text in ("trading", " TRADING ", "Trading"):
        assert spec.from_cells({"": text}) == "Trading"
    for text in ("Nonsense", "Trad"):
        assert spec.from_cells({"": text}) == text
        with pytest.raises(AnswerError, match="one of these for"):
            spec.clean(text)


@pytest.mark.parametrize("text", ["CH", "Switzerland", "Schweiz", "suisse", "Suiza"])
def test_a_country_is_found_by_its_code_and_by_its_name_in_any_of_our_languages(text: str) -> None:
    assert typed("select", text, options=["CH", "NL"]) == "CH"
    assert typed("nationality", text) == ["CH"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("UK", "GB"),
        ("u.k.", "GB"),
        ("England", "GB"),
        ("GBR", "GB"),
        ("USA", "US"),
        ("the United States", "US"),
        ("Netherlands (the)", "NL"),
        ("EE. UU.", "US"),
        ("UAE", "AE"),
        ("Holland", "NL"),
        ("Turkey", "TR"),
        ("Hong Kong", "HK"),
        ("Czech Republic", "CZ"),
        ("Trinidad and Tobago", "TT"),
        ("Saint Lucia", "LC"),
        ("St. Kitts and Nevis", "KN"),
    ],
)
def test_a_country_is_found_by_its_usual_names_and_by_its_three_letters(text: str, code: str) -> None:
    assert typed("nationality", text) == [code]
    assert asked("address").from_cells({"country": text}) == {"country": code}


@pytest.mark.parametrize("text", ["SUN", "YUG", "Korea", "Congo Belge", "EU"])
def test_a_name_of_no_single_country_is_refused(text: str) -> None:
    with pytest.raises(AnswerError, match="list of countries"):
        asked("nationality").clean(typed("nationality", text))


@pytest.mark.parametrize("text", ["NL; NO", "Netherlands;Norway", "Netherlands\nNorway", "Netherlands, Norway"])
def test_several_are_told_apart_but_not_by_a_comma_within_a_choice(text: str) -> None:
    assert typed("nationality", text) == ["NL", "NO"]
    assert typed("multi_select", OPTIONS[0], options=OPTIONS) == [OPTIONS[0]]
    assert typed("multi_select", f"{OPTIONS[0]}; Trading", options=OPTIONS) == OPTIONS[:2]


@pytest.mark.parametrize(("text", "raw"), [("Yes", "true"), ("FALSE", "false"), ("ja", "true"), ("maybe", "maybe")])
def test_yes_and_no_are_words(text: str, raw: str) -> None:
    assert typed("boolean", text) == raw


def test_an_address_has_a_column_for_each_line_and_finds_its_country() -> None:
    spec = asked("address")
    raw = spec.from_cells({"street1": "1 Main St", "street2": "", "city": "Zug", "country": "Switzerland"})
    assert raw == {"street1": "1 Main St", "city": "Zug", "country": "CH"}
    assert spec.clean(raw).country == "CH"
    assert [bool(spec.cell_choices(part)) for part in spec.cell_parts] == [False] * 5 + [True]


def test_an_amount_takes_its_only_currency_by_itself() -> None:
    one, several = (asked("currency_amount", allowed_currencies=codes) for codes in (["USD"], ["USD", "EUR"]))
    assert one.cell_parts == ("amount",)
    assert one.from_cells({"amount": "500"}) == {"amount": "500", "currency": "USD"}
    assert several.from_cells({"amount": "500", "currency": "eur"}) == {"amount": "500", "currency": "EUR"}
