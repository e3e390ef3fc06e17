"""Answers that cannot be true: below their field once saved, under Correct, on the check page and at the desk."""

from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.relay.models import Delivery
from tests import factories
from tests.portal.pages import page_at, people_url, root, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

MINOR = factories.ADA | {"person.date_of_birth": {"day": "1", "month": "1", "year": "2020"}}
TOO_YOUNG = "Directors must be 18 or older. 1\u00a0January\u00a02020 makes this person "


@pytest.fixture
def draft(owner: Any) -> Draft:
    """A draft whose form states bounds."""
    sections = deepcopy(factories.SCHEMA["sections"])
    company, _, directors, shareholders, *_ = sections
    company["fields"] += [
        factories.field("shares", "number", canonical_field="entity.number_of_shares", required=False),
        factories.field("home", "address", required=False),
    ]
    birth = next(field for field in directors["person_fields"] if field["key"] == "date_of_birth")
    birth |= {"minimum_age": 18, "bound_message": "Directors must be 18 or older"}
    directors["maximum"] = 2
    part = factories.field("ownership", "number", canonical_field="party.ownership_percentage", required=False)
    shareholders["person_fields"].append(part)
    shareholders["total"] = {"field": "ownership", "equals": 100}
    return factories.new_draft(owner, schema=factories.SCHEMA | {"sections": sections})


def save_company(client: Client, draft: Draft, *, by_script: bool = False, **answers: Any) -> Any:
    version = open_draft(draft.application).version("the-company")
    headers = {"HX-Request": "true"} if by_script else {}
    return client.post(section_url(draft), {"version": version, **answers}, headers=headers)


def test_a_negative_number_of_shares_is_saved_said_and_stands_in_the_way_until_it_is_corrected(
    as_owner: Client, draft: Draft
) -> None:
    answer = save_company(as_owner, draft, **{"q:number_of_shares": "x", "q:shares": "-5"})
    assert answer.status_code == 302
    page = page_at(as_owner, section_url(draft))
    control = page.one("input", id="q:shares")
    assert (control.attributes["value"], control.attributes.get("aria-invalid")) == ("-5", None)
    assert "q:shares-objection" in control.attributes["aria-describedby"].split()
    below = page.one("div", id="q:shares-objection").text
    assert "“Shares” must be 1 or more" in below
    assert "Saved, but you can’t submit with it." in below
    assert "“Shares” must be 1 or more" in page.one("section", id="needs-section").text
    assert not page.all("div", role="alert", tabindex="-1")
    # htmx gets the place below the control anew, and never the control that is in use.
    right = save_company(as_owner, draft, by_script=True, **{"q:shares": "9"}).content.decode()
    assert 'id="q:shares-objection" hx-swap-oob="true"' in right
    assert "must be 1 or more" not in right
    wrong = save_company(as_owner, draft, by_script=True, **{"q:shares": "0"}).content.decode()
    assert 'id="q:shares-objection" hx-swap-oob="true"' in wrong
    assert "“Shares” must be 1 or more" in wrong
    assert 'name="q:shares"' not in wrong


def test_a_child_is_no_director_but_may_hold_shares(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director", "shareholder"], MINOR, by=owner, token="ada")
    page = page_at(as_owner, people_url(draft, "ada/"))
    assert TOO_YOUNG in page.one("div", id="q:person.date_of_birth-objection").text
    assert any(TOO_YOUNG.lower()[:20] in need.text.lower() for need in draft.needs if need.code == "impossible")
    check = page_at(as_owner, f"{root(draft)}check/")
    assert "directors must be 18 or older" in check.one("section", aria_labelledby="corrections").text
    row = next(row for row in check.all("div") if (row.attributes.get("id") or "").endswith("date_of_birth"))
    assert TOO_YOUNG in row.text
    assert "is-error" in row.attributes["class"]
    services.set_roles(draft, draft.parties[0].model, ["shareholder"], by=owner)
    assert not [need for need in open_draft(draft.application).needs if need.code == "impossible"]
    advice = "This person is under 18. 1\u00a0January\u00a02020 makes this person "
    below = page_at(as_owner, people_url(draft, "ada/")).one("div", id="q:person.date_of_birth-objection")
    assert advice in below.text
    assert "You can submit with it." in below.text
    rows = page_at(as_owner, f"{root(draft)}check/").all("div")
    row = next(row for row in rows if (row.attributes.get("id") or "").endswith("date_of_birth"))
    assert advice in row.text
    assert "is-warning" in row.attributes["class"]


def test_an_impossible_answer_is_not_sent(draft: Draft, owner: Any) -> None:
    wanted = factories.COMPANY | {"entity.number_of_shares": "100"}
    factories.save_section(draft, "the-company", wanted, by=owner)
    entity = Delivery.objects.get(application=draft.application, kind="entity")
    assert entity.wanted["answers"]["entity.number_of_shares"] == 100
    wanted |= {"entity.number_of_shares": "0.5"}
    factories.save_section(draft, "the-company", wanted, by=owner)
    entity.refresh_from_db()
    assert entity.wanted["answers"] == {"entity.name": "Larkfield Holdings"}


def test_a_country_alone_turns_no_empty_part_of_an_address_red(as_owner: Client, draft: Draft) -> None:
    """An address that lacks parts is still needed; nothing in it is wrong."""
    answer = save_company(as_owner, draft, **{"q:home:country": "CH"})
    assert answer.status_code == 302
    page = page_at(as_owner, section_url(draft))
    assert not [one for one in page.elements if one.attributes.get("aria-invalid")]
    assert not page.all("p", id="q:home-error")
    assert "lit" not in page.one("div", id="q:home-field").attributes["class"]
    assert "Enter the street and the town or city of “Home”" in page.one("section", id="needs-section").text
    check = page_at(as_owner, f"{root(draft)}check/")
    assert not check.all("section", aria_labelledby="corrections")
    assert "Enter the street and the town or city of “Home”" in check.one("main").text
