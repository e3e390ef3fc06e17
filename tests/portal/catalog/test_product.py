"""A product's page, said from its schema alone."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.portal.catalog import views
from formation_portal.portal.catalog.requirements import Requirements
from tests import factories
from tests.portal.pages import page_at

from .offered import item, offered


def required_by(*sections: dict[str, Any], **product: Any) -> Requirements:
    changes = {
        "schema": factories.SCHEMA | {"sections": list(sections)},
        "product": factories.ITEM["product"] | product,
    }
    (item,) = parse_catalog([factories.ITEM | changes])
    assert isinstance(item, CatalogItem)
    return Requirements(item)


COUNCIL = {
    "scope": "entity",
    "title": "Council",
    "fields": [factories.field("bodies", "select", options=["Members only", "Both"])],
}


def test_it_says_what_a_typical_application_takes_from_the_schema() -> None:
    director = {
        "scope": "role:director",
        "title": "Directors",
        "minimum": 1,
        "person_fields": [
            factories.field("birth", "date", canonical_field="person.date_of_birth"),
            factories.field("why", "text", depends_on={"field": "bodies", "value": "Both"}),
        ],
        "documents": {"person": [{"name": "Passport", "required": True}, {"name": "Letter", "required": False}]},
    }
    optional = {"scope": "role:member", "title": "Members", "minimum": 0}
    lines = required_by(COUNCIL, director, optional, {"scope": "share_structure"}).effort
    # A person is always asked for a name and an address besides.
    assert lines == (
        "1 question about the company",
        "4 questions and 1 document for each director",
        "5 questions for each share class",
    )


def test_a_role_says_how_many_who_may_have_it_and_when_another_minimum_holds() -> None:
    (role,) = required_by({"scope": "role:director", "title": "Directors", "minimum": 2}).roles
    assert (role.title, role.least, role.kinds) == ("Directors", "at least 2", "a person")
    rule = {"field": "bodies", "value_in": ["Members only", "Both"], "minimum": 3}
    members = {"scope": "role:member", "title": "Members", "minimum": 1, "conditional_min": rule}
    (role,) = required_by(COUNCIL, members).roles
    assert "At least 3 if you answer Members only or Both to “Bodies”." in role.rules


def test_a_document_that_not_all_roles_ask_for_names_those_that_do() -> None:
    passport, letter = {"name": "Passport", "required": True}, {"name": "Letter", "required": False}
    shown = required_by(
        {"scope": "role:director", "title": "D", "documents": {"person": [passport, letter]}},
        {"scope": "role:ubo", "title": "O", "documents": {"person": [passport]}},
    )
    ((title, lines),) = shown.documents()
    assert title == "For each person"
    assert [words for words, _ in lines] == ["Passport", "Letter, as director (optional)"]


@pytest.mark.django_db
def test_of_a_faulty_product_a_customer_reads_plain_words_and_an_agent_the_reason(
    as_owner: Client, as_nobody: Client, as_agent: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DEMO = False
    broken = item("broken", schema=factories.SCHEMA | {"id": ""})
    elsewhere = item("elsewhere", place={"name": "Elsewhere"})
    monkeypatch.setattr(views, "current_catalog", lambda: offered([factories.ITEM, broken, elsewhere, "nonsense"]))
    for client in (as_owner, as_nobody):
        page = page_at(client, "/products/broken/")
        main = page.one("main").text
        assert "You can’t start a new application at the moment." in main
        assert "schema" not in main
        links = [one.text for one in page.all("a") if one.attributes["href"].startswith("/products/")]
        # One that works, in the same place.
        assert links == ["Example company"]
        assert [one for one in page.all("a", href="#help") if one.inside("main")]
        catalog = client.get("/").content.decode()
        assert "no id" not in catalog
        assert "Not available." in catalog
    assert "The schema has no id" in page_at(as_agent, "/products/broken/").one("main").text
    assert "The schema has no id" in as_agent.get("/").content.decode()
