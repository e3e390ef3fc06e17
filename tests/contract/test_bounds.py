"""Values outside the bounds of a schema cannot be true (INTERFACE.md, "Optional members", "Bounds")."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from formation_portal.contract.fields.bounds import Days
from formation_portal.contract.fields.date import age_on
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import check_schema

from .builders import entity, form, person, question, record, role


def answers_needed(schema: FormSchema, told: Record) -> list[tuple[str, str]]:
    """Return code and sentence of every need, but for roles that too few have."""
    return [(need.code, need.text) for need in needs(schema, told) if need.code != "minimum"]


def sent(schema: FormSchema, told: Record) -> dict[str, Any]:
    """Return the entity's answers that may be sent, by key."""
    return {spec.key: value for spec, value in evaluate(schema, told).active_answers()}


IN_FRANCS = {"allowed_currencies": ["CHF"], "minimum": 20000}
IN_TWO = {"allowed_currencies": ["CHF", "EUR"], "minimum": {"CHF": 20000, "EUR": 21000}}
IN_YEN = {"allowed_currencies": ["JPY"], "maximum": 500}
BIRTH = {"canonical_field": "person.date_of_birth", "csp_field_key": None}
ADULT = {"minimum_age": 18, "bound_message": "Directors must be 18 or older."}


@pytest.mark.parametrize(
    ("field_type", "members", "typed", "sentence"),
    [
        ("number", {"minimum": 3}, "2", "“n” must be 3 or more"),
        ("number", {"minimum": 3}, "3", ""),
        ("number", {"maximum": 9.5}, "9.5", ""),
        ("number", {"maximum": 0.1}, "0.1", ""),
        ("number", {"minimum": 3, "maximum": 9}, "11", "“n” must be from 3 to 9"),
        ("number", {"integer": True}, "1.5", "“n” must be a whole number"),
        ("number", {"minimum": 25, "bound_message": "The court takes a quarter"}, "20", "The court takes a quarter"),
        ("number", {"canonical_field": "entity.number_of_shares"}, "-5", "“n” must be 1 or more"),
        ("number", {"canonical_field": "entity.number_of_shares"}, "7.5", "“n” must be a whole number"),
        ("number", {"canonical_field": "entity.voting_percent"}, "100.0001", "“n” must be from 0 to 100"),
        ("currency_amount", IN_FRANCS, {"amount": "20000", "currency": "CHF"}, ""),
        ("currency_amount", IN_TWO, {"amount": "20500", "currency": "EUR"}, "“n” must be EUR 21,000.00 or more"),
        ("currency_amount", IN_YEN, {"amount": "501", "currency": "JPY"}, "“n” must be JPY 500 or less"),
        ("date", {"minimum": "2026-01-31"}, "2026-01-30", "“n” must be 31 January 2026 or later"),
        ("date", {"minimum": "2026-01-31"}, "2026-01-31", ""),
        ("date", {"maximum": "today"}, "2026-11-22", "“n” must not be in the future"),
        ("date", {"minimum": "today"}, "2026-11-20", "“n” must not be in the past"),
        ("date", BIRTH, "2026-11-21", "“n” must be in the past"),
        (
            "date",
            BIRTH,
            "1906-11-21",
            "This person must be 119 or younger. 21 November 1906 makes this person 120",
        ),
        ("date", ADULT, "2020-01-01", "Directors must be 18 or older. 1 January 2020 makes this person 6"),
        (
            "date",
            {"minimum_age": 18},
            "2008-11-22",
            "This person must be 18 or older. 22 November 2008 makes this person 17",
        ),
        ("date", {"minimum_age": 18}, "2008-11-21", ""),
    ],
)
def test_an_answer_outside_its_bounds_is_said_to_be_impossible_and_not_sent(
    field_type: str, members: dict[str, Any], typed: Any, sentence: str
) -> None:
    schema = form(entity(question("n", field_type, **members)))
    told = record(schema, n=typed)
    needed = [(code, text.replace("\u00a0", " ")) for code, text in answers_needed(schema, told)]
    assert needed == ([("impossible", sentence)] if sentence else [])
    assert ("n" in sent(schema, told)) is not bool(sentence)


def test_an_age_is_whole_years_on_the_day_that_favours_the_person() -> None:
    """At 11:00 UTC on the 20th it is the 19th in the west and, from UTC+13, the 21st in the east."""
    moment = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)
    days = Days.at(moment)
    assert days == Days(date(2026, 11, 19), date(2026, 11, 21))
    for zone in ("Pacific/Marquesas", "Pacific/Chatham"):
        assert Days.at(moment.astimezone(ZoneInfo(zone))) == days, zone
    fields = (
        question("adult", "date", minimum_age=18),
        question("child", "date", maximum_age=17),
        question("past", "date", maximum="today"),
        question("future", "date", minimum="today"),
    )
    schema = form(entity(*fields))
    fine = {"adult": "2008-11-21", "child": "2008-11-20", "past": "2026-11-21", "future": "2026-11-19"}
    assert answers_needed(schema, replace(record(schema, **fine), days=days)) == []
    wrong = {"adult": "2008-11-22", "child": "2008-11-19", "past": "2026-11-22", "future": "2026-11-18"}
    codes = [code for code, _ in answers_needed(schema, replace(record(schema, **wrong), days=days))]
    assert codes == ["impossible"] * 4
    assert age_on(date(2026, 2, 28), born=date(2008, 2, 29)) == 17
    assert age_on(date(2026, 3, 1), born=date(2008, 2, 29)) == 18


