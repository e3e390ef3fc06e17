"""People known from other applications take a role in one press: a copy, which nothing links to where it came from."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Element, Markup
from tests.portal.pages import people_page, people_url, sound
from tests.portal.parties.test_people import buttons

pytestmark = pytest.mark.django_db(databases=["default", "service"])

LTD = {"corporate.name": "Nominees Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}


def offered(page: Markup, key: str) -> list[Element]:
    return buttons(page, key, "known")


def press(client: Client, button: Element, role: str) -> Markup:
    post = {"role": role, "use": button.attributes["value"]}
    return sound(client.post(button.attributes["formaction"], post, follow=True))


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
    factories.save_section(draft, "the-company", {"xy.activity": "Trading"}, by=owner)
    page = people_page(as_owner, draft)
    assert [one.text for one in offered(page, "directors")] == [
        "Add yourself (Ingrid Solheim) as Directors",
        "Use Nominees Ltd as Directors",
        "Use Ada Lovelace as Directors",
    ]
    assert [one.text for one in offered(page, "managers")] == [
        "Add yourself (Ingrid Solheim) as Managers",
        "Use Ada Lovelace as Managers",
    ]


def test_pressing_twice_copies_the_answers_with_the_role_once(
    as_owner: Client, draft: Draft, other_application: Draft, owner: Any
) -> None:
    button = offered(people_page(as_owner, draft), "directors")[-1]
    page = press(as_owner, button, "director")
    [ada] = factories.again(draft).parties
    assert (ada.label, ada.roles) == ("Ada Lovelace", ("director",))
    assert ada.raw == {name: value for name, value in factories.ADA.items() if name != "xy.person.is_pep"}
    assert ada.token not in [one.token for one in other_application.parties]
    message = page.one("div", id="messages").text.strip()
    assert message.startswith("Ada Lovelace is now a director. We filled in 4 answers.")
    assert not any("Ada" in button.text for button in offered(page, "shareholders"))
    services.save_party(factories.again(draft), ada, {"person.last_name": "King"}, version=ada.version, by=owner)
    press(as_owner, button, "director")
    assert [row.label for row in factories.again(draft).parties] == ["Ada King"]


def test_starting_with_yourself_fills_in_what_is_known(as_owner: Client, draft: Draft, owner: Any) -> None:
    other = factories.new_draft(owner)
    named = {"person.first_name": "Ingrid", "person.last_name": "Solheim", "person.email": owner.email}
    services.add_party(other, "person", ["director"], factories.ADA | named, by=owner)
    [button] = offered(people_page(as_owner, draft), "directors")
    press(as_owner, button, "director")
    [me] = factories.again(draft).parties
    assert me.raw == {**named, "person.date_of_birth": factories.ADA["person.date_of_birth"]}
    assert offered(people_page(as_owner, draft), "directors") == []


@pytest.mark.usefixtures("other_application")
def test_a_role_that_is_not_asked_copies_nobody(as_owner: Client, draft: Draft) -> None:
    button = offered(people_page(as_owner, draft), "directors")[-1]
    for role in ("manager", "pope", ""):
        press(as_owner, button, role)
    assert factories.again(draft).parties == ()


@pytest.mark.parametrize("use", ["", "x", "FP-0000-0000-0000/0000000000/0000000000", "me/too-short"])
def test_somebody_who_is_not_known_is_not_found(as_owner: Client, draft: Draft, use: str) -> None:
    assert as_owner.post(people_url(draft, "known/"), {"role": "director", "use": use}).status_code == 404
    assert factories.again(draft).parties == ()


def test_another_customers_people_are_as_absent_as_nobody(
    as_other_customer: Client, other_customer: Any, other_application: Draft
) -> None:
    own = factories.new_draft(other_customer)
    use = f"{other_application.application.reference}/{other_application.parties[0].token}/0000000000"
    answers = [
        as_other_customer.post(people_url(own, "known/"), {"role": "director", "use": use}),
        as_other_customer.post(people_url(own, "known/"), {"role": "director", "use": "FP-0/0/0000000000"}),
        as_other_customer.post(people_url(other_application, "known/"), {"role": "director", "use": "me/0000000000"}),
    ]
    assert [one.status_code for one in answers] == [404, 404, 404]
    assert factories.again(own).parties == ()
    assert len(factories.again(other_application).parties) == 2
    assert offered(people_page(as_other_customer, own), "directors")[0].text.startswith("Add yourself (Otto")
