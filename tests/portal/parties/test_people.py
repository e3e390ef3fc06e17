"""The page of people and companies: what each role needs, who could take it, and what each party still lacks."""

from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, ResourceKind
from tests import factories
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup
from tests.portal.pages import page_at, people_page, people_url, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def role(page: Markup, key: str) -> Element:
    return page.one("div", id=f"role-{key}")


def buttons(page: Markup, key: str, action: str = "roles") -> list[Element]:
    """The buttons of a role's card that give it to somebody."""
    pressed = [button for button in page.all("button") if role(page, key) in button.ancestors]
    return [button for button in pressed if button.attributes.get("formaction", "").endswith(f"/{action}/")]


def test_each_role_says_how_many_it_needs(as_owner: Client, application: Application) -> None:
    page = people_page(as_owner, application)
    assert page.one("title").text == "People and companies – Example company – Formation Portal"
    assert "1 needed" in role(page, "directors").text
    assert "A person or a company." in role(page, "directors").text
    assert "You have not added anyone yet" in page.one("main").text


def test_known_parties_are_offered_where_they_fit(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner)
    page = people_page(as_owner, draft)
    assert [one.text for one in buttons(page, "directors")] == ["Use Kestrel B.V. as Directors"]
    assert [one.text for one in buttons(page, "shareholders")] == ["Use Ada Lovelace as Shareholders"]
    assert "0 of 1 complete" in role(page, "directors").text, "the passport is missing"


def test_one_press_gives_a_known_party_the_role(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    [button] = buttons(people_page(as_owner, draft), "shareholders")
    response = as_owner.post(button.attributes["formaction"], {"role": "shareholder", "use": "x"}, follow=True)
    assert open_draft(draft.application).parties[0].roles == ("director", "shareholder")
    page = Markup(response.content.decode())
    assert page.one("div", id="messages").text.strip().startswith("Ada Lovelace is now a shareholder. You have enough")
    assert buttons(page, "shareholders") == []


@pytest.mark.parametrize("wanted", ["manager", "pope", ""])
def test_a_role_that_does_not_fit_is_not_given(as_owner: Client, draft: Draft, owner: Any, wanted: str) -> None:
    party = services.add_party(draft, "corporate", ["director"], {}, by=owner)
    as_owner.post(f"{people_url(draft)}{party.token}/roles/", {"role": wanted})
    assert open_draft(draft.application).parties[0].roles == ("director",)


def test_overview_people_and_check_say_the_same_of_a_role(as_owner: Client, complete: Draft, owner: Any) -> None:
    byron = factories.ADA | {"person.first_name": "Bob", "person.last_name": "Byron", "person.email": "b@example.com"}
    services.add_party(complete, "person", ["director"], byron, by=owner, token="bob")
    page = people_page(as_owner, complete)
    assert "1 of 2 complete" in role(page, "directors").text
    assert "1 document to complete" in page.one("li", id="party-bob").text
    overview = page_at(as_owner, root(complete))
    directors = overview.one("li", id="task-directors").text
    assert ("1 of 2 complete" in directors, "1 document to complete" in directors) == (True, True)
    assert "1 of 2 uploaded" in overview.one("li", id="task-documents").text
    assert "Complete" in overview.one("li", id="task-shareholders").text
    assert "Bob Byron: upload “Passport”" in page_at(as_owner, f"{root(complete)}check/").one("main").text


def refuse(draft: Draft, kind: str, **changes: Any) -> None:
    """Have the service refuse what was delivered about Ada, or her document."""
    rows = Delivery.objects.filter(application=draft.application, kind=kind, subject__startswith="ada")
    assert update_each(rows, **changes) == 1


@pytest.mark.parametrize("field", ["", "person.date_of_birth"])
def test_one_who_is_refused_has_to_be_changed_and_nobody_else(
    as_owner: Client, complete: Draft, owner: Any, field: str
) -> None:
    grace = factories.ADA | {"person.first_name": "Grace", "person.email": "grace@example.com"}
    services.add_party(complete, "person", ["director"], grace, by=owner, token="grace")
    problem = {"field": field, "code": "invalid", "message": "Nobody is called that"}
    refuse(complete, ResourceKind.PARTY, state=DeliveryState.REFUSED, problems=[problem])
    page = people_page(as_owner, complete)
    texts = [page.one("li", id=f"party-{token}").text for token in ("ada", "grace")]
    assert ["Changes needed" in text for text in texts] == [True, False]
    assert ["Changes needed" in role(page, key).text for key in ("directors", "shareholders")] == [True, True]


def test_a_person_with_a_rejected_document_has_to_be_changed(as_owner: Client, complete: Draft) -> None:
    rejected = {"document_status": REJECTED, "document_note": "Blurred", "acknowledged": {"document_key": "Passport"}}
    refuse(complete, ResourceKind.DOCUMENT, state=DeliveryState.DONE, **rejected)
    page = people_page(as_owner, complete)
    assert "Changes needed" in page.one("li", id="party-ada").text
    assert ["Changes needed" in role(page, key).text for key in ("directors", "shareholders")] == [True, True]


NAMES = ("Ada", "Ben", "Carla", "Dan", "Éva", "Finn", "Gus", "Hana", "Ivo", "June")
PEOPLE = [f"{first} Lovelace" for first in NAMES]


@pytest.fixture
def many(draft: Draft, owner: Any) -> Draft:
    """Ten shareholders, all complete; the first is a director too, whose passport is missing."""
    with patch.object(workflow, "application_changed"):
        services.add_share_class(draft, factories.ORDINARY, by=owner, token="ordinary")
        for first in NAMES:
            roles = ["director", "shareholder"] if first == "Ada" else ["shareholder"]
            raw = factories.ADA | {"person.first_name": first, "person.email": f"{first}@example.com"}
            services.add_party(draft, "person", roles, raw, by=owner, token=first.lower())
        services.save_holdings(draft, {(row.token, "ordinary"): "100" for row in draft.parties}, by=owner)
    return draft


def groups(page: Markup) -> dict[str, Element]:
    found = page.one("div", id="found")
    titles = [one for one in page.all("h3") if found in one.ancestors]
    return {" ".join(one.text.split()): next(up for up in one.ancestors if up.tag == "details") for one in titles}


def rows(page: Markup) -> list[str]:
    return [
        one.text for one in page.all("a") if any(up.attributes.get("class") == "party-name" for up in one.ancestors)
    ]


def test_many_are_folded_by_role_and_nobody_stands_there_twice(as_owner: Client, many: Draft) -> None:
    page = people_page(as_owner, many)
    found = groups(page)
    assert list(found) == ["Directors (1) 1 to complete", "Shareholders (10)"]
    directors, shareholders = found.values()
    assert ("open" in directors.attributes, "open" in shareholders.attributes) == (True, False)
    assert rows(page) == PEOPLE
    assert "In a list above: Ada Lovelace" in " ".join(shareholders.text.split())


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("lovelace", PEOPLE),
        ("eva", ["Éva Lovelace"]),
        ("love FINN", ["Finn Lovelace"]),
        ("ov", []),
        ("<x>", []),
    ],
)
def test_a_name_is_found_by_how_its_words_begin(as_owner: Client, many: Draft, typed: str, found: list[str]) -> None:
    page = sound(as_owner.post(people_url(many), {"name": typed}))
    assert rows(page) == found
    assert page.one("input", id="filter-name").attributes["value"] == typed
    assert all("open" in one.attributes for one in groups(page).values())
    summary = f"{len(found)} of 10." if found else f"No name here begins with “{typed}”."
    assert summary in page.one("div", id="found").text
    [back] = [link.attributes["href"] for link in page.all("a") if link.text == "Show everyone"]
    assert rows(page_at(as_owner, back.partition("#")[0])) == PEOPLE


