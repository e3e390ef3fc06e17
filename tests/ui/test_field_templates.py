"""One template a field type: drawn from real questions, blank, answered and refused."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.iso_codes import COUNTRIES
from formation_portal.contract.fields.types import KNOWN_TYPES, UnknownField, read_field
from formation_portal.ui.forms.question import Question
from formation_portal.ui.templatetags.components import question_mark
from tests.markup import Element, Markup

TYPES = [member.type_name for member in (*KNOWN_TYPES, UnknownField)]
ODD = "<b>Odd</b> & \"quoted\" 'label'"


def spec(field_type: str, **more: Any) -> FieldSpec:
    return read_field({"key": "a-b", "label": ODD, "field_type": field_type, "help": ODD, **more})


def draw(field: FieldSpec, **more: Any) -> Markup:
    """The question as its template draws it, which must be sound whatever it holds."""
    q = Question(spec=field, name="q:a-b", **more)
    markup = Markup(render_to_string(q.template, {"q": q}))
    assert markup.faults == []
    assert markup.unlabelled() == []
    assert not markup.all("b"), "what a schema says is never markup"
    assert not any("required" in one.attributes for one in markup.controls)
    return markup


def options(count: int) -> dict[str, Any]:
    return {"options": [f"{ODD} {number}" for number in range(count)]}


def first(markup: Markup) -> Element:
    """The control that the error summary links to."""
    return next(one for one in markup.elements if one.attributes.get("id") == "q:a%2Db")


@pytest.mark.parametrize("count", [3, 30])
@pytest.mark.parametrize(("error", "optional"), [("", True), ("Enter it like <b>this</b>", False)])
@pytest.mark.parametrize("field_type", TYPES)
def test_a_question_is_tied_to_its_label_hint_and_error(
    field_type: str, optional: bool, error: str, count: int
) -> None:
    classes = tuple(Choice(f"sc_{number}", ODD) for number in range(count))
    markup = draw(spec(field_type, **options(count)), optional=optional, error=error, share_classes=classes)
    assert first(markup).tag in {"input", "select", "textarea"}
    described = " ".join(one.attributes.get("aria-describedby", "") for one in markup.elements)
    assert "q:a%2Db-hint" in described
    assert ("q:a%2Db-error" in described) is bool(error)
    assert bool(markup.all("p", class_="error")) is bool(error)
    assert (
        any(one.attributes.get("aria-invalid") == "true" for one in markup.elements) is bool(error)
        or field_type == "multi_select"
    )
    assert any(one.text == "(optional)" for one in markup.all("span")) is optional


def test_what_was_typed_is_shown() -> None:
    for field_type in ("text", "number", "phone", "made_up"):
        assert first(draw(spec(field_type), typed=ODD)).attributes["value"] == ODD
    assert first(draw(spec("textarea"), typed="\nSecond line")).text == "\n\nSecond line"


def test_few_answers_are_shown_and_many_are_a_list() -> None:
    assert len(draw(spec("select", **options(6))).all("input", type="radio")) == 6
    assert len(draw(spec("select", **options(9))).all("option")) == 10


def test_a_chosen_answer_is_the_only_one_chosen() -> None:
    for count in (3, 9):
        field = spec("select", **options(count))
        chosen = [
            one.attributes.get("value", one.text)
            for one in draw(field, typed=field.options[2]).elements
            if {"checked", "selected"} & one.attributes.keys()
        ]
        assert chosen == [field.options[2]]


def radios(**more: Any) -> list[tuple[str, bool]]:
    controls = draw(spec("boolean"), **more).all("input", type="radio")
    return [(control.attributes["value"], "checked" in control.attributes) for control in controls]


def test_neither_yes_nor_no_is_chosen_while_unanswered_and_an_optional_choice_can_be_taken_back() -> None:
    assert radios() == [("true", False), ("false", False)]
    assert radios(typed="true", optional=True) == [("true", True), ("false", False), ("", False)]


def test_a_question_with_nothing_ticked_is_still_posted() -> None:
    hidden = draw(spec("multi_select", **options(30))).one("input", type="hidden")
    assert hidden.attributes == {"type": "hidden", "name": "q:a-b", "value": ""}


@pytest.mark.parametrize("count", [5, 13, 60])
def test_every_option_of_many_can_be_chosen_once(count: int) -> None:
    field = spec("multi_select", **options(count))
    markup = draw(field, typed=list(field.options[-2:]))
    # An option without a value is posted by its words.
    offered = [
        one.attributes.get("value", one.text) for one in (*markup.all("input", type="checkbox"), *markup.all("option"))
    ]
    assert sorted(filter(None, offered)) == sorted(field.options)
    ticked = [one.attributes["value"] for one in markup.all("input", type="checkbox") if "checked" in one.attributes]
    assert sorted(ticked) == sorted(field.options[-2:])


def test_a_disclosure_that_hides_a_ticked_box_stands_open() -> None:
    field = spec("multi_select", **options(30))
    assert "open" in draw(field, typed=[field.options[20]]).one("details").attributes
    assert "open" not in draw(field, typed=[field.options[0]]).one("details").attributes


def test_countries_are_added_one_by_one() -> None:
    markup = draw(spec("multi_select", options=list(COUNTRIES)), typed=["NO", "NL"])
    assert sorted(one.attributes["value"] for one in markup.all("input", type="checkbox")) == ["NL", "NO"]
    assert markup.one("button").attributes["name"] == "update"


def selected(markup: Markup) -> list[str]:
    return [one.attributes["value"] for one in markup.all("option") if "selected" in one.attributes]


def test_each_nationality_has_a_list_and_one_more_waits() -> None:
    markup = draw(spec("nationality"), typed=["NO", "NL"])
    selects = markup.all("select", name="q:a-b")
    assert len(selects) == 3
    assert selected(markup) == ["NO", "NL"]
    assert len(markup.all("option")) == 3 * (len(COUNTRIES) + 1)
    assert selected(draw(spec("nationality"), typed=['"><script>'])) == [], "no country"


def test_a_date_has_three_labelled_parts() -> None:
    markup = draw(spec("date"), typed={"day": "31", "month": "June", "year": ODD})
    assert [one.text for one in markup.all("label")] == ["Day", "Month", "Year"]
    parts = [(one.attributes["name"], one.attributes["value"]) for one in markup.controls]
    assert parts == [("q:a-b:day", "31"), ("q:a-b:month", "June"), ("q:a-b:year", ODD)]


def test_an_address_chooses_its_country() -> None:
    markup = draw(spec("address"), typed={"country": "NO", "city": ODD})
    assert selected(markup) == ["NO"]
    assert markup.one("input", name="q:a-b:city").attributes["value"] == ODD


def test_a_single_currency_is_fixed_and_several_are_a_list() -> None:
    markup = draw(spec("currency_amount", allowed_currencies=["USD"]))
    assert markup.one("input", type="hidden").attributes["value"] == "USD"
    assert markup.all("select") == []
    markup = draw(spec("currency_amount", allowed_currencies=["USD", "EUR"]), typed={"currency": "EUR"})
    assert selected(markup) == ["EUR"]


def test_without_share_classes_the_earlier_answer_is_kept() -> None:
    q = Question(spec=spec("share_class_ref"), name="q:a-b", typed="sc_1")
    markup = Markup(render_to_string(q.template, {"q": q, "shares_url": "/shares/"}))
    assert markup.one("input").attributes["value"] == "sc_1"
    assert markup.one("a").attributes["href"] == "/shares/"


@pytest.mark.parametrize(
    ("field", "more", "text"),
    [
        (spec("address", provided_by_agent=True), {"given": ("Waterfront Drive", ODD)}, ODD),
        (spec("select"), {"unanswerable": "it has no options"}, "It has no options."),
    ],
    ids=["the agent's address", "no options"],
)
def test_what_nobody_can_answer_asks_nothing(field: FieldSpec, more: dict[str, Any], text: str) -> None:
    markup = draw(field, **more)
    assert markup.controls == []
    assert text in markup.one("p", class_="given").text


def test_the_mark_can_be_swapped_without_the_control() -> None:
    q = Question(spec=spec("text"), name="q:a-b", is_answered=True)
    in_page = Markup(render_to_string(q.template, {"q": q})).one("span", id="q:a%2Db-mark")
    alone = Markup(question_mark(q, swapped=True))
    assert alone.one("span").attributes == in_page.attributes | {"hx-swap-oob": "true"}
    assert alone.controls == []


@pytest.mark.parametrize(
    ("code", "marked"),
    [("not_a_number", ["q:a-b:amount"]), ("currency_missing", ["q:a-b:currency"]), ("", None)],
)
def test_of_an_amount_only_the_control_that_is_wrong_is_marked(code: str, marked: list[str] | None) -> None:
    more = {"typed": {"amount": "lots", "currency": "EUR"}, "error": "Enter it", "error_code": code}
    markup = draw(spec("currency_amount", allowed_currencies=["USD", "EUR"]), **more)
    wrong = [one.attributes["name"] for one in markup.controls if one.attributes.get("aria-invalid") == "true"]
    assert wrong == (marked or ["q:a-b:amount", "q:a-b:currency"])
    for one in markup.controls:
        assert ("q:a%2Db-error" in one.attributes.get("aria-describedby", "")) is (one.attributes["name"] in wrong)


@pytest.mark.parametrize(
    ("canonical_field", "field_type", "tokens"),
    [
        ("person.email", "text", {"email"}),
        ("person.date_of_birth", "date", {"bday-day", "bday-month", "bday-year"}),
        (
            "person.residential_address",
            "address",
            {"address-line1", "address-line2", "address-level1", "address-level2", "postal-code", "country"},
        ),
        ("corporate.registered_address", "address", set()),
        ("person.place_of_birth", "text", set()),
    ],
)
def test_browsers_fill_in_the_readers_own_data_alone(canonical_field: str, field_type: str, tokens: set[str]) -> None:
    asked = spec(field_type, canonical_field=canonical_field)
    own = {one.attributes.get("autocomplete") for one in draw(asked, is_own=True).controls}
    others = {one.attributes.get("autocomplete") for one in draw(asked).controls}
    assert own - {None} == tokens
    assert others == {"off"}
