"""Answers are carried over to another product, or to a newer form of the same, as it was seen and agreed to."""

from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.gateway.catalog import catalog
from formation_portal.portal.applications.pages import FormChangePage
from formation_portal.service.catalog.loader import read_catalog
from tests import factories
from tests.portal.pages import page_at, query_counts, root

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]

HERE, THERE = "bvi-limited-company", "seychelles-ibc"


@pytest.fixture
def filled(owner: Any) -> Draft:
    """A company with a name and one director."""
    item = catalog().find(HERE).item  # type: ignore[union-attr]  # the catalog has it
    assert item is not None
    draft = open_draft(services.start(owner=owner, product=item))
    section = next(one for one in draft.schema.entity_sections if "entity.name" in {spec.name for spec in one.fields})
    services.save_section(draft, section, {"entity.name": "Larkfield Holdings"}, version=0, by=owner)
    ada = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    services.add_party(draft, "person", ["director"], ada, by=owner)
    return draft


def path(draft: Draft) -> str:
    return f"{root(draft)}carry-over/?product={THERE}"


def seen(client: Client, address: str) -> str:
    return str(page_at(client, address).one("input", name="seen").attributes["value"])


def test_the_heading_names_product_and_place(filled: Draft, as_owner: Client) -> None:
    heading = " ".join(page_at(as_owner, path(filled)).one("h1").text.split())
    assert heading == "Reuse for International business company (IBC), Seychelles"


def test_what_has_changed_meanwhile_is_shown_before_it_is_done(filled: Draft, owner: Any, as_owner: Client) -> None:
    address = path(filled)
    old = seen(as_owner, address)
    services.add_party(filled, "person", ["director"], {"person.first_name": "Bo"}, by=owner)
    response = as_owner.post(address, {"seen": old})
    assert response.status_code == 409
    assert "Something has changed since you opened this page" in response.content.decode()
    assert Application.objects.count() == 1
    assert as_owner.post(address, {"seen": seen(as_owner, address)}).status_code == 302


def test_more_people_cost_no_more_queries(filled: Draft, owner: Any, as_owner: Client) -> None:
    few = query_counts(as_owner, path(filled))
    for _ in range(5):
        services.add_party(filled, "person", ["director"], {"person.first_name": "Bo"}, by=owner)
    assert query_counts(as_owner, path(filled)) == few


def test_a_second_press_starts_nothing_more(filled: Draft, as_owner: Client) -> None:
    address = path(filled)
    token = seen(as_owner, address)
    first, second = (as_owner.post(address, {"seen": token}) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Application.objects.count() == 2


def earlier() -> CatalogItem:
    """A product of the catalog as it was: one question with another label, one that isn't asked now, one missing."""
    item = deepcopy(next(one for one in read_catalog() if one["product"]["slug"] == "bvi-limited-company"))
    item["schema"]["version"] = "before"
    section = next(one for one in item["schema"]["sections"] if one["scope"] == "entity")
    first, _, *others = section["fields"]
    section["fields"] = [first | {"label": "Its name"}, *others, {"key": "old", "csp_field_key": "old", "label": "Old"}]
    [read] = parse_catalog([item])
    assert isinstance(read, CatalogItem)
    return read


@pytest.fixture
def outdated(owner: Any) -> Draft:
    catalog()
    return open_draft(services.start(owner=owner, product=earlier()))


def new_form_url(draft: Draft) -> str:
    return f"{root(draft)}new-form/"


def test_the_page_lists_what_is_new_gone_and_renamed(outdated: Draft, owner: Any, as_owner: Client) -> None:
    factories.save_section(outdated, outdated.schema.entity_sections[0].key, {"old": "A thing of old"}, by=owner)
    html = as_owner.get(new_form_url(outdated)).content.decode()
    current = catalog().find("bvi-limited-company")
    assert current is not None
    assert current.item is not None
    first, second = current.item.form.entity_sections[0].fields[:2]
    assert f"<li>{second.label} " in html
    assert "<li>Old " in html
    assert f"“Its name” is now “{first.label}”" in html
    assert "No longer asked" in html
    assert open_draft(Application.objects.get()).schema.version == "before"


def test_what_was_not_seen_is_not_taken(outdated: Draft, as_owner: Client) -> None:
    response = as_owner.post(new_form_url(outdated), {"seen": "another version"})
    assert response.status_code == 409
    assert open_draft(Application.objects.get()).schema.version == "before"


def test_only_what_is_needed_then_and_not_yet_now_is_needed_anew(owner: Any) -> None:
    draft = factories.new_draft(owner)
    schema = deepcopy(factories.SCHEMA)
    company, funds = schema["sections"][:2]
    company["fields"] += [factories.field("tax_number"), factories.field("nickname", required=False)]
    company["fields"][4]["required"] = True
    funds["fields"] = funds["fields"][1:]
    page = FormChangePage(draft, factories.product(schema=schema))
    assert page.needed == ["Enter “Started on”", "Enter “Tax number”"]


def test_another_price_is_named_and_a_missing_one_is_not(owner: Any) -> None:
    draft = factories.new_draft(owner)
    dearer = factories.product(price={"one_off": 1500, "annual": 900, "currency": "USD"})
    assert FormChangePage(draft, dearer).price == "USD\u00a01,500.00 set-up fee, USD\u00a0900.00 annual fee"
    assert FormChangePage(draft, factories.product(price=None)).price == ""
    assert FormChangePage(draft, factories.product()).price == ""
