"""A party's page: the questions of its roles once each, saved with the roles."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.canonical import ENTITY_NAME_ENDING
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, people_page, people_url, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> str:
    """The address of a director's page."""
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")
    return people_url(draft, "ada/")


@pytest.fixture
def bob(draft: Draft, owner: Any) -> str:
    """The address of the page of a shareholder of whom nothing is known."""
    services.add_party(draft, "person", ["shareholder"], {}, by=owner, token="bob")
    return people_url(draft, "bob/")


def stored(draft: Draft) -> PartyRow:
    [row] = open_draft(draft.application).parties
    return row


def save(client: Client, draft: Draft, answers: dict[str, str], roles: list[str] | None = None, **more: Any) -> Any:
    """Post the page of the only party: its roles, unless others are given, and these answers by field name."""
    row = stored(draft)
    post = {"version": str(row.version), "roles": ["", *(row.roles if roles is None else roles)]}
    post |= {f"q:{name}": value for name, value in answers.items()}
    return client.post(people_url(draft, f"{row.token}/"), post, **more)


@pytest.mark.usefixtures("ada")
def test_a_role_that_is_given_up_keeps_its_answers(as_owner: Client, draft: Draft) -> None:
    save(as_owner, draft, {"xy.person.is_pep": "true"}, ["shareholder"])
    assert (stored(draft).roles, stored(draft).raw["xy.person.is_pep"]) == (("shareholder",), "true")


@pytest.mark.usefixtures("bob")
def test_answers_to_a_role_that_comes_with_the_post_are_kept(as_owner: Client, draft: Draft) -> None:
    save(as_owner, draft, {"xy.person.is_pep": "true"}, ["shareholder", "director"])
    assert stored(draft).raw == {"xy.person.is_pep": "true"}


@pytest.mark.usefixtures("bob")
def test_a_change_of_roles_brings_other_questions_and_leaves_the_roles_alone(as_owner: Client, draft: Draft) -> None:
    page = sound(save(as_owner, draft, {}, ["shareholder", "director"], HTTP_HX_REQUEST="true"))
    assert {"questions", "slots", "drawn-from", "needs-section"} <= {
        element.attributes["id"] for element in page.elements if "hx-swap-oob" in element.attributes
    }
    assert page.all("input", name="roles") == []
    assert "added below" in page.one("p", id="announcer").text
    assert page.one("input", id="version").attributes["value"] == str(stored(draft).version)


def test_documents_of_a_role_come_and_go_with_it_where_its_questions_stay(as_owner: Client, owner: Any) -> None:
    company, funds, directors, shareholders, *others = factories.SCHEMA["sections"]
    holders = shareholders | {
        "person_fields": [],
        "documents": {"person": [{"name": "Passport"}, {"name": "Mandate"}]},
        "depends_on": {"field": "is_pep", "value": True},
    }
    schema = factories.SCHEMA | {"sections": [company, funds, directors, holders, *others]}
    draft = factories.new_draft(owner, schema=schema)
    services.add_party(draft, "person", ["director", "shareholder"], {}, by=owner, token="bob")
    before = people_page(as_owner, draft, "bob/")
    assert "hidden" in before.one("ul", id="role-1-slots").attributes
    page = sound(save(as_owner, draft, {"xy.person.is_pep": "true"}, HTTP_HX_REQUEST="true"))
    assert page.all("div", id="questions") == []
    slots = page.one("ul", id="role-1-slots")
    files = [control.attributes["id"] for control in page.all("input", type="file") if slots in control.ancestors]
    assert files == ["slot:bob/Mandate"]
    assert "hx-swap-oob" in slots.attributes


def test_a_stale_save_shows_both_answers_and_both_sets_of_roles(
    as_owner: Client, draft: Draft, ada: str, owner: Any
) -> None:
    services.set_roles(draft, draft.parties[0], ["director", "shareholder"], by=owner)
    services.save_party(draft, draft.parties[0], {"person.last_name": "Byron"}, version=2, by=owner)
    post = {"version": "1", "roles": ["", "director"], "q:person.last_name": "King"}
    page = sound(as_owner.post(ada, post), 409)
    assert [legend.text.strip() for legend in page.all("legend")] == ["Roles", "Last name"]
    assert (stored(draft).roles, stored(draft).raw["person.last_name"]) == (("director", "shareholder"), "Byron")
    post |= {"version": "3", "keep:roles": "theirs", "keep:q:person.last_name": "mine"}
    assert as_owner.post(ada, post).status_code == 302
    assert (stored(draft).roles, stored(draft).raw["person.last_name"]) == (("director", "shareholder"), "King")


def folded(page: Markup) -> list[str]:
    """What is read back, by the words of its Change."""
    summaries = [summary.text for summary in page.all("summary") if "Change" in summary.text]
    return [text.split("Change ")[1].strip() for text in summaries]


def test_what_is_complete_is_read_back_and_its_controls_stay_in_the_form(as_owner: Client, ada: str) -> None:
    page = page_at(as_owner, ada)
    assert folded(page) == ["Identity and contact", "As director"]
    assert page.one("input", name="q:person.first_name").attributes["value"] == "Ada"
    rows = [element.text.strip() for element in page.elements if element.tag in ("dt", "dd")]
    assert rows[rows.index("Date of birth") + 1] == "10\xa0December\xa01985"


