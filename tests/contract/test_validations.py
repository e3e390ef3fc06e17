"""Rules across answers, parties and shares (INTERFACE.md, "Validations")."""

from typing import Any

import pytest

from formation_portal.contract.needs import contradictory_answers, needs, needs_of_section
from formation_portal.contract.record import Holding, Record
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import check_schema
from formation_portal.contract.translation import translated_form

from .builders import entity, form, person, question, record, role, share_class


def stated(rule: str, message: str = "That can’t be", **more: Any) -> dict[str, Any]:
    return {"rule": rule, "message": message, **more}


def with_rule(rule: str, **more: Any) -> FormSchema:
    """Return a form with questions of each type, a role, shares and one rule."""
    return form(
        entity(
            question("town"),
            question("count", "number"),
            question("capital", "currency_amount", allowed_currencies=["CHF", "EUR"]),
            question("founded", "date", canonical_field="entity.date_of_foundation"),
            question("colours", "multi_select", options=["Red", "Green"]),
            question("seat", "address"),
            question("open", "boolean"),
            question("hidden", depends_on={"field": "open", "value": True}),
            question("small", "number", maximum=9),
        ),
        role(
            "director",
            question("first_name", canonical_field="person.first_name"),
            question("born", "date", canonical_field="person.date_of_birth"),
            question("code"),
            allows_corporate=True,
        ),
        role("shareholder", depends_on={"field": "open", "value": True}),
        {"scope": "share_structure", "title": "Shares", "depends_on": {"field": "open", "value": True}},
        validations=[stated(rule, **more)],
    )


SEAT = {"street1": "Rue 1", "city": "Genève", "postcode": "1201", "country": "CH"}


def outcome(rule: str, told: Record | None = None, **answers: Any) -> Any:
    schema = with_rule(rule)
    [verdict] = evaluate(schema, told or record(schema, **answers)).validations.verdicts()
    return verdict.fault or verdict.missing or verdict.holds


@pytest.mark.parametrize(
    ("rule", "answers", "expected"),
    [
        ('entity["xx.town"] == "Zug"', {"town": "Zug"}, True),
        ('entity["xx.count"] == 3.0', {"count": "3"}, True),
        ('type(entity["xx.count"]) == double', {"count": "3"}, True),
        (
            'type(entity["xx.capital"].amount) == double && entity["xx.capital"].amount > 19999.99',
            {"capital": {"amount": "20000", "currency": "CHF"}},
            True,
        ),
        ('entity["xx.capital"].currency == "EUR"', {"capital": {"amount": "20000", "currency": "CHF"}}, False),
        ('entity.date_of_foundation < "2026-11-21"', {"founded": "2026-11-20"}, True),
        ("entity.date_of_foundation > today", {"founded": "2026-11-22"}, True),
        ('"Green" in entity["xx.colours"]', {"colours": ["Red", "Green"]}, True),
        ('entity["xx.seat"].country == "CH"', {"seat": SEAT}, True),
        ('!entity["xx.open"]', {"open": "false"}, True),
        # Answers that are missing, inactive, unreadable or impossible are not read.
        ('entity["xx.town"] == "Zug"', {}, "xx.town"),
        ('entity["xx.hidden"] == "x"', {"hidden": "x", "open": "false"}, "xx.hidden"),
        ('entity["xx.count"] == 3.0', {"count": "three"}, "xx.count"),
        ('entity["xx.small"] > 0.0', {"small": "10"}, "xx.small"),
        ('entity["xx.count"] > "x"', {"count": "3"}, "No matching overloads found : _>_(double, string)"),
    ],
)
def test_a_rule_reads_active_answers_that_can_be_true(rule: str, answers: dict[str, Any], expected: Any) -> None:
    assert outcome(rule, **answers) == expected


def test_a_rule_reads_parties_with_active_roles_and_their_ages() -> None:
    schema = with_rule("true")
    told = record(
        schema,
        open="false",
        parties=(
            person(schema, "director", id="ada", born="2008-11-21", code="7"),
            person(schema, "director", id="kite", kind="corporate"),
            # The role is inactive, so that this party is not sent.
            person(schema, "shareholder", id="bo", born="1990-01-02"),
        ),
    )

    assert outcome('parties.map(p, p.id) == ["ada", "kite"]', told) is True
    assert outcome('parties.map(p, p.kind) == ["person", "corporate"]', told) is True
    assert outcome('parties.all(p, p.roles == ["director"])', told) is True
    assert outcome('parties[0].answers.first_name == "Ada" && parties[0].answers["xx.code"] == "7"', told) is True
    assert outcome("parties[0].age == 18 && type(parties[0].age) == int", told) is True
    assert outcome("parties[1].age == 18", told) == "age"


