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
from tests.portal.pages import section_url, sound
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


def page_of(client: Client, application: Application, **headers: Any) -> Markup:
    return sound(client.get(section_url(application, "odd"), **headers))


def options(page: Markup, control: str, *, likely: bool) -> list[Element]:
    """Of a list, the first group, or what follows it, without the line that chooses nothing."""
    lists = page.all("select", name=control)
    chosen = [one for one in page.all("option") if one.ancestors[-1] in lists or one.ancestors[-2] in lists]
    return [one for one in chosen if one.attributes["value"] and one.inside("optgroup") is likely]


def likely(page: Markup, control: str) -> list[str]:
    return [one.attributes["value"] for one in options(page, control, likely=True)]


LISTS = ("q:home:country", "q:places", "q:seat", "q:citizens")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_list_of_countries_runs_by_name_after_the_likely_ones(
    as_owner: Client, application: Application, language: str
) -> None:
    page = page_of(as_owner, application, HTTP_ACCEPT_LANGUAGE=language)
    for control in LISTS:
        assert likely(page, control)[0] == "VG"
        names = [sort_key(one.text) for one in options(page, control, likely=False)][: len(COUNTRIES)]
        assert names == sorted(names)
        assert len(names) == len(COUNTRIES)


@pytest.mark.parametrize("language", ["en", "es"])
def test_tick_boxes_run_by_name_after_the_likely_ones_and_each_country_stands_once(
    as_owner: Client, application: Application, owner: Any, language: str
) -> None:
    services.add_party(open_draft(application), "person", ["director"], {"xy.citizens": ["NO", "IN"]}, by=owner)
    page = page_of(as_owner, application, HTTP_ACCEPT_LANGUAGE=language)
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
    page = page_of(as_owner, application)
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
