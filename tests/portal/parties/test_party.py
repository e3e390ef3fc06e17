"""A party's page: the questions of its roles once each, saved with the roles, and its removal."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.canonical import ENTITY_NAME_ENDING
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, people_page, people_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Party:
    return services.add_party(draft, "person", ["director"], factories.ADA, by=owner)


def url(application: Application, party: Party, more: str = "") -> str:
    return f"/applications/{application.reference}/people/{party.token}/{more}"


def stored(application: Application) -> PartyRow:
    [row] = open_draft(application).parties
    return row


def page_of(client: Client, application: Application, party: Party) -> Markup:
    return page_at(client, url(application, party))


def posted(client: Client, application: Application, party: Party, **answers: Any) -> Any:
    """Post the page with its roles, unless others are given, and these answers by field name."""
    more = answers.pop("more", {})
    post = {"version": str(stored(application).version), "roles": ["", *stored(application).roles]}
    post |= {f"q:{name}": value for name, value in answers.items()}
    return client.post(url(application, party), post | more)


def test_an_answer_that_opens_a_required_question_leads_to_it_once(as_owner: Client, draft: Draft, ada: Party) -> None:
    opened = posted(as_owner, draft.application, ada, **{"xy.person.is_pep": "true"})
    assert opened["Location"] == f"{url(draft.application, ada)}#q:xy.person.pep_office"
    again = posted(as_owner, draft.application, ada, **{"xy.person.is_pep": "true"})
    assert again["Location"] == f"/applications/{draft.application.reference}/people/"


def test_a_role_that_is_given_up_keeps_its_answers(as_owner: Client, draft: Draft, ada: Party) -> None:
    posted(as_owner, draft.application, ada, more={"roles": ["", "shareholder"]}, **{"xy.person.is_pep": "true"})
    row = stored(draft.application)
    assert row.roles == ("shareholder",)
    assert row.raw["xy.person.is_pep"] == "true"


def test_answers_to_a_role_that_comes_with_the_post_are_kept(as_owner: Client, draft: Draft, owner: Any) -> None:
    bob = services.add_party(draft, "person", ["shareholder"], {}, by=owner)
    more = {"roles": ["", "shareholder", "director"]}
    posted(as_owner, draft.application, bob, more=more, **{"xy.person.is_pep": "true"})
    assert stored(draft.application).raw == {"xy.person.is_pep": "true"}


def test_a_change_of_roles_brings_other_questions_and_leaves_the_roles_alone(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    bob = services.add_party(draft, "person", ["shareholder"], {}, by=owner)
    post = {"version": "1", "roles": ["", "shareholder", "director"]}
    page = Markup(as_owner.post(url(draft.application, bob), post, HTTP_HX_REQUEST="true").content.decode())
    assert page.faults == []
    assert {"questions", "slots", "drawn-from", "needs-section"} <= {
        one.attributes["id"] for one in page.elements if "hx-swap-oob" in one.attributes
    }
    assert page.all("input", name="roles") == []
    assert "added below" in page.one("p", id="announcer").text
    assert page.one("input", id="version").attributes["value"] == str(stored(draft.application).version)


def slots_in(page: Markup, id: str) -> list[str]:
    """The documents of a part of the page, by the names of their slots."""
    [part] = [one for one in page.elements if one.attributes.get("id") == id]
    files = [one.attributes["id"] for one in page.all("input", type="file") if part in one.ancestors]
    return [id.rpartition("/")[2] for id in files]


def with_slots(owner: Any, **rules: Any) -> tuple[Application, Party]:
    """A director of an application whose shareholders bring a mandate, by these rules of their section."""
    company, funds, directors, shareholders, *rest = factories.SCHEMA["sections"]
    slots = [{"name": "Passport"}, {"name": "Mandate"}]
    holders = shareholders | {"person_fields": [], "documents": {"person": slots}} | rules
    form = factories.SCHEMA | {"sections": [company, funds, directors, holders, *rest]}
    application = services.start(owner=owner, product=factories.product(schema=form))
    return application, services.add_party(open_draft(application), "person", ["director"], {}, by=owner)


def test_documents_of_a_role_come_and_go_with_it_where_its_questions_stay(as_owner: Client, owner: Any) -> None:
    application, bob = with_slots(owner, depends_on={"field": "is_pep", "value": True})
    as_owner.post(url(application, bob), {"version": "1", "roles": ["", "director", "shareholder"]})
    before = Markup(as_owner.get(url(application, bob)).content.decode())
    assert "hidden" in before.one("ul", id="role-1-slots").attributes
    post = {"version": str(stored(application).version), "q:xy.person.is_pep": "true"}
    page = Markup(as_owner.post(url(application, bob), post, HTTP_HX_REQUEST="true").content.decode())
    assert page.all("div", id="questions") == []
    assert slots_in(page, "role-1-slots") == ["Mandate"]
    assert "hx-swap-oob" in page.one("ul", id="role-1-slots").attributes


def test_an_unreadable_answer_is_kept_and_said(as_owner: Client, draft: Draft, ada: Party) -> None:
    response = posted(
        as_owner,
        draft.application,
        ada,
        **{"person.date_of_birth:day": "31", "person.date_of_birth:month": "2", "person.date_of_birth:year": "1985"},
    )
    page = sound(response, 422)
    assert page.one("input", name="q:person.date_of_birth:month").attributes["value"] == "2"
    assert page.one("p", id="q:person.date_of_birth-error").text.startswith("Error: ")
    assert stored(draft.application).raw["person.date_of_birth"]["day"] == "31"


def test_a_stale_save_shows_both_answers_and_both_sets_of_roles(
    as_owner: Client, draft: Draft, ada: Party, owner: Any
) -> None:
    services.set_roles(draft, ada, ["director", "shareholder"], by=owner)
    services.save_party(draft, ada, {"person.last_name": "Byron"}, version=2, by=owner)
    post = {"version": "1", "roles": ["", "director"], "q:person.last_name": "King"}
    page = sound(as_owner.post(url(draft.application, ada), post), 409)
    assert [one.text.strip() for one in page.all("legend")] == ["Roles", "Last name"]
    assert stored(draft.application).roles == ("director", "shareholder")
    assert stored(draft.application).raw["person.last_name"] == "Byron"
    post |= {"version": "3", "keep:roles": "theirs", "keep:q:person.last_name": "mine"}
    assert as_owner.post(url(draft.application, ada), post).status_code == 302
    assert stored(draft.application).roles == ("director", "shareholder")
    assert stored(draft.application).raw["person.last_name"] == "King"


def test_a_submitted_party_is_read_only(as_owner: Client, submitted: Draft) -> None:
    party = submitted.parties[0].model
    page = Markup(as_owner.get(url(submitted.application, party)).content.decode())
    assert page.controls == []
    assert "Lovelace" in page.one("dl", _class="summary").text
    assert posted(as_owner, submitted.application, party, **{"person.last_name": "King"}).status_code == 409
    as_owner.post(url(submitted.application, party, "removal/"))
    assert stored(submitted.application).raw["person.last_name"] == "Lovelace"


def folded(page: Markup) -> list[str]:
    """What is read back, by the words of its Change."""
    return [
        one.text.split("Change ")[1].strip() for one in page.elements if one.tag == "summary" and "Change" in one.text
    ]


def test_what_is_complete_is_read_back_and_its_controls_stay_in_the_form(
    as_owner: Client, draft: Draft, ada: Party
) -> None:
    page = page_of(as_owner, draft.application, ada)
    assert folded(page) == ["Identity and contact", "As director"]
    assert page.one("input", name="q:person.first_name").attributes["value"] == "Ada"
    rows = [one.text.strip() for one in page.elements if one.tag in ("dt", "dd")]
    assert rows[rows.index("Date of birth") + 1] == "10\xa0December\xa01985"


def test_what_is_complete_stays_open_while_somebody_works_on_the_page(
    as_owner: Client, draft: Draft, ada: Party
) -> None:
    more = {"update": "1"}
    updated = posted(as_owner, draft.application, ada, more=more, **{"xy.person.is_pep": "false"})
    assert updated["Location"] == f"{url(draft.application, ada)}?open=1"
    assert folded(Markup(as_owner.get(updated["Location"]).content.decode())) == []
    refused = posted(as_owner, draft.application, ada, more=more, **{"person.email": "nobody"})
    assert refused.status_code == 422
    assert folded(Markup(refused.content.decode())) == []
    posted(as_owner, draft.application, ada, **{"person.email": "ada@example.com"})
    assert folded(page_of(as_owner, draft.application, ada)) == ["Identity and contact", "As director"]


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


NAMES = (
    ("Siobhán", "O’Brien-d'Arcy"),
    ("Sukarno", ""),
    ("محمد", "علي"),
    ("<b>Ada</b>", "& Söhne"),
)


@pytest.mark.parametrize(("first", "last"), NAMES)
def test_a_name_is_kept_as_it_is_and_shown_so_on_every_page(
    as_owner: Client, draft: Draft, owner: Any, first: str, last: str
) -> None:
    party = services.add_party(draft, "person", ["director"], {}, by=owner)
    root = f"/applications/{draft.application.reference}/"
    page = f"{root}people/{party.token}/"
    typed = {"q:person.first_name": first, "q:person.last_name": last, "version": "1"}
    assert as_owner.post(page, typed).status_code == 302
    kept = open_draft(draft.application).parties[0].raw
    assert (kept["person.first_name"], kept.get("person.last_name", "")) == (first, last)
    shown = f"{first} {last}".strip()
    for path in ("people/", "check/", "documents/"):
        markup = Markup(as_owner.get(root + path).content.decode())
        assert markup.faults == []
        names = [one for one in markup.elements if "name" in one.attributes.get("class", "").split()]
        headings = [one for one in markup.elements if one.attributes.get("class") == "party-name"]
        assert shown in [one.text.strip() for one in (*names, *headings)], path
    again = Markup(as_owner.get(page).content.decode())
    assert again.one("input", name="q:person.first_name").attributes["value"] == first


def test_a_company_is_called_with_its_ending_wherever_it_is_named(as_owner: Client, owner: Any) -> None:
    ending = factories.field("ending", "select", canonical_field=ENTITY_NAME_ENDING, options=["Limited", "Ltd"])
    company, *others = factories.SCHEMA["sections"]
    sections = [company, {"scope": "entity", "title": "The ending", "fields": [ending]}, *others]
    application = services.start(
        owner=owner, product=factories.product(schema=factories.SCHEMA | {"sections": sections})
    )
    root = f"/applications/{application.reference}/"
    as_owner.post(f"{root}sections/the-company/", {"q:name": "Larkfield", "version": "0"})
    as_owner.post(f"{root}sections/the-ending/", {"q:ending": "Limited", "version": "0"})
    draft = open_draft(Application.objects.get())
    assert draft.title == "Larkfield Limited"
    for page in ("/applications/", root, f"{root}check/"):
        assert "Larkfield Limited" in Markup(as_owner.get(page).content.decode()).one("main").text, page
