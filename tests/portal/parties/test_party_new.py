"""Adding a party: first its kind, then what it does."""

import pytest
from django.test import Client

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.portal.pages import people_page, people_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_kind_comes_first(as_owner: Client, application: Application) -> None:
    page = people_page(as_owner, application, "new/")
    assert [one.attributes["value"] for one in page.all("input", name="kind")] == ["person", "corporate"]
    assert page.all("input", name="roles", type="checkbox") == []


def test_posting_makes_the_party_and_leads_to_its_questions(as_owner: Client, application: Application) -> None:
    response = as_owner.post(
        people_url(application, "new/"), {"kind": "person", "roles": ["", "director", "shareholder"]}
    )
    [party] = open_draft(application).parties
    assert (party.kind, party.roles) == ("person", ("director", "shareholder"))
    assert response["Location"] == f"/applications/{application.reference}/people/{party.token}/"


def test_posting_a_page_twice_makes_one_party(as_owner: Client, application: Application) -> None:
    token = people_page(as_owner, application, "new/?kind=person").one("input", name="token").attributes["value"]
    for _ in range(2):
        as_owner.post(people_url(application, "new/"), {"kind": "person", "roles": "director", "token": token})
    assert len(open_draft(application).parties) == 1


def test_a_party_that_is_me_starts_with_what_is_known(as_owner: Client, application: Application) -> None:
    as_owner.post(people_url(application, "new/"), {"kind": "person", "roles": "director", "me": "1"})
    [party] = open_draft(application).parties
    assert party.raw == {
        "person.first_name": "Ingrid",
        "person.last_name": "Solheim",
        "person.email": "owner@example.com",
    }


@pytest.mark.parametrize(
    "post",
    [
        {},
        {"kind": "foundation", "roles": "director"},
        {"kind": "person"},
        {"kind": "person", "roles": "pope"},
        {"kind": "person", "roles": "manager"},
    ],
)
def test_what_has_to_be_chosen_first_is_said(as_owner: Client, application: Application, post: dict[str, str]) -> None:
    page = sound(as_owner.post(people_url(application, "new/"), post), 422)
    assert page.one("title").text.startswith("Error: ")
    assert open_draft(application).parties == ()
