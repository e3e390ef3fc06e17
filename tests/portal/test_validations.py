"""A rule across answers that is broken: at its question or section, on the check page, desk and workbench."""

import json
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.portal.pages import Link
from formation_portal.ui.templatetags import components
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, people_page, root
from tests.portal.parties.test_owners import submit_unchecked

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TOO_MANY = "A small company has up to nine employees"
TOO_FEW = "A large company usually has more employees"
TAKEN = "This name is taken"
NO_PERSON = "One director must be a person"
ALONE = "Two directors are usual"
TWO_CLASSES = "One class of shares is usual"
SCHEMA: dict[str, Any] = factories.SCHEMA | {
    "sections": [
        {
            "scope": "entity",
            "title": "The company",
            "fields": [
                factories.field("name", canonical_field="entity.name"),
                factories.field("size", "select", options=["Small", "Large"]),
                factories.field("staff", "number", required=False),
            ],
        },
        {"scope": "role:director", "title": "Directors", "minimum": 1, "allows_corporate": True, "person_fields": []},
        {"scope": "share_structure", "title": "Share classes"},
    ],
    "validations": [
        {
            "rule": 'entity["xy.size"] != "Small" || entity["xy.staff"] <= 9.0',
            "message": TOO_MANY,
            "field": "staff",
        },
        {
            "rule": 'entity["xy.size"] != "Large" || entity["xy.staff"] > 9.0',
            "message": TOO_FEW,
            "field": "xy.size",
            "level": "advice",
        },
        {"rule": 'entity.name != "Apple"', "message": TAKEN, "section": "The company"},
        {"rule": 'parties.exists(p, p.kind == "person")', "message": NO_PERSON, "section": "role:director"},
        {"rule": "size(parties) > 1", "message": ALONE, "section": "Directors", "level": "advice"},
        {
            "rule": "size(share_classes) < 2",
            "message": TWO_CLASSES,
            "section": "share_structure",
            "level": "advice",
        },
    ],
}
KITE = {"corporate.name": "Kite Ltd"}


@pytest.fixture
def draft(owner: Any) -> Draft:
    return factories.new_draft(owner, schema=SCHEMA)


def save_answers(draft: Draft, owner: Any, **answers: str) -> None:
    raw = {"entity.name" if key == "name" else f"xy.{key}": value for key, value in answers.items()}
    factories.save_section(draft, "the-company", raw, by=owner)