def test_a_text_a_list_and_a_role_have_at_most_their_own_number() -> None:
    schema = form(entity(question("t", max_length=4), question("u", "textarea", max_length=6)))
    assert answers_needed(schema, record(schema, t="four", u="six by")) == []
    assert answers_needed(schema, record(schema, t="fives", u="sevenly")) == [
        ("impossible", "Shorten “t” to 4 characters or fewer. It has 5"),
        ("impossible", "Shorten “u” to 6 characters or fewer. It has 7"),
    ]
    schema = form(entity(question("m", "multi_select", options=["a", "b", "c"], maximum=2)))
    assert answers_needed(schema, record(schema, m=["a", "c"])) == []
    assert answers_needed(schema, record(schema, m=["a", "b", "c"])) == [
        ("impossible", "Choose at most 2 answers to “m”")
    ]
    schema = form(role("director", maximum=2))
    three = tuple(person(schema, "director", id=str(number)) for number in range(3))
    assert answers_needed(schema, record(schema, parties=three[:2])) == []
    assert answers_needed(schema, record(schema, parties=three)) == [
        ("too_many_parties", "Remove 1 under “Directors” (at most 2)")
    ]


def test_an_impossible_answer_decides_no_rule() -> None:
    rule = {"field": "n", "operator": "includes_any", "value": [7, 12]}
    schema = form(entity(question("n", "number", maximum=10), question("more", required=True, depends_on=rule)))
    assert answers_needed(schema, record(schema, n="7")) == [("required", "Enter “more”")]
    assert answers_needed(schema, record(schema, n="12")) == [("impossible", "“n” must be 10 or less")]


def test_a_party_is_judged_by_each_active_role_and_reads_the_strictest_bound() -> None:
    by_board = {"field": "board", "value": True}
    schema = form(
        entity(question("board", "boolean")),
        role("member", question("born", "date", **BIRTH)),
        role("director", question("born", "date", **BIRTH, minimum_age=18, bound_message="Directors: 18")),
        role("manager", question("born", "date", **BIRTH, minimum_age=21, bound_message="Managers: 21")),
        role("supervisor", question("born", "date", **BIRTH, minimum_age=25), depends_on=by_board),
    )

    def text(*roles: str, board: str = "false") -> list[str]:
        told = record(schema, parties=(person(schema, *roles, born="2010-06-01"),), board=board)
        return [sentence for _, sentence in answers_needed(schema, told)]

    assert text("member") == []
    assert text("member", "director") == ["Ada Byron: directors: 18. 1\u00a0June\u00a02010 makes this person 16"]
    assert text("director", "manager") == ["Ada Byron: managers: 21. 1\u00a0June\u00a02010 makes this person 16"]
    assert text("member", "supervisor") == []
    assert text("member", "supervisor", board="true") == [
        "Ada Byron: this person must be 25 or older. 1\u00a0June\u00a02010 makes this person 16"
    ]


def owners(schema: FormSchema, *parts: str) -> Record:
    """Return a record of members with these parts; "" for one who has not answered."""
    parties = tuple(
        person(schema, "member", id=f"member-{number}", **({"part": part} if part else {}))
        for number, part in enumerate(parts)
    )
    return record(schema, parties=parties)


@pytest.mark.parametrize(
    ("total", "parts", "needed"),
    [
        ({"equals": 100}, ("33.33", "33.33", "33.33"), []),
        ({"equals": 100}, ("33.33", "33.33", "33.3"), [("total_short", "99.96%", "0.04%")]),
        ({"equals": 100}, ("16.66",) * 6, []),
        ({"equals": 100}, ("40", ""), []),
        ({"equals": 100}, ("75", "40", ""), [("total_exceeded", "115%", "100%")]),
        ({"maximum": 100}, ("75", "25.005"), [("total_exceeded", "100.005%", "100%")]),
    ],
)
def test_the_answers_of_a_role_add_up(
    total: dict[str, Any], parts: tuple[str, ...], needed: list[tuple[str, ...]]
) -> None:
    part = question("part", "number", canonical_field="party.ownership_percentage", csp_field_key=None)
    schema = form(role("member", part, total={"field": "part", **total}))
    found = [need for need in needs(schema, owners(schema, *parts)) if need.code.startswith("total")]
    assert [need.code for need in found] == [code for code, *_ in needed]
    assert all(figure in need.text for need, (_, *figures) in zip(found, needed, strict=True) for figure in figures)
    assert all(need.is_correction is (need.code == "total_exceeded") for need in found)


@pytest.mark.parametrize(
    "section",
    [
        entity(question("f", "number", minimum=5, maximum=4)),
        entity(question("f", "number", minimum_age=18)),
        entity(question("f", "date", minimum="31 January")),
        entity(question("f", "currency_amount", minimum=5, allowed_currencies=["CHF", "EUR"])),
        entity(question("f", "text", maximum=5)),
        entity(question("f", "multi_select", options=["a"], maximum=0)),
        role("director", minimum=3, maximum=2),
        role("director", maximum="two"),
        role("director", total={"field": "nobody", "equals": 100}),
        role("director", question("n", "number"), total=["n"]),
    ],
)
def test_bounds_that_cannot_be_met_or_do_not_fit_the_type_are_left_out(section: dict[str, Any]) -> None:
    schema = form(section)
    assert {warning.code for warning in check_schema(schema).warnings} == {"bad_bound"}
    assert not check_schema(schema).faults
    if schema.role_sections:
        three = tuple(person(schema, "director", id=str(number), n="90") for number in range(3))
        assert answers_needed(schema, record(schema, parties=three)) == []
