"""The checklist to print: everything that a customer can prepare, once, under the rules' own words."""

from itertools import groupby
from typing import Any

import pytest
from django.test import Client

from formation_portal.contract.schema import ENTITY, SHARE_CLASS
from formation_portal.gateway.catalog import catalog, read_products
from formation_portal.portal.catalog.requirements import ChecklistPart, Requirements
from tests import factories
from tests.portal.pages import page_at

from .offered import item


def part(title: str, *sections: dict[str, Any]) -> ChecklistPart:
    (product,) = read_products([item("example", *sections)])
    assert product.item is not None
    return next(one for one in Requirements(product.item).checklist if one.title == title)


def listed(shown: ChecklistPart) -> list[tuple[str, list[str]]]:
    branches = groupby(shown.questions, key=lambda question: question.condition)
    return [(condition, [question.spec.label for question in asked]) for condition, asked in branches]


def test_a_branch_stands_where_it_is_asked_under_the_words_of_its_rule() -> None:
    assert listed(part("The company")) == [
        ("", ["Name", "Activity"]),
        ("Only if you answer Trading to “Activity”", ["Goods"]),
        ("", ["Started on", "Purpose"]),
    ]


def test_a_whole_section_that_depends_on_an_answer_says_so_once() -> None:
    bodies = {"scope": "entity", "title": "Bodies", "fields": [factories.field("two", "boolean")]}
    second = {
        "scope": "entity",
        "title": "Second body",
        "depends_on": {"field": "two", "value": True},
        "fields": [factories.field("its_name")],
    }
    shown = part("Second body", bodies, second)
    assert shown.condition == "Only if you answer Yes to “Two”"
    assert listed(shown) == [("", ["Its name"])]


def test_what_two_roles_ask_stands_once_and_what_one_asks_names_it() -> None:
    asked = {one.spec.label: one.roles for one in part("For each person").questions}
    assert asked["First name"] == ""
    assert asked["Date of birth"] == "as director or as shareholder"
    assert asked["Is pep"] == "as director"
    assert asked["Pep office"] == "as director"


@pytest.mark.django_db(databases=["default", "service"])
def test_every_products_checklist_holds_every_question_document_and_role(full_catalog: None) -> None:
    products = catalog().items
    assert len(products) == 32
    for product in products:
        text = page_at(Client(), f"/products/{product.key}/checklist/").one("main").text
        assert product.item is not None
        schema = product.item.form
        # Every question that somebody can answer, by walking the schema.
        labels = {
            spec.label
            for section in schema.sections
            for group, specs in section.groups.items()
            if group in (ENTITY, SHARE_CLASS) or section.allows(group)
            for spec in specs
            if not spec.provided_by_agent and schema.why_unanswerable(spec) is None
        }
        slots = {slot.name for one in schema.sections for slots in one.documents.values() for slot in slots}
        titles = {section.title for section in schema.sections}
        assert [words for words in labels | slots | titles if words not in text] == [], product.key
