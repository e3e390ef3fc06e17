"""Every field type answers for itself: post in, value, payload out, words."""

import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import phonenumbers
import pytest
from django.http import QueryDict
from django.utils.translation import override
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal import contract
from formation_portal.contract.fields import parsing
from formation_portal.contract.fields.address import AddressField
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.fields.currency_amount import CurrencyAmountField
from formation_portal.contract.fields.date import DateField
from formation_portal.contract.fields.iso_codes import sort_key
from formation_portal.contract.fields.text import ONE_NAME, PhoneField
from formation_portal.contract.fields.types import KNOWN_TYPES, read_field
from formation_portal.contract.fields.values import AnswerError
from tests.field_types import FIELD_TYPES, field_type_of

INTERFACE = Path(contract.__file__).with_name("INTERFACE.md")


def field(field_type: str, **more: Any) -> Any:
    return read_field({"key": "k", "label": "Capital", "field_type": field_type, **more})


@pytest.mark.parametrize("field_type", [*FIELD_TYPES, "unheard_of"])
@given(data=st.data())
def test_clean_payload_clean_is_the_identity(field_type: str, data: st.DataObject) -> None:
    definition, raw = data.draw(field_type_of(field_type).fitting)
    spec = read_field(definition)
    value = spec.clean(raw)
    assert value is not None
    travelled = json.loads(json.dumps(spec.payload(value)))
    assert spec.clean(travelled) == value
    assert spec.payload(spec.clean(travelled)) == spec.payload(value)
    assert spec.display(value)


def test_the_types_are_those_of_the_interface_and_of_the_tests() -> None:
    values = INTERFACE.read_text().partition("\n### Values\n")[2].partition("\n\nOptions are ")[0]
    names = re.findall(r"^\| (`.*?) \|", values, re.MULTILINE)
    documented = re.findall(r"`(\w+)`", " ".join(names))
    assert sorted(documented) == sorted(FIELD_TYPES) == sorted(member.type_name for member in KNOWN_TYPES)


@pytest.mark.parametrize("field_type", [*FIELD_TYPES, "unheard_of"])
def test_an_answer_is_read_sent_and_shown_as_the_interface_has_it(field_type: str) -> None:
    sample = field_type_of(field_type)
    spec = field(field_type, **sample.members)
    value = spec.clean(sample.typed)
    assert spec.payload(value) == sample.sent
    assert spec.display(value).replace("\xa0", " ") == sample.shown
    assert sample.accepts(sample.members, sample.sent)
    assert sample.accepts(sample.members, spec.valid_answer()) or spec.refers_to_share_class
    assert spec.payload(spec.clean(spec.valid_answer())) == spec.valid_answer()


