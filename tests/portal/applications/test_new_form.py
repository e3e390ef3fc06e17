"""A draft whose form has changed meanwhile: said on the overview, shown on a page, taken over on consent."""

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
from tests.portal.pages import root

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]


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


def path(draft: Draft) -> str:
    return f"{root(draft)}new-form/"


def test_the_page_lists_what_is_new_gone_and_renamed(outdated: Draft, owner: Any, as_owner: Client) -> None:
    factories.save_section(outdated, outdated.schema.entity_sections[0].key, {"old": "A thing of old"}, by=owner)
    html = as_owner.get(path(outdated)).content.decode()
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
    response = as_owner.post(path(outdated), {"seen": "another version"})
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