def test_a_rule_reads_share_classes_and_holdings_only_where_shares_are_asked_for() -> None:
    schema = with_rule("true")
    told = record(
        schema,
        open="true",
        parties=(person(schema, "shareholder", id="bo"), person(schema, "director", id="ada")),
        classes=(share_class(schema, id="a", par_value="1.25"),),
    )
    holdings = (Holding("bo", "a", 60), Holding("bo", "a", 0), Holding("ada", "a", 40))
    told = Record(told.answers, told.parties, told.share_classes, holdings, days=told.days)

    assert outcome('share_classes.map(c, c.id) == ["a"] && share_classes[0].par_value == 1.25', told) is True
    assert outcome("share_classes[0].voting_rights && share_classes[0].currency == 'USD'", told) is True
    assert (
        outcome('size(holdings) == 1 && holdings[0] == {"party": "bo", "share_class": "a", "shares": 60}', told) is True
    )
    without = record(schema, open="false", parties=told.parties, classes=told.share_classes)
    without = Record(without.answers, told.parties, told.share_classes, holdings, days=told.days)
    assert outcome("share_classes == [] && holdings == []", without) is True


def test_a_broken_rule_is_a_need_to_correct_at_its_question_and_advice_is_none() -> None:
    schema = form(
        entity(question("count", "number"), question("town", required=True), title="Plan"),
        role("director"),
        validations=[
            stated('entity["xx.count"] > 2.0', "At least three", field="count"),
            stated('entity["xx.count"] > 5.0', "Better six", field="xx.count", level="advice"),
            stated("size(parties) == 0", "Nobody", section="role:director"),
        ],
    )
    told = record(schema, count="1", town="Zug", parties=(person(schema, "director"),))
    contradictory = [need for need in needs(schema, told) if need.code == "contradictory"]

    assert [(need.text, need.section, need.field, need.is_correction) for need in contradictory] == [
        ("At least three", "plan", "xx.count", True),
        ("Nobody", "directors", None, True),
    ]
    state = evaluate(schema, told)
    assert state.validations.messages_at_fields("advice") == {"xx.count": "Better six"}
    assert state.validations.messages_at_fields("error") == {"xx.count": "At least three"}


def test_a_broken_rule_is_shown_at_its_section_once_nothing_is_missing_there() -> None:
    schema = form(
        entity(question("count", "number"), question("town", required=True)),
        validations=[stated('entity["xx.count"] > 2.0', "At least three", field="count")],
    )
    [section] = schema.sections

    unfinished = evaluate(schema, record(schema, count="1"))
    assert [need.code for need in needs_of_section(unfinished, section)] == ["required"]
    assert contradictory_answers(unfinished, section) == {}

    finished = evaluate(schema, record(schema, count="1", town="Zug"))
    assert [need.text for need in needs_of_section(finished, section)] == ["At least three"]
    assert contradictory_answers(finished, section)["xx.count"].message == "At least three"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({"field": "town"}, ("plan", "xx.town")),
        ({"field": "xx.town"}, ("plan", "xx.town")),
        ({"field": "person.nickname"}, ("directors", "")),
        ({"section": "role:director"}, ("directors", "")),
        ({"section": "Plan"}, ("plan", "")),
        ({"section": "share_structure"}, ("shares", "")),
    ],
)
def test_a_message_stands_at_the_question_or_section_that_the_rule_names(
    place: dict[str, str], expected: tuple[str, str]
) -> None:
    schema = form(
        entity(question("first"), title="First"),
        entity(question("town"), title="Plan"),
        role("director", question("nickname", canonical_field="person.nickname")),
        {"scope": "share_structure", "title": "Shares"},
        validations=[stated("false", **place)],
    )
    [verdict] = evaluate(schema, record(schema)).validations.verdicts()

    assert (verdict.validation.section, verdict.validation.field) == expected
    assert check_schema(schema).warnings == ()