@pytest.mark.parametrize(
    ("spec", "raw", "code"),
    [
        (field("text"), "a\x07b", "control_characters"),
        (field("text"), "x" * 501, "too_long"),
        (field("text"), 7, "not_text"),
        (field("select", options=["A"]), "B", "not_an_option"),
        (field("multi_select", options=["A"]), ["A", "B"], "not_an_option"),
        (field("multi_select", options=["A"]), "A", "not_a_list"),
        (field("boolean"), "yes", "not_a_boolean"),
        (field("date"), {"day": "31", "month": "2", "year": "2025"}, "not_a_date"),
        (field("date"), {"day": "9" * 12, "month": "2", "year": "2025"}, "not_a_date"),
        (field("date"), {"day": "3", "month": "", "year": "2025"}, "incomplete_date"),
        (field("date"), {"day": "3", "month": "2", "year": "25"}, "not_a_year"),
        (field("number"), "ten", "not_a_number"),
        (field("number"), "NaN", "not_a_number"),
        (field("number"), True, "not_a_number"),
        (field("number"), "1." + "0" * 33 + "1", "too_many_digits"),
        (field("number"), "1234567890123456", "too_many_digits"),
        (field("phone"), "12345", "not_a_phone_number"),
        *(
            (field("text", canonical_field=name), typed, "not_an_email_address")
            for name in ("person.email", "corporate.email", "entity.contact_email_address")
            for typed in ("ada", "ada@example", "ada @example.com", "a@b@example.com")
        ),
        (field("nationality"), ["XX"], "not_a_country"),
        (field("address"), {"street1": "1 Main St"}, "incomplete_address"),
        (field("address"), {"street1": "1", "city": "Zug", "country": "Swiss"}, "not_a_country"),
        (field("currency_amount"), {"amount": "5"}, "currency_missing"),
        (
            field("currency_amount", allowed_currencies=["EUR"]),
            {"amount": "5", "currency": "USD"},
            "currency_not_allowed",
        ),
        (field("currency_amount"), {"amount": "-5", "currency": "USD"}, "negative"),
        (field("currency_amount"), {"amount": "5.0001", "currency": "USD"}, "too_precise"),
        (field("currency_amount"), {"amount": "5.001", "currency": "USD"}, "ambiguous"),
        (field("currency_amount"), {"amount": "5.5", "currency": "JPY"}, "too_precise"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_way_out(spec: Any, raw: Any, code: str) -> None:
    with pytest.raises(AnswerError) as refusal:
        spec.clean(raw)
    assert refusal.value.code == code
    assert refusal.value.message.split()[0] in {"Enter", "Choose", "Answer", "Shorten"}
    assert "Capital" in refusal.value.message


@pytest.mark.parametrize(
    ("spec", "raw", "value"),
    [
        (field("number"), "10 000", 10000),
        (field("number"), "10,000.50", Decimal("10000.5")),
        (field("number"), "-0", 0),
        (field("date"), {"day": "3", "month": "March", "year": "1985"}, date(1985, 3, 3)),
        (field("date"), "1985-03-27", date(1985, 3, 27)),
        (field("boolean"), "false", False),
        (field("text"), "  Jose\u0301 ", "José"),
        (field("multi_select", options=["A", "B"]), ["B", "", "A", "B"], ("A", "B")),
        (field("phone"), "+41 (0)41 728 80 00", "+41417288000"),
        (field("nationality"), ["XK"], ("XK",)),
        (field("text", canonical_field="person.email"), "ödön@exämple.de", "ödön@exämple.de"),
        (field("text", canonical_field="person.emailed"), "ada", "ada"),
        (field("text", csp_field_key="xy.email"), "ada", "ada"),
        (field("date"), {"day": "", "month": "", "year": ""}, None),
        (field("currency_amount", allowed_currencies=["EUR", "USD"]), {"amount": "", "currency": "EUR"}, None),
    ],
)
def test_what_people_type_is_understood(spec: Any, raw: Any, value: Any) -> None:
    assert spec.clean(raw) == value


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_key_can_be_mistaken_for_another_or_for_a_part(one: str, other: str) -> None:
    some = read_field({"key": one, "field_type": "date", "label": "x"}) if one.strip() else None
    more = read_field({"key": other, "field_type": "date", "label": "x"}) if other.strip() else None
    if some and more and one != other:
        assert control_name(some) != control_name(more)
        assert f"{control_name(some)}:day" != control_name(more)


def test_a_form_that_lacks_the_control_is_told_from_one_where_it_was_emptied() -> None:
    for field_type in FIELD_TYPES:
        assert field(field_type).from_post(QueryDict("other=1"), "q:k") is None
    spec = field("multi_select", options=["A"])
    assert spec.from_post(QueryDict("q:k="), "q:k") == []
    assert spec.from_post(QueryDict("q:k=&q:k=A"), "q:k") == ["A"]


@pytest.mark.parametrize("spec", [field("multi_select", options=["AX", "DE", "CH", "ZA", "NL"]), field("nationality")])
def test_countries_stand_in_the_order_of_their_names_in_each_language(spec: FieldSpec) -> None:
    orders = []
    for spoken in ("en", "de", "fr", "es"):
        with override(spoken):
            labels = [sort_key(choice.label) for choice in spec.choices()]
            assert labels == sorted(labels)
            orders.append([choice.value for choice in spec.choices()])
    assert len({tuple(order) for order in orders}) > 1


NONE = "None of these"
ACTIVITIES = field("multi_select", options=["Banking", "Shipping", NONE], exclusive_options=[NONE])


@pytest.mark.parametrize(
    ("before", "posted", "kept"),
    [
        (["Banking"], ["Banking", NONE], [NONE]),
        (["Banking", "Shipping"], ["Banking", "Shipping", NONE], [NONE]),
        ([NONE], ["Banking", "Shipping", NONE], ["Banking", "Shipping"]),
        ([], [NONE], [NONE]),
        (None, ["Banking", NONE], ["Banking", NONE]),
        (["Banking", NONE], ["Banking", NONE], ["Banking", NONE]),
    ],
)
def test_of_options_that_exclude_each_other_the_newer_counts_and_both_are_refused(
    before: Any, posted: list[str], kept: list[str]
) -> None:
    assert ACTIVITIES.resolve_exclusive(posted, before) == kept
    if len(kept) == 1 or NONE not in kept:
        assert ACTIVITIES.clean(kept) == tuple(kept)
        return
    with pytest.raises(AnswerError, match="None of these") as refused:
        ACTIVITIES.clean(kept)
    assert refused.value.code == "not_an_option"


CAPITAL = CurrencyAmountField(
    field_type="currency_amount", key="capital", label="Capital", allowed_currencies=("USD", "EUR", "JPY")
)
BORN = DateField(field_type="date", key="born", label="Born")
HOME = AddressField(field_type="address", key="home", label="Home")


@pytest.mark.parametrize(
    ("spec", "raw", "parts"),
    [
        *((CAPITAL, {"amount": text, "currency": "JPY"}, ("amount",)) for text in ("lots", "-5", "9" * 20, "1.005")),
        *((CAPITAL, {"amount": "5", "currency": text}, ("currency",)) for text in ("", "CHF", "no currency")),
        (BORN, {"day": "3", "month": "", "year": "1985"}, ("month",)),
        (BORN, {"day": "", "month": "3", "year": ""}, ("day", "year")),
        (BORN, {"day": "3", "month": "3", "year": "85"}, ("year",)),
        (BORN, {"day": "31", "month": "2", "year": "1985"}, ("day", "month", "year")),
        (HOME, {"street1": "1 Main St", "city": "", "country": ""}, ("city", "country")),
        (HOME, {"street1": "1 Main St", "city": "Zug", "country": "XX"}, ("country",)),
    ],
)
def test_of_an_answer_of_several_parts_those_that_are_wrong_are_named(
    spec: FieldSpec, raw: dict[str, str], parts: tuple[str, ...]
) -> None:
    with pytest.raises(AnswerError) as caught:
        spec.clean(raw)
    assert spec.wrong_parts(caught.value.code, raw) == parts


PHONE = PhoneField(key="phone", label="Phone")


@pytest.mark.parametrize("extension", [" ext. 12", "x12", " доб. 12", ";ext=12", " anexo 12"])
def test_an_extension_is_said_not_to_be_sent(extension: str) -> None:
    typed = f"+41 44 668 18 00{extension}"

    assert PHONE.clean(typed) == "+41446681800"
    assert PHONE.ambiguity_note(typed) == "We send this number without the extension 12."


@pytest.mark.parametrize("typed", ["+41 44 668 18 00", "12", "", None])
def test_without_an_extension_nothing_is_said(typed: str | None) -> None:
    assert PHONE.ambiguity_note(typed) == ""


_CODES = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
# One code in ten is nobody's.
_NUMBERS = st.builds(
    "+{}{}".format,
    st.sampled_from(_CODES) | st.integers(0, 999),
    st.text("0123456789", max_size=18) | st.text("01", max_size=12),
)


@given(_NUMBERS)
@example("+41446681234")
# A national prefix that is dropped, a zero that is kept, and one too few or too many.
@example("+410446681234")
@example("+390612345678")
@example("+4144668")
@example("+2618222377")
@example("+" + "1" * 18)
def test_a_telephone_number_is_what_the_library_makes_of_it(text: str) -> None:
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        with pytest.raises(AnswerError):
            PHONE.clean(text)
    else:
        sent = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
        assert PHONE.clean(text) == sent


@given(st.from_regex(r"-?[0-9]{1,17}(\.[0-9]{1,16})?", fullmatch=True))
@example("0")
@example("-0")
@example("007")
@example("1000.50")
@example("1.0")
@example("12345678.1234567000")
@example("123456789012345")
@example("1234567890123456")
def test_a_number_is_the_same_with_a_space_behind_it(text: str) -> None:
    """A space takes the long way."""
    read = []
    for typed in (text, f"{text} "):
        try:
            read.append(parsing.decimal(typed, label="Number").as_tuple())
        except AnswerError as error:
            read.append((error.code, error.message))
    assert read[0] == read[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["Trading", "Holding shares"], "Choose one of these for “F”: Trading; Holding shares"),
        (["CH", "VG"], "Choose “F” from the list of countries"),
        (["A long option", "B" * 200], "Choose one of the options for “F”"),
    ],
)
def test_an_answer_that_is_no_option_is_told_the_options_where_they_are_short(options: list[str], message: str) -> None:
    with pytest.raises(AnswerError) as refused:
        field("select", label="F", options=options).clean("Fishing")
    assert refused.value.message == message


FIRST_NAME = field("text", canonical_field="person.first_name")


def test_the_tick_for_one_name_only_is_an_answer_without_a_name() -> None:
    assert FIRST_NAME.from_post(QueryDict("c=Ada&c:one_name=true"), "c") == ONE_NAME
    assert FIRST_NAME.from_post(QueryDict("c=Ada"), "c") == "Ada"
    assert FIRST_NAME.from_post(QueryDict("d=Ada"), "c") is None
    assert (FIRST_NAME.clean(ONE_NAME), FIRST_NAME.payload("")) == ("", "")
    assert (FIRST_NAME.display(""), FIRST_NAME.display("Ada")) == ("Has only one name", "Ada")


def test_a_dash_for_a_first_name_is_the_tick() -> None:
    assert FIRST_NAME.from_post(QueryDict("c= - "), "c") == ONE_NAME
    assert FIRST_NAME.from_cells({"": "-"}) == ONE_NAME


def test_only_a_persons_first_name_has_the_tick() -> None:
    for name in ("person.last_name", "corporate.name", None):
        assert field("text", canonical_field=name, csp_field_key="xy.first_name").ticks == ()
    assert field("select", canonical_field="person.first_name", options=["Ada"]).ticks == ()
