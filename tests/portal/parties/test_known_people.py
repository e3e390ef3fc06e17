"""People known from other applications take a role in one press: a copy, which nothing links to where it came from."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.markup import Element, Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

LTD = {"corporate.name": "Nominees Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}


def url(draft: Draft, rest: str = "") -> str:
    return f"/applications/{draft.application.reference}/people/{rest}"


def fresh(draft: Draft) -> Draft:
    return open_draft(Application.objects.get(pk=draft.application.pk))


def page_of(client: Client, draft: Draft) -> Markup:
    page = Markup(client.get(url(draft)).content.decode())
    assert page.faults == []
    assert page.unlabelled() == []
    return page


def offered(page: Markup, key: str) -> list[Element]:
    card = page.one("div", id=f"role-{key}")
    buttons = [one for one in page.all("button") if one.attributes.get("formaction", "").endswith("/known/")]
    return [one for one in buttons if card in one.ancestors]


def press(client: Client, button: Element, role: str) -> Markup:
    post = {"role": role, "use": button.attributes["value"]}
    return Markup(client.post(button.attributes["formaction"], post, follow=True).content.decode())


@pytest.fixture
def other_application(owner: Any) -> Draft:
    """Another application, with Ada and a company."""
    draft = factories.new_draft(owner)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.add_party(draft, "corporate", ["director"], LTD, by=owner)
    return draft


def test_known_ones_are_offered_where_they_fit(
    as_owner: Client, draft: Draft, other_application: Draft, owner: Any
) -> None:
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, {"xy.activity": "Trading"}, version=0, by=owner)
    page = page_of(as_owner, draft)
    assert [one.text for one in offered(page, "directors")] == [
        "Add yourself (Ingrid Solheim) as Directors",
        "Use Nominees Ltd as Directors",
        "Use Ada Lovelace as Directors",
    ]
    assert [one.text for one in offered(page, "managers")] == [
        "Add yourself (Ingrid Solheim) as Managers",
        "Use Ada Lovelace as Managers",
    ]


def test_one_press_copies_the_answers_with_the_role(as_owner: Client, draft: Draft, other_application: Draft) -> None:
    button = offered(page_of(as_owner, draft), "directors")[-1]
    page = press(as_owner, button, "director")
    [ada] = fresh(draft).parties
    assert (ada.label, ada.roles) == ("Ada Lovelace", ("director",))
    assert ada.raw == {name: value for name, value in factories.ADA.items() if name != "xy.person.is_pep"}
    assert ada.token not in [one.token for one in other_application.parties]
    message = page.one("div", id="messages").text.strip()
    assert message.startswith("Ada Lovelace is now a director. We filled in 4 answers.")
    assert not any("Ada" in one.text for one in offered(page, "shareholders"))


def test_nothing_links_the_two(as_owner: Client, draft: Draft, other_application: Draft, owner: Any) -> None:
    press(as_owner, offered(page_of(as_owner, draft), "directors")[-1], "director")
    there = next(row for row in fresh(other_application).parties if row.kind == "person")
    services.save_party(fresh(other_application), there, {"person.last_name": "King"}, version=there.version, by=owner)
    assert fresh(draft).parties[0].label == "Ada Lovelace"


def test_pressing_twice_copies_once(as_owner: Client, draft: Draft, other_application: Draft, owner: Any) -> None:
    button = offered(page_of(as_owner, draft), "directors")[-1]
    press(as_owner, button, "director")
    ada = fresh(draft).parties[0]
    services.save_party(fresh(draft), ada, {"person.last_name": "King"}, version=ada.version, by=owner)
    press(as_owner, button, "director")
    assert [row.label for row in fresh(draft).parties] == ["Ada King"]


def test_an_old_page_gives_whoever_is_here_by_now_the_role(
    as_owner: Client, draft: Draft, other_application: Draft
) -> None:
    old, older = page_of(as_owner, draft), page_of(as_owner, draft)
    press(as_owner, offered(old, "directors")[-1], "director")
    press(as_owner, offered(older, "shareholders")[-1], "shareholder")
    [ada] = fresh(draft).parties
    assert ada.roles == ("director", "shareholder")


def test_starting_with_yourself_fills_in_what_is_known(as_owner: Client, draft: Draft, owner: Any) -> None:
    other = factories.new_draft(owner)
    named = {"person.first_name": "Ingrid", "person.last_name": "Solheim", "person.email": owner.email}
    services.add_party(other, "person", ["director"], factories.ADA | named, by=owner)
    [button] = offered(page_of(as_owner, draft), "directors")
    press(as_owner, button, "director")
    [me] = fresh(draft).parties
    assert me.raw == {**named, "person.date_of_birth": factories.ADA["person.date_of_birth"]}
    assert offered(page_of(as_owner, draft), "directors") == []


def test_whoever_adds_themselves_by_the_form_gets_the_same(as_owner: Client, draft: Draft, owner: Any) -> None:
    other = factories.new_draft(owner)
    named = {"person.first_name": "Ingrid", "person.last_name": "Solheim", "person.email": owner.email}
    services.add_party(other, "person", ["director"], factories.ADA | named, by=owner)
    as_owner.post(url(draft, "new/"), {"kind": "person", "roles": "director", "me": "1"})
    assert fresh(draft).parties[0].raw["person.date_of_birth"] == factories.ADA["person.date_of_birth"]


def test_an_account_without_a_name_is_not_offered(as_owner: Client, draft: Draft, owner: Any) -> None:
    owner.first_name = owner.last_name = ""
    owner.save()
    assert offered(page_of(as_owner, draft), "directors") == []


def test_a_handful_is_shown_and_the_rest_is_a_list(
    as_owner: Client, draft: Draft, other_application: Draft, owner: Any
) -> None:
    for number in range(4):
        services.add_party(
            other_application, "person", ["director"], factories.ADA | {"person.first_name": f"N{number}"}, by=owner
        )
    page = page_of(as_owner, draft)
    assert len(offered(page, "directors")) == 3
    assert "Choose from 4 more" in page.one("div", id="role-directors").text
    listed = page.one("select", id="role-directors-list")
    values = [one.attributes["value"] for one in page.all("option") if listed in one.ancestors]
    assert len(values) == 4
    as_owner.post(url(draft, "known/"), {"role": "director", "use": values[-1]})
    [copied] = fresh(draft).parties
    assert (copied.roles, copied.raw["person.last_name"]) == (("director",), "Lovelace")


def test_namesakes_are_told_apart_in_words(
    as_owner: Client, draft: Draft, other_application: Draft, owner: Any
) -> None:
    born = {"person.date_of_birth": {"day": "1", "month": "5", "year": "1990"}}
    services.add_party(other_application, "person", ["director"], factories.ADA | born, by=owner)
    texts = [one.text for one in offered(page_of(as_owner, draft), "shareholders")]
    assert "Use Ada Lovelace born 1\xa0May\xa01990 as Shareholders" in texts


@pytest.mark.parametrize("role", ["manager", "pope", ""])
def test_a_role_that_is_not_asked_copies_nobody(
    as_owner: Client, draft: Draft, other_application: Draft, role: str
) -> None:
    press(as_owner, offered(page_of(as_owner, draft), "directors")[-1], role)
    assert fresh(draft).parties == ()


@pytest.mark.parametrize("use", ["", "x", "FP-0000-0000-0000/0000000000/0000000000", "me/too-short"])
def test_whoever_is_not_known_is_not_found(as_owner: Client, draft: Draft, use: str) -> None:
    assert as_owner.post(url(draft, "known/"), {"role": "director", "use": use}).status_code == 404
    assert fresh(draft).parties == ()


def test_another_customers_people_are_as_absent_as_nobody(
    as_other_customer: Client, other_customer: Any, other_application: Draft
) -> None:
    own = factories.new_draft(other_customer)
    use = f"{other_application.application.reference}/{other_application.parties[0].token}/0000000000"
    answers = [
        as_other_customer.post(url(own, "known/"), {"role": "director", "use": use}),
        as_other_customer.post(url(own, "known/"), {"role": "director", "use": "FP-0/0/0000000000"}),
        as_other_customer.post(url(other_application, "known/"), {"role": "director", "use": "me/0000000000"}),
    ]
    assert [one.status_code for one in answers] == [404, 404, 404]
    assert fresh(own).parties == ()
    assert len(fresh(other_application).parties) == 2
    assert offered(page_of(as_other_customer, own), "directors")[0].text.startswith("Add yourself (Otto")


def test_agents_and_nobody_copy_nobody(as_agent: Client, as_nobody: Client, draft: Draft) -> None:
    post = {"role": "director", "use": "me/0000000000"}
    assert as_agent.post(url(draft, "known/"), post).status_code == 404
    assert as_nobody.post(url(draft, "known/"), post)["Location"].startswith("/accounts/login/")
    assert fresh(draft).parties == ()


def test_looking_copies_nobody(as_owner: Client, draft: Draft) -> None:
    assert as_owner.get(url(draft, "known/"))["Location"] == url(draft)


def test_after_submitting_nobody_is_offered_or_copied(
    as_owner: Client, submitted: Draft, other_application: Draft
) -> None:
    page = page_of(as_owner, submitted)
    assert not any("yourself" in one.text for one in page.all("button"))
    as_owner.post(url(submitted, "known/"), {"role": "shareholder", "use": "me/0000000000"})
    assert len(fresh(submitted).parties) == 1
