"""Adding a party: first its kind, then what it does."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def url(application: Application, query: str = "") -> str:
    return f"/applications/{application.reference}/people/new/{query}"


def page_of(client: Client, application: Application, query: str = "") -> Markup:
    page = Markup(client.get(url(application, query)).content.decode())
    assert page.faults == []
    assert page.unlabelled() == []
    return page


def test_the_kind_comes_first(as_owner: Client, application: Application) -> None:
    page = page_of(as_owner, application)
    assert [one.attributes["value"] for one in page.all("input", name="kind")] == ["person", "corporate"]
    assert page.all("input", name="roles", type="checkbox") == []


def test_nothing_is_wrong_before_something_was_chosen(as_owner: Client, application: Application) -> None:
    for step in ("", "?role=director", "?kind=person"):
        page = as_owner.get(url(application, step))
        assert "error-summary" not in page.content.decode()


def test_a_role_that_takes_one_kind_needs_no_choice(as_owner: Client, draft: Draft, owner: Any) -> None:
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, {"xy.activity": "Trading"}, version=0, by=owner)
    page = page_of(as_owner, draft.application, "?role=manager")
    assert page.one("input", name="kind").attributes["value"] == "person"
    assert "checked" in page.one("input", name="roles", value="manager").attributes


def test_roles_that_the_kind_cannot_have_are_absent_and_it_says_so(as_owner: Client, draft: Draft, owner: Any) -> None:
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, {"xy.activity": "Trading"}, version=0, by=owner)
    page = page_of(as_owner, draft.application, "?kind=corporate")
    boxes = [one.attributes["value"] for one in page.all("input", name="roles", type="checkbox")]
    assert boxes == ["director", "shareholder"]
    assert page.one("p", id="roles-hint").text == "A company can’t be a manager in this form."


def test_posting_makes_the_party_and_leads_to_its_questions(as_owner: Client, application: Application) -> None:
    response = as_owner.post(url(application), {"kind": "person", "roles": ["", "director", "shareholder"]})
    [party] = open_draft(application).parties
    assert (party.kind, party.roles) == ("person", ("director", "shareholder"))
    assert response["Location"] == f"/applications/{application.reference}/people/{party.token}/"


def test_posting_a_page_twice_makes_one_party(as_owner: Client, application: Application) -> None:
    token = page_of(as_owner, application, "?kind=person").one("input", name="token").attributes["value"]
    for _ in range(2):
        as_owner.post(url(application), {"kind": "person", "roles": "director", "token": token})
    assert len(open_draft(application).parties) == 1


def test_a_party_that_is_me_starts_with_what_is_known(as_owner: Client, application: Application) -> None:
    as_owner.post(url(application), {"kind": "person", "roles": "director", "me": "1"})
    [party] = open_draft(application).parties
    assert party.raw == {
        "person.first_name": "Ingrid",
        "person.last_name": "Solheim",
        "person.email": "owner@example.com",
    }


def test_only_one_party_can_be_me(as_owner: Client, application: Application) -> None:
    as_owner.post(url(application), {"kind": "person", "roles": "director", "me": "1"})
    assert page_of(as_owner, application, "?kind=person").all("input", name="me") == []


@pytest.mark.parametrize(
    "post",
    [
        {},
        {"kind": "foundation", "roles": "director"},
        {"kind": "robot"},
        {"kind": "person"},
        {"kind": "person", "roles": "pope"},
        {"kind": "person", "roles": "manager"},
    ],
)
def test_what_has_to_be_chosen_first_is_said(as_owner: Client, application: Application, post: dict[str, str]) -> None:
    response = as_owner.post(url(application), post)
    assert response.status_code == 422
    page = Markup(response.content.decode())
    assert page.faults == []
    assert page.one("title").text.startswith("Error: ")
    assert open_draft(application).parties == ()


def test_after_submitting_nobody_is_added(as_owner: Client, submitted: Draft) -> None:
    response = as_owner.post(url(submitted.application), {"kind": "person", "roles": "director"})
    assert response.status_code == 302
    assert len(open_draft(submitted.application).parties) == 1


def test_a_role_that_is_not_asked_now_offers_nothing_to_add(as_owner: Client, application: Application) -> None:
    assert "You can’t add anyone to this role" in page_of(as_owner, application, "?role=manager").one("main").text


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("person", "Person added. Now answer the questions."),
        ("corporate", "Company added. Now answer the questions."),
    ],
)
def test_the_kind_that_was_added_is_said(as_owner: Client, application: Application, kind: str, words: str) -> None:
    response = as_owner.post(url(application), {"kind": kind, "roles": ["", "director"]}, follow=True)
    assert words in Markup(response.content.decode()).one("div", id="messages").text