@pytest.mark.parametrize(
    ("validations", "warnings"),
    [
        (None, []),
        ([], []),
        ("entity.x", ["Validation 1 is left out: it has no rule or no message"]),
        ([3], ["Validation 1 is left out: it has no rule or no message"]),
        ([{"rule": ["a"], "message": "M"}], ["Validation 1 is left out: it has no rule or no message"]),
        ([stated("true", "", section="Entity")], ["Validation 1 is left out: it has no rule or no message"]),
        (
            [stated("true", "M", level="fatal", section="Entity")],
            ["Validation 1 (“M”) is left out: its level is neither error nor advice"],
        ),
        (
            [stated("x > 1", "M", section="Entity")],
            ["Validation 1 (“M”) is left out: line 1, character 1: undeclared reference to 'x'"],
        ),
        (
            [stated("true", "M", section="Nowhere")],
            ["Validation 1 (“M”) names no section or question that the schema has; it stands at the first section"],
        ),
        (
            [stated('entity.citty == "x" || "towm" in entity || entity["xx.town"] == "y"', "M", field="town")],
            [
                "Validation 1 (“M”) reads “citty”, but no question has this name; it is not judged",
                "Validation 1 (“M”) reads “towm”, but no question has this name; it is not judged",
            ],
        ),
        (
            [stated('"x" in entity["xx.town"] || parties.all(p, "x" in p.answers.first_name)', "M", field="town")],
            [],
        ),
        (
            [stated('parties.all(p, p.answers.nick == "x" && p.answers["first_name"] == "y")', "M", field="town")],
            ["Validation 1 (“M”) reads “nick”, but no question has this name; it is not judged"],
        ),
    ],
)
def test_a_wrong_rule_is_left_out_with_a_warning(validations: Any, warnings: list[str]) -> None:
    schema = form(entity(question("town"), title="Entity"), role("director"), validations=validations)

    assert [finding.message for finding in check_schema(schema).warnings] == warnings
    assert [need for need in needs(schema, record(schema)) if need.code == "contradictory"] == []


def test_of_more_than_a_hundred_rules_the_others_are_left_out() -> None:
    rules = [stated("false", f"Message {number}", field="town") for number in range(1, 103)]
    schema = form(entity(question("town")), validations=rules)

    broken = [need.text for need in needs(schema, record(schema))]
    assert broken == [f"Message {number}" for number in range(1, 101)]
    assert [finding.message for finding in check_schema(schema).warnings] == [
        "Validation 101 (“Message 101”) is left out: there are more than 100 rules",
        "Validation 102 (“Message 102”) is left out: there are more than 100 rules",
    ]


def test_rules_that_come_after_two_seconds_of_others_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = form(entity(question("town")), validations=[stated("false", "First"), stated("false", "Second")])
    clock = iter((0.0, 2.1))
    monkeypatch.setattr("formation_portal.contract.validations.time.thread_time", lambda: next(clock))
    first, second = evaluate(schema, record(schema)).validations.verdicts()

    assert (first.holds, first.fault) == (False, "")
    assert (second.holds, second.fault) == (None, "the rules before it take too long")


def test_rules_that_read_different_values_are_judged_for_the_same_application() -> None:
    rules = ["size(entity) == 1", "size(parties) == 1", "parties != [] && size(entity) == 1", '"a" + "b" == today']
    schema = form(entity(question("town")), role("director"), validations=[stated(rule) for rule in rules])
    told = record(schema, town="Zug", parties=(person(schema, "director"),))
    verdicts = evaluate(schema, told).validations.verdicts()

    assert [verdict.holds for verdict in verdicts] == [True, True, True, False]


def test_messages_are_read_in_the_language_of_the_form() -> None:
    schema = form(entity(question("town")), validations=[stated("false", "No"), stated("true", "Never")])
    document = {
        "sections": [{"scope": "entity", "title": "T"}],
        "validations": [stated("false", "Nein"), stated("true", "Nie")],
    }

    assert [rule.message for rule in translated_form(schema, document, "de").validations] == ["Nein", "Nie"]
    other_rules = document | {"validations": [stated("true", "Nein"), stated("true", "Nie")]}
    assert [rule.message for rule in translated_form(schema, other_rules, "de").validations] == ["No", "Never"]