def test_what_is_complete_stays_open_while_somebody_works_on_the_page(as_owner: Client, draft: Draft, ada: str) -> None:
    updated = as_owner.post(ada, {"version": "1", "update": "1"})
    assert updated["Location"] == f"{ada}?open=1"
    assert folded(page_at(as_owner, updated["Location"])) == []
    assert folded(sound(save(as_owner, draft, {"person.email": "nobody"}), 422)) == []
    save(as_owner, draft, {"person.email": "ada@example.com"})
    assert folded(page_at(as_owner, ada)) == ["Identity and contact", "As director"]


def test_a_page_that_is_posted_twice_makes_one_party_and_leads_to_its_questions(as_owner: Client, draft: Draft) -> None:
    token = people_page(as_owner, draft, "new/?kind=person").one("input", name="token").attributes["value"]
    post = {"kind": "person", "roles": ["", "director", "shareholder"], "token": token}
    for _ in range(2):
        response = as_owner.post(people_url(draft, "new/"), post)
        assert response["Location"] == people_url(draft, f"{stored(draft).token}/")
    assert (stored(draft).kind, stored(draft).roles) == ("person", ("director", "shareholder"))


@pytest.mark.usefixtures("bob")
def test_a_person_with_one_name_only_needs_no_first_name(as_owner: Client, draft: Draft) -> None:
    save(
        as_owner, draft, {"person.first_name": "", "person.first_name:one_name": "true", "person.last_name": "Sukarno"}
    )
    assert stored(draft).raw["person.first_name"] == {"one_name": "true"}
    assert stored(draft).label == "Sukarno"
    page = page_at(as_owner, people_url(draft, "bob/"))
    assert "checked" in page.one("input", name="q:person.first_name:one_name").attributes
    assert page.one("input", name="q:person.first_name").attributes["value"] == ""
    assert "person.first_name" not in {need.field for need in open_draft(draft.application).needs}

    save(as_owner, draft, {"person.first_name": ""})
    assert "person.first_name" in {need.field for need in open_draft(draft.application).needs}


@pytest.mark.parametrize(
    ("kind", "email", "token"),
    [
        ("person", "owner@example.com", "email"),
        ("person", "ada@example.com", "off"),
        ("corporate", "owner@example.com", "off"),
    ],
)
def test_browsers_fill_in_the_readers_own_page_alone(
    as_owner: Client, draft: Draft, owner: Any, kind: str, email: str, token: str
) -> None:
    party = services.add_party(draft, kind, ["director"], {f"{kind}.email": email}, by=owner)
    page = page_at(as_owner, people_url(draft, f"{party.token}/"))
    assert page.one("input", id=f"q:{kind}.email").attributes["autocomplete"] == token


def test_a_party_that_is_me_starts_with_what_is_known(as_owner: Client, draft: Draft) -> None:
    as_owner.post(people_url(draft, "new/"), {"kind": "person", "roles": "director", "me": "1"})
    assert stored(draft).raw == {
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
def test_what_has_to_be_chosen_first_is_said(as_owner: Client, draft: Draft, post: dict[str, str]) -> None:
    page = sound(as_owner.post(people_url(draft, "new/"), post), 422)
    assert page.one("title").text.startswith("Error: ")
    assert open_draft(draft.application).parties == ()


@pytest.mark.parametrize(
    ("first", "last"), [("Siobhán", "O’Brien-d'Arcy"), ("Sukarno", ""), ("محمد", "علي"), ("<b>Ada</b>", "& Söhne")]
)
def test_a_name_is_kept_as_it_is_and_shown_so_on_every_page(
    as_owner: Client, draft: Draft, owner: Any, first: str, last: str
) -> None:
    services.add_party(draft, "person", ["director"], {}, by=owner)
    assert save(as_owner, draft, {"person.first_name": first, "person.last_name": last}).status_code == 302
    raw = stored(draft).raw
    assert (raw["person.first_name"], raw.get("person.last_name", "")) == (first, last)
    for path in ("people/", "check/", "documents/"):
        page = page_at(as_owner, root(draft) + path)
        names = [element for element in page.elements if {"name", "party-name"} & set(classes_of(element))]
        assert f"{first} {last}".strip() in [element.text.strip() for element in names], path
    page = people_page(as_owner, draft, f"{stored(draft).token}/")
    assert page.one("input", name="q:person.first_name").attributes["value"] == first


def classes_of(element: Any) -> list[str]:
    return str(element.attributes.get("class", "")).split()


def test_a_company_is_called_with_its_ending_wherever_it_is_named(as_owner: Client, owner: Any) -> None:
    ending = factories.field("ending", "select", canonical_field=ENTITY_NAME_ENDING, options=["Limited", "Ltd"])
    company, *others = factories.SCHEMA["sections"]
    sections = [company, {"scope": "entity", "title": "The ending", "fields": [ending]}, *others]
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": sections})
    factories.save_section(draft, "the-company", {"entity.name": "Larkfield"}, by=owner)
    factories.save_section(draft, "the-ending", {ENTITY_NAME_ENDING: "Limited"}, by=owner)
    assert factories.again(draft).title == "Larkfield Limited"
    for page in ("/applications/", root(draft), f"{root(draft)}check/"):
        assert "Larkfield Limited" in page_at(as_owner, page).one("main").text, page
