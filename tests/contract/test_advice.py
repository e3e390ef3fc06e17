"""What is possible but doubtful is said, and prevents nothing (INTERFACE.md, "Advice")."""

from typing import Any

import pytest

from formation_portal.contract.advice import advice_of
from formation_portal.contract.needs import needs
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema

from .builders import entity, form, person, question, record, role, share_class

ENDINGS = ["Limited", "Ltd.", "S.A.", "Sociedad Anónima"]
SCHEMA = form(
    entity(
        question("name", canonical_field="entity.name"),
        question("ending", "select", canonical_field="entity.name_ending", options=ENDINGS),
        title="Name",
    ),
    role(
        "director",
        question("born", "date", canonical_field="person.date_of_birth"),
        question("until", "date", canonical_field="person.passport_expiry"),
    ),
)


def advice_on(schema: FormSchema = SCHEMA, **more: Any) -> list[str]:
    told = record(schema, **more)
    assert needs(schema, told) == ()
    return [advice.text for advice in advice_of(evaluate(schema, told))]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        # Today is 21 November 2026.
        (
            {"born": "2008-11-22"},
            "Ada Byron: this person is under 18. 22\u00a0November\u00a02008 makes this person 17",
        ),
        ({"born": "2008-11-21"}, None),
        ({"born": "1925-11-22"}, None),
        (
            {"born": "1925-11-21"},
            "Ada Byron: check the year of birth. 21\u00a0November\u00a01925 makes this person 101",
        ),
        ({"until": "2026-11-20"}, "Ada Byron: this document has expired. Use a valid one"),
        ({"until": "2026-11-21"}, "Ada Byron: this document expires in less than three months"),
        ({"until": "2027-02-18"}, "Ada Byron: this document expires in less than three months"),
        ({"until": "2027-02-19"}, None),
    ],
)
def test_a_date_of_a_person_is_doubtful_on_one_side_of_a_day(answers: dict[str, str], expected: str | None) -> None:
    parties = (person(SCHEMA, "director", **answers),)
    assert advice_on(parties=parties) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("name", "ending", "expected"),
    [
        ("Larkfield Ltd", "Limited", "The name already ends in “Ltd.”, and “Limited” is added"),
        ("Larkfield, LTD.", "Limited", "The name already ends in “Ltd.”, and “Limited” is added"),
        ("Larkfield SA", "Limited", "The name already ends in “S.A.”, and “Limited” is added"),
        ("Larkfield Sociedad Anónima", "S.A.", "The name already ends in “Sociedad Anónima”, and “S.A.” is added"),
        ("Larkfield LIMITED", "Limited", None),
        ("Larkfield", "Limited", None),
        ("Salsa", "Limited", None),
        ("Ltd. Larkfield", "Limited", None),
        ("Larkfield Ltd", None, None),
    ],
)
def test_a_name_with_an_ending_of_its_own_is_doubtful_beside_another(
    name: str, ending: str | None, expected: str | None
) -> None:
    answers = {"name": name} | ({"ending": ending} if ending else {})
    assert advice_on(**answers) == ([expected] if expected else [])


def test_advice_stands_in_the_order_of_the_form_with_its_place() -> None:
    schema = form(
        entity(question("town"), title="Plan"),
        role("director", question("born", "date", canonical_field="person.date_of_birth")),
        {
            "scope": "share_structure",
            "title": "Shares",
            "fields": [question("until", "date", canonical_field="share_class.licence_expiry")],
        },
        validations=[
            {"rule": "false", "message": "Few of them", "section": "role:director", "level": "advice"},
            {"rule": 'entity["xx.town"] == "Zug"', "message": "Zug is usual", "field": "town", "level": "advice"},
            {"rule": "true", "message": "Never said", "field": "town", "level": "advice"},
        ],
    )
    told = record(
        schema,
        town="Bern",
        parties=(person(schema, "director", born="2020-01-02"),),
        classes=(share_class(schema, until="2020-01-02"),),
    )
    advice = advice_of(evaluate(schema, told))

    assert [(remark.text.partition(". ")[0], remark.section, remark.field) for remark in advice] == [
        ("Zug is usual", "plan", "xx.town"),
        ("Few of them", "directors", None),
        ("Ada Byron: this person is under 18", "directors", "person.date_of_birth"),
        ("Class A: this document has expired", "shares", "share_class.licence_expiry"),
    ]
    assert [(remark.party_id, remark.share_class_id) for remark in advice[2:]] == [("ada", None), (None, "a")]
