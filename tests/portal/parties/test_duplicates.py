"""Saving somebody who is here already leads to one question, which nobody has to answer."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, people_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TYPED = {
    "q:person.first_name": "Ada",
    "q:person.last_name": "Lovelace",
    "q:person.date_of_birth:day": "10",
    "q:person.date_of_birth:month": "12",
    "q:person.date_of_birth:year": "1985",
    "q:person.email": "second@example.com",
}


@pytest.fixture
def again(complete: Draft, owner: Any) -> Draft:
    """Ada complete as a director, and somebody new as a shareholder."""
    services.set_roles(complete, complete.parties[0], ["director"], by=owner)
    services.add_party(complete, "person", ["shareholder"], {}, by=owner, token="again")
    return complete


def save(client: Client, draft: Draft, **more: str) -> Any:
    version = factories.again(draft).parties[1].version
    return client.post(people_url(draft, "again/"), TYPED | {"version": str(version)} | more)


def question(client: Client, draft: Draft) -> Markup:
    return page_at(client, people_url(draft, "again/double/"))


def press(client: Client, draft: Draft, choice: str, query: str = "") -> Any:
    other = question(client, draft).one("input", name="other").attributes["value"]
    return client.post(people_url(draft, f"again/double/{query}"), {"other": other, "choice": choice}, follow=True)


def test_saving_somebody_who_is_here_already_asks_and_has_saved(as_owner: Client, again: Draft) -> None:
    assert save(as_owner, again)["Location"] == people_url(again, "again/double/")
    page = question(as_owner, again)
    assert page.one("h1").text == "Is this the same person?"
    main = page.one("main").text
    assert "Ada Lovelace, born 10\xa0December\xa01985, is already a director in this application." in main
    assert "ada@example.com not second@example.com" in " ".join(main.split())
    assert [one.text for one in page.all("button", name="choice")] == [
        "Give Ada Lovelace this role too",
        "Keep both",
    ]


def test_an_owner_who_goes_away_or_stays_is_not_asked(as_owner: Client, again: Draft) -> None:
    for button in ("later", "update"):
        assert "double" not in save(as_owner, again, **{button: "1"})["Location"]


def test_one_press_gives_the_first_one_the_role(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    page = sound(press(as_owner, again, "one"))
    [ada] = factories.again(again).parties
    assert ada.roles == ("director", "shareholder")
    assert page.one("div", id="messages").text.strip() == "Ada Lovelace now has one entry: director, shareholder."
    assert [row.raw["person.email"] for row in factories.again(again).removed_parties] == ["second@example.com"]


def test_keeping_both_is_asked_once(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    response = press(as_owner, again, "both", "?next=check")
    assert response.redirect_chain == [(f"/applications/{again.application.reference}/check/", 302)]
    assert len(factories.again(again).parties) == 2
    assert save(as_owner, again)["Location"] == people_url(again, "")
    assert as_owner.get(people_url(again, "again/double/"))["Location"] == people_url(again, "")


def test_an_old_question_about_another_pair_decides_nothing(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    response = as_owner.post(people_url(again, "again/double/"), {"other": "0000000000", "choice": "one"})
    assert response.status_code == 200
    assert len(factories.again(again).parties) == 2


def test_a_company_is_known_by_its_number(as_owner: Client, draft: Draft, owner: Any) -> None:
    ltd = {"corporate.name": "Nominees", "corporate.registration_number": "HE 1", "corporate.country": "CY"}
    services.add_party(draft, "corporate", ["director"], ltd, by=owner)
    services.add_party(draft, "corporate", ["director"], ltd, by=owner, token="again")
    page = question(as_owner, draft)
    assert page.one("h1").text == "Is this the same company?"
    assert "Nominees, number HE 1 in Cyprus, is already a director in this application." in page.one("main").text
    assert "Keep only the first Nominees" in page.one("main").text
