"""Carrying answers over on its pages: seen before anything happens, done as it was seen, for the owner alone."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway.catalog import catalog
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