def type_in(client: Client, draft: Draft, **answers: str) -> str:
    """Save a control of the section as htmx does, and return what it swaps."""
    version = open_draft(draft.application).version("the-company")
    post = {"version": version} | {f"q:{key}": value for key, value in answers.items()}
    response = client.post(f"{root(draft)}sections/the-company/", post, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return str(response.content.decode())


def test_the_message_comes_to_its_question_once_nothing_is_missing_and_goes_with_another_answer(
    as_owner: Client, draft: Draft
) -> None:
    assert TOO_MANY not in type_in(as_owner, draft, size="Small", staff="12")
    page = page_at(as_owner, f"{root(draft)}sections/the-company/")
    assert page.one("div", id="q:staff-objection").text == ""

    swapped = Markup(type_in(as_owner, draft, name="Larkfield", size="Small", staff="12"))
    assert TOO_MANY in swapped.one("div", id="q:staff-objection").text
    assert TOO_MANY in swapped.one("section", id="needs-section").text
    page = page_at(as_owner, f"{root(draft)}sections/the-company/")
    assert "Saved, but you can’t submit with it." in page.one("div", id="q:staff-objection").text
    assert page.one("input", id="q:staff").attributes["value"] == "12"
    [link] = [link for link in page.all("a") if link.text == TOO_MANY]
    assert link.attributes["href"] == "#q:staff"

    swapped = Markup(type_in(as_owner, draft, name="Larkfield", size="Large", staff="12"))
    assert swapped.one("div", id="q:staff-objection").text == ""
    assert TOO_MANY not in swapped.one("section", id="needs-section").text


def test_advice_comes_to_its_question_and_needs_nothing(as_owner: Client, draft: Draft) -> None:
    swapped = Markup(type_in(as_owner, draft, size="Large", staff="2"))
    assert TOO_FEW in swapped.one("div", id="q:size-objection").text
    assert "You can submit with it." in swapped.one("div", id="q:size-objection").text
    assert TOO_FEW not in [need.text for need in factories.again(draft).needs]
    assert TOO_FEW not in type_in(as_owner, draft, size="Large", staff="20")


def test_a_message_without_a_question_stands_over_what_its_section_needs(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    save_answers(draft, owner, name="Apple", size="Large")
    page = page_at(as_owner, f"{root(draft)}sections/the-company/")
    assert page.one("section", id="needs-section").text == f"Correct {TAKEN} To complete Nothing is missing"


def test_a_message_about_a_role_stands_at_its_card(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "corporate", ["director"], KITE, by=owner)
    card = people_page(as_owner, draft).one("div", id="role-directors")
    assert NO_PERSON in card.text
    assert ALONE in card.text
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    card = people_page(as_owner, draft).one("div", id="role-directors")
    assert NO_PERSON not in card.text
    assert ALONE not in card.text


def test_a_message_about_shares_stands_on_their_page(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    assert TWO_CLASSES not in page_at(as_owner, f"{root(draft)}shares/").one("main").text
    services.add_share_class(draft, factories.PREFERENCE, by=owner)
    assert TWO_CLASSES in page_at(as_owner, f"{root(draft)}shares/").one("main").text


def test_advice_is_not_counted_as_something_to_complete() -> None:
    needs = [
        Link("Add a class", ""),
        Link("Two are usual", "", is_advice=True),
        Link("Too many", "", is_correction=True),
    ]
    assert [need.text for need in components.unmet(needs)] == ["Add a class", "Too many"]
    assert [need.text for need in components.advised(needs)] == ["Two are usual"]


def test_the_check_page_marks_the_answer_too(as_owner: Client, draft: Draft, owner: Any) -> None:
    save_answers(draft, owner, size="Small", staff="12")
    page = page_at(as_owner, f"{root(draft)}check/")
    assert TOO_MANY in page.one("section", aria_labelledby="corrections").text
    row = page.one("div", id="row-section-the-company-q:staff")
    assert "is-error" in row.attributes["class"]
    assert TOO_MANY in row.text

    save_answers(draft, owner, size="Large", staff="2")
    page = page_at(as_owner, f"{root(draft)}check/")
    assert TOO_FEW in page.one("section", aria_labelledby="advice").text
    row = page.one("div", id="row-section-the-company-q:size")
    assert "is-warning" in row.attributes["class"]
    assert TOO_FEW in row.text


def test_the_desk_reads_what_was_left_standing(as_agent: Client, draft: Draft, owner: Any) -> None:
    save_answers(draft, owner, name="Apple", size="Large", staff="2")
    services.add_party(draft, "corporate", ["director"], KITE, by=owner)
    submit_unchecked(draft)
    page = page_at(as_agent, f"/desk/{draft.application.reference}/")
    needs = [item.text for item in page.all("li") if "need" in item.attributes.get("class", "").split()]
    assert {TAKEN, NO_PERSON} <= set(needs)
    [box] = [box for box in page.all("div") if box.text.startswith("Advice that the customer left standing")]
    assert [item.text for item in page.all("li") if box in item.ancestors] == [TOO_FEW, ALONE]


def test_the_workbench_shows_each_rule_with_its_outcome(as_agent: Client) -> None:
    rules = [*SCHEMA["validations"], {"rule": "1 / 0 == 1", "message": "Never", "field": "staff"}]
    post = {"schema": json.dumps(SCHEMA | {"validations": rules}), "show": "1"}
    answers = {"s0:q:name": "Apple", "s0:q:size": "Large"}
    response = as_agent.post("/workbench/", post | answers)
    section = Markup(response.content.decode()).one("section", id="validations-section")

    for message, outcome in {
        TOO_MANY: "Holds",
        TOO_FEW: "Not judged: “xy.staff” is not answered",
        TAKEN: "Does not hold",
        ALONE: "Does not hold (advice)",
        "Never": "Left out: divide by zero",
    }.items():
        assert message in section.text
        assert outcome in section.text.partition(message)[2].partition("Change")[0][:200]
