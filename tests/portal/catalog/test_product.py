"""A product's page, said from its schema alone."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.gateway.catalog import Catalog, read_products
from formation_portal.portal.catalog import views
from formation_portal.portal.catalog.requirements import Requirements
from tests import factories
from tests.markup import Markup


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


def test_a_role_says_how_many_and_who_may_have_it() -> None:
    (role,) = required_by({"scope": "role:director", "title": "Directors", "minimum": 2}).roles
    assert (role.title, role.least, role.kinds) == ("Directors", "at least 2", "a person")


def test_another_minimum_is_said_with_its_condition() -> None:
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


HERE = factories.ITEM["jurisdiction"]
BROKEN = factories.ITEM | {
    "jurisdiction_product_id": "broken",
    "product": factories.ITEM["product"] | {"slug": "broken-company", "name": "Broken company"},
    "schema": factories.SCHEMA | {"id": ""},
}
ELSEWHERE = factories.ITEM | {
    "jurisdiction_product_id": "elsewhere",
    "product": factories.ITEM["product"] | {"slug": "elsewhere-company", "name": "Company elsewhere"},
    "jurisdiction": HERE | {"name": "Elsewhere"},
}


@pytest.fixture
def offering(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog with a product that works, one that doesn't in the same place, one elsewhere, and one unreadable."""
    items = read_products([factories.ITEM, BROKEN, ELSEWHERE, "nonsense"])
    monkeypatch.setattr(views, "current_catalog", lambda: Catalog(items, datetime.now(UTC)))


def opened(client: Client, key: str = "broken-company") -> Markup:
    page = Markup(client.get(f"/products/{key}/").content.decode())
    assert page.faults == []
    return page


@pytest.mark.django_db
class TestUnavailable:
    """A product whose form is faulty, as its readers meet it."""

    def test_a_customer_reads_plain_words_and_a_way_out(
        self, offering: None, as_owner: Client, as_nobody: Client, settings: Any
    ) -> None:
        settings.DEMO = False
        for client in (as_owner, as_nobody):
            page = opened(client)
            main = page.one("main").text
            assert "You can’t start a new application at the moment." in main
            assert "schema" not in main
            links = [one.text for one in page.all("a") if one.attributes["href"].startswith("/products/")]
            assert links == ["Example company"]
            assert [one for one in page.all("a", href="#help") if one.inside("main")]
            assert "no id" not in client.get("/").content.decode()
            assert "Not available." in client.get("/").content.decode()

    def test_an_agent_reads_the_reason(self, offering: None, as_agent: Client, settings: Any) -> None:
        settings.DEMO = False
        assert "The schema has no id" in opened(as_agent).one("main").text
        assert "The schema has no id" in as_agent.get("/").content.decode()
