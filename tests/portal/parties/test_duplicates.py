"""Saving somebody who is here already leads to one question; nothing is lost, and nobody has to answer it."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TYPED = {
    "q:person.first_name": "Ada",
    "q:person.last_name": "Lovelace",
    "q:person.date_of_birth:day": "10",
    "q:person.date_of_birth:month": "12",
    "q:person.date_of_birth:year": "1985",
    "q:person.email": "second@example.com",
}


def url(draft: Draft, rest: str) -> str:
    return f"/applications/{draft.application.reference}/people/{rest}"


def fresh(draft: Draft) -> Draft:
    return open_draft(Application.objects.get(pk=draft.application.pk))


@pytest.fixture
def again(complete: Draft, owner: Any) -> Draft:
    """Ada complete as a director, and somebody new as a shareholder."""
    services.set_roles(complete, complete.parties[0], ["director"], by=owner)
    services.add_party(complete, "person", ["shareholder"], {}, by=owner, token="again")
    return complete


def save(client: Client, draft: Draft, query: str = "", **more: str) -> Any:
    party = fresh(draft).party("again")
    assert party is not None
    return client.post(url(draft, f"again/{query}"), TYPED | {"version": str(party.version)} | more)


def question(client: Client, draft: Draft) -> Markup:
    page = Markup(client.get(url(draft, "again/double/")).content.decode())
    assert page.faults == []
    assert page.unlabelled() == []
    return page


def press(client: Client, draft: Draft, choice: str, query: str = "") -> Any:
    other = question(client, draft).one("input", name="other").attributes["value"]
    return client.post(url(draft, f"again/double/{query}"), {"other": other, "choice": choice}, follow=True)


def test_saving_whoever_is_here_already_asks_and_has_saved(as_owner: Client, again: Draft) -> None:
    assert save(as_owner, again)["Location"] == url(again, "again/double/")
    assert fresh(again).party("again").raw["person.email"] == "second@example.com"  # type: ignore[union-attr]
    page = question(as_owner, again)
    assert page.one("h1").text == "Is this the same person?"
    main = page.one("main").text
    assert "Ada Lovelace, born 10\xa0December\xa01985, is already a director in this application." in main
    assert "ada@example.com not second@example.com" in " ".join(main.split())
    assert [one.text for one in page.all("button", name="choice")] == [
        "Give Ada Lovelace this role too",
        "Keep both",
    ]


def test_a_save_that_makes_no_duplicate_leads_on(as_owner: Client, again: Draft) -> None:
    assert save(as_owner, again, **{"q:person.last_name": "Byron"})["Location"] == url(again, "")


def test_a_duplicate_without_another_role_brings_none(as_owner: Client, again: Draft, owner: Any) -> None:
    services.set_roles(again, again.parties[1], ["director"], by=owner)
    save(as_owner, again)
    page = question(as_owner, again)
    assert "We keep one entry." in page.one("main").text
    assert "New roles" not in page.one("main").text
    assert page.all("button", name="choice")[0].text == "Keep only the first Ada Lovelace"


@pytest.mark.parametrize("button", ["later", "update"])
def test_whoever_goes_away_or_stays_is_not_asked(as_owner: Client, again: Draft, button: str) -> None:
    assert "double" not in save(as_owner, again, **{button: "1"})["Location"]


def test_one_press_gives_the_first_one_the_role(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    response = press(as_owner, again, "one")
    [ada] = fresh(again).parties
    assert ada.roles == ("director", "shareholder")
    message = Markup(response.content.decode()).one("div", id="messages").text
    assert message.strip() == "Ada Lovelace now has one entry: director, shareholder."
    assert [row.raw["person.email"] for row in fresh(again).removed_parties] == ["second@example.com"]


def test_keeping_both_is_asked_once(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    press(as_owner, again, "both")
    assert len(fresh(again).parties) == 2
    assert save(as_owner, again)["Location"] == url(again, "")
    assert as_owner.get(url(again, "again/double/"))["Location"] == url(again, "")


def test_whoever_came_from_the_check_goes_back_there(as_owner: Client, again: Draft) -> None:
    assert save(as_owner, again, "?next=check")["Location"] == url(again, "again/double/?next=check")
    response = press(as_owner, again, "both", "?next=check")
    assert response.redirect_chain == [(f"/applications/{again.application.reference}/check/", 302)]


def test_the_question_stands_on_the_page_and_in_the_list_until_it_is_answered(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    assert "is already a director in this application" in as_owner.get(url(again, "again/")).content.decode()
    page = Markup(as_owner.get(url(again, "")).content.decode())
    assert page.faults == []
    assert url(again, "again/double/") in [one.attributes.get("href") for one in page.all("a")]
    press(as_owner, again, "both")
    assert "double" not in as_owner.get(url(again, "")).content.decode()


def test_nothing_about_duplicates_stands_in_the_way_of_submitting(as_owner: Client, again: Draft) -> None:
    before = {need.text for need in fresh(again).needs}
    save(as_owner, again)
    assert not any("same" in need.text or "twice" in need.text for need in fresh(again).needs)
    assert before


def test_an_old_question_about_another_pair_decides_nothing(as_owner: Client, again: Draft) -> None:
    save(as_owner, again)
    response = as_owner.post(url(again, "again/double/"), {"other": "0000000000", "choice": "one"})
    assert response.status_code == 200
    assert len(fresh(again).parties) == 2


def test_a_company_is_known_by_its_number(as_owner: Client, draft: Draft, owner: Any) -> None:
    ltd = {"corporate.name": "Nominees", "corporate.registration_number": "HE 1", "corporate.country": "CY"}
    services.add_party(draft, "corporate", ["director"], ltd, by=owner)
    services.add_party(draft, "corporate", ["director"], ltd, by=owner, token="again")
    page = question(as_owner, draft)
    assert page.one("h1").text == "Is this the same company?"
    assert "Nominees, number HE 1 in Cyprus, is already a director in this application." in page.one("main").text
    assert "Keep only the first Nominees" in page.one("main").text


def test_after_submitting_nothing_is_asked(as_owner: Client, complete: Draft, owner: Any) -> None:
    ada = complete.parties[0]
    duplicate = services.add_party(complete, "person", ["director"], factories.ADA, by=owner, token="again")
    services.add_document(complete, duplicate, "Passport", factories.upload(), by=owner)
    services.submit(complete, by=owner)
    address = url(complete, "again/double/")
    assert as_owner.get(address).status_code == 302
    as_owner.post(address, {"other": ada.token, "choice": "one"})
    assert len(fresh(complete).parties) == 2
    assert "double" not in as_owner.get(url(complete, "")).content.decode()
