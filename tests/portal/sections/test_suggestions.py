"""What stands first in long lists of countries and currencies, and that everything else follows A to Z."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.iso_codes import COUNTRIES, sort_key
from formation_portal.invitations import parts
from tests import factories
from tests.markup import Element, Markup
from tests.portal.sharing.test_part import let_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TWENTY = [*list(COUNTRIES)[:18], "NO", "VG"]
FIELDS = (
    factories.field("home", "address"),
    factories.field("places", "multi_select", options=list(COUNTRIES)),
    factories.field("seat", "select", options=list(COUNTRIES)),
    factories.field("citizens", "nationality"),
    factories.field("trade", "multi_select", options=TWENTY),
)


@pytest.fixture
def application(owner: Any) -> Application:
    """A company whose section, and whose directors, are asked for countries and money in every way."""
    section = {"scope": "entity", "title": "Odd", "fields": [*FIELDS, factories.field("money", "currency_amount")]}
    directors = {"scope": "role:director", "title": "Directors", "minimum": 1, "person_fields": [FIELDS[0], FIELDS[3]]}
    product = factories.product(schema={**factories.SCHEMA, "sections": [section, directors]})
    return services.start(owner=owner, product=product)


def page_at(client: Client, application: Application, more: str = "sections/odd/", **headers: Any) -> Markup:
    page = Markup(client.get(f"/applications/{application.reference}/{more}", **headers).content.decode())
    assert page.faults == []
    return page


def likely(page: Markup, control: str) -> list[str]:
    """The codes of the first group of a list."""
    return [one.attributes["value"] for one in page.all("option") if _group(one) and _list(one) == control]


def rest(page: Markup, control: str) -> list[Element]:
    """What follows that group, without the line that chooses nothing."""
    options = [one for one in page.all("option") if not _group(one) and _list(one) == control]
    return [one for one in options if one.attributes["value"]]


def _group(option: Element) -> bool:
    return any(outer.tag == "optgroup" for outer in option.ancestors)


def _list(option: Element) -> str:
    return next(outer.attributes["name"] for outer in option.ancestors if outer.tag == "select")


LISTS = ("q:home:country", "q:places", "q:seat", "q:citizens")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_list_of_countries_runs_by_name_after_the_likely_ones(
    as_owner: Client, application: Application, language: str
) -> None:
    page = page_at(as_owner, application, HTTP_ACCEPT_LANGUAGE=language)
    for control in LISTS:
        assert likely(page, control)[0] == "VG"
        names = [sort_key(one.text) for one in rest(page, control)][: len(COUNTRIES)]
        assert names == sorted(names)
        assert len(names) == len(COUNTRIES)


@pytest.mark.parametrize("language", ["en", "es"])
def test_tick_boxes_run_by_name_after_the_likely_ones_and_each_country_stands_once(
    as_owner: Client, application: Application, owner: Any, language: str
) -> None:
    services.add_party(open_draft(application), "person", ["director"], {"xy.citizens": ["NO", "IN"]}, by=owner)
    page = page_at(as_owner, application, HTTP_ACCEPT_LANGUAGE=language)
    boxes = [one for one in page.all("input", type="checkbox") if one.attributes["name"] == "q:trade"]
    assert [one.attributes["value"] for one in boxes][:2] == ["VG", "NO"], "IN is none of them"
    assert sorted(one.attributes["value"] for one in boxes) == sorted(TWENTY)
    labels = [next(outer.text for outer in one.ancestors if outer.tag == "label") for one in boxes]
    names = [sort_key(label) for label in labels[2:]]
    assert names == sorted(names)
    assert [index for index, one in enumerate(boxes) if "id" in one.attributes] == [0], "the summary leads to the first"
    [group] = [outer for outer in boxes[1].ancestors if outer.attributes.get("role") == "group"]
    assert group.attributes["aria-labelledby"] == "q:trade-likely"


def test_what_is_used_in_the_application_comes_after_the_products_own(
    as_owner: Client, application: Application, owner: Any
) -> None:
    draft = open_draft(application)
    for codes in (["NO", "IN"], ["IN"]):
        services.add_party(draft, "person", ["director"], {"xy.citizens": codes}, by=owner)
    page = page_at(as_owner, application)
    for control in LISTS:
        assert likely(page, control)[:3] == ["VG", "IN", "NO"]
    assert likely(page, "q:money:currency") == ["USD"]


def test_a_guest_learns_nothing_of_where_others_come_from(
    as_nobody: Client, application: Application, owner: Any
) -> None:
    draft = open_draft(application)
    ada = services.add_party(draft, "person", ["director"], {"xy.citizens": ["NO"]}, by=owner)
    services.add_party(draft, "person", ["director"], {"xy.citizens": ["IN"]}, by=owner)
    row = open_draft(application).party(ada.token)
    assert row is not None
    invitation = parts.invite(draft, row, email="ada@example.com", by=owner, language="en")
    guest = let_in(as_nobody, invitation)
    page = Markup(guest.get(f"/part/{invitation.reference}/").content.decode())
    assert likely(page, "q:xy.home:country") == ["VG", "NO"]
