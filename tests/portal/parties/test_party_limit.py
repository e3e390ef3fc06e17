"""At 200 people and companies the pages say so, and what would add one more is refused with a way out."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.applications.imports.sample_sheets import ADA, NOOR
from tests.portal.pages import page_at, people_page, people_url, sound
from tests.portal.parties.test_owners import JOOST, duo, joost, post, stakes
from tests.portal.parties.test_party_import import sheet_of, ticked

__all__ = ["duo", "joost"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

FULL = "An application can have at most 200 people and companies. Remove 1 before you add another."


def test_the_list_offers_to_add_somebody_as_long_as_there_is_room(as_owner: Client, draft: Draft) -> None:
    for count, is_full in ((199, False), (200, True)):
        factories.add_people(factories.again(draft), count)
        page = people_page(as_owner, draft)
        assert (FULL in page.one("main").text) is is_full
        assert any("/people/new/" in link.attributes["href"] for link in page.all("a")) is not is_full


def test_a_post_of_somebody_new_is_refused(as_owner: Client, draft: Draft) -> None:
    factories.add_people(draft, 200)
    answer = as_owner.post(people_url(draft, "new/"), {"kind": "person", "roles": ["director"], "token": "pagetoken1"})
    assert FULL in sound(answer, 422).one("main").text
    assert len(factories.again(draft).parties) == 200


def test_a_sheet_with_too_many_rows_says_how_many_fit_and_keeps_what_was_chosen(as_owner: Client, draft: Draft) -> None:
    factories.add_people(draft, 199)
    address = sheet_of(as_owner, draft, ADA, NOOR)
    words = "An application can have at most 200 people and companies. You can add 1 more."
    page = page_at(as_owner, address)
    assert words in page.one("main").text
    tokens = [box.attributes["value"] for box in page.all("input", name="row")]
    page = sound(as_owner.post(address, {"row": tokens}), 422)
    assert words in page.one("main").text
    assert ticked(page) == tokens
    assert len(factories.again(draft).parties) == 199
    assert as_owner.post(address, {"row": tokens[1:]}).status_code == 302
    assert factories.again(draft).parties[-1].label == "Noor Haddad"


def test_a_new_owner_is_refused_at_its_control_and_the_other_parts_are_saved(
    as_owner: Client, duo: Draft, joost: str
) -> None:
    factories.add_people(factories.again(duo), 200)
    page = sound(post(as_owner, duo, JOOST | {"first_name": "Lotte", "part": "10%", joost: "35%"}), 422)
    assert FULL in page.one("p", id="new-owner-error").text
    assert page.one("input", id="new-first-name").attributes["value"] == "Lotte"
    assert stakes(duo) == {("Kestrel B.V.", "Joost van der Meer"): "35%"}
    assert len(factories.again(duo).parties) == 200


def test_what_was_typed_about_somebody_removed_stays_where_they_cannot_be_restored(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    crowded = factories.add_people(draft, 201)
    services.remove_party(crowded, crowded.parties[3], by=owner)
    typed = {"version": "0", "q:person.first_name": "Grace", "restore": "crowd3"}
    page = sound(as_owner.post(people_url(draft, "crowd3/"), typed), 409)
    assert FULL in page.one("body").text
    assert page.one("input", name="q:person.first_name").attributes["value"] == "Grace"
    assert len(factories.again(draft).parties) == 200