def test_in_place_of_a_wall_of_buttons_there_is_a_list(as_owner: Client, many: Draft) -> None:
    page = people_page(as_owner, many)
    card = page.one("div", id="role-directors")
    assert buttons(page, "directors") == buttons(page, "shareholders") == []
    [choice] = [one for one in page.all("option") if one.text == "Éva Lovelace" and card in one.ancestors]
    post = {"role": "director", "use": choice.attributes["value"]}
    after = Markup(as_owner.post(people_url(many, "known/"), post, follow=True).content.decode())
    assert "Éva Lovelace is now a director." in after.one("div", id="messages").text
    assert factories.again(many).party("éva").roles == ("director", "shareholder")  # type: ignore[union-attr]
    assert "Ada Lovelace, Éva Lovelace" in " ".join(after.one("div", id="role-directors").text.split())
    assert "Ada Lovelace, Ben Lovelace, Carla Lovelace and 7 more" in " ".join(
        after.one("div", id="role-shareholders").text.split()
    )


def test_another_customers_party_is_in_nobodys_list(
    as_other_customer: Client, other_customer: Any, many: Draft
) -> None:
    own = factories.new_draft(other_customer)
    post = {"role": "director", "use": many.parties[0].token}
    assert as_other_customer.post(people_url(own, "known/"), post).status_code == 404
    assert as_other_customer.post(people_url(many), {"name": "ada"}).status_code == 404


def test_each_of_51_stands_on_one_of_two_pages_and_gets_a_role_on_their_own(as_owner: Client, owner: Any) -> None:
    crowded = factories.crowded_draft(owner)
    first, second = people_page(as_owner, crowded), people_page(as_owner, crowded, "?page=2")
    assert [link.attributes["href"] for link in first.all("a", rel="next")] == ["?page=2#list"]
    assert rows(first) == [f"Zoë {number} Lovelace" for number in range(1, 51)]
    assert rows(second) == ["Zoë 51 Lovelace"]
    assert list(groups(first)) == list(groups(second)) == ["Shareholders (51)"]
    assert "Zoë" not in role(first, "directors").text, "there are too many for a list of them"
    assert people_page(as_owner, crowded, "zoe51/").one("input", type="checkbox", name="roles", value="director")
    form = {"version": "1", "roles": ["", "shareholder", "director"]}
    assert as_owner.post(people_url(crowded, "zoe51/"), form).status_code == 302
    assert "Zoë 51 Lovelace" in " ".join(role(people_page(as_owner, crowded), "directors").text.split())
