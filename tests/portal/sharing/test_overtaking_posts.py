"""Posts of one page that overtake their answers, and two pages that are changed in different places."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.markup import Markup
from tests.portal.pages import people_url, root, sound
from tests.portal.share_limits import limited
from tests.portal.shares.test_shares import cell

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def duo(owner: Any) -> Draft:
    """Ada and Kestrel, and two classes of shares."""
    return limited(owner)


def version_fields(client: Client, url: str) -> dict[str, Any]:
    """What a page carries besides its answers, as a browser posts it."""
    page = Markup(client.get(url).content.decode())
    fields = {field.attributes.get("name", ""): field.attributes["value"] for field in page.all("input", type="hidden")}
    return {name: fields[name] for name in ("version", "drawn", "token") if name in fields}


def typed(draft: Draft) -> list[str]:
    return sorted(open_draft(draft.application).typed_holdings().values())


def test_a_save_that_overtakes_the_answer_to_a_change_is_no_conflict(as_owner: Client, duo: Draft) -> None:
    url = f"{root(duo)}shares/"
    page = version_fields(as_owner, url)
    first = {cell(duo, 0, 0): "6,000"}
    assert as_owner.post(url, page | first, HTTP_HX_REQUEST="true").status_code == 200
    # The answer is under way; the page still says what it said when it was drawn.
    second = first | {cell(duo, 0, 0): "5,000", cell(duo, 1, 0): "4,000"}
    assert as_owner.post(url, page | second).status_code == 302
    assert typed(duo) == ["4,000", "5,000"]


def test_neither_is_one_of_a_partys_answers_and_roles(as_owner: Client, duo: Draft) -> None:
    url = people_url(duo, f"{duo.parties[0].token}/")
    page = version_fields(as_owner, url)
    as_owner.post(url, page | {"roles": ["", "director"], "q:person.last_name": "Byron"}, HTTP_HX_REQUEST="true")
    again = {"roles": ["", "shareholder"], "q:person.last_name": "King"}
    assert as_owner.post(url, page | again).status_code == 302
    ada = open_draft(duo.application).parties[0]
    assert (ada.roles, ada.raw["person.last_name"]) == (("shareholder",), "King")


def test_neither_is_one_of_a_new_class_whose_first_change_has_made_it(as_owner: Client, duo: Draft) -> None:
    url = f"{root(duo)}shares/classes/new/"
    page = version_fields(as_owner, url)
    as_owner.post(url, page | {"q:name": "A"}, HTTP_HX_REQUEST="true")
    assert as_owner.post(url, page | {"q:name": "A ordinary"}).status_code == 302
    classes = open_draft(duo.application).share_classes
    assert [row.label for row in classes] == ["Ordinary", "Preferred", "A ordinary"]


def test_another_page_in_the_same_place_still_clashes(as_owner: Client, duo: Draft) -> None:
    url = f"{root(duo)}shares/"
    mine, theirs = version_fields(as_owner, url), version_fields(as_owner, url)
    as_owner.post(url, theirs | {cell(duo, 0, 0): "1"})
    as_owner.post(url, mine | {cell(duo, 1, 0): "7"})
    page = sound(as_owner.post(url, mine | {cell(duo, 0, 0): "2", cell(duo, 1, 0): "7"}), 409)
    assert [legend.text for legend in page.all("legend")] == ["Ordinary, Ada Lovelace"]
    assert "As you saved it in another window" in page.one("main").text
    assert typed(duo) == ["1", "7"]


def elsewhere(client: Client, application: Application) -> dict[str, Any]:
    """A page that was drawn before another one was saved: both know "Lark", and the other says "Trading" now."""
    url = f"{root(application)}sections/the-company/"
    client.post(url, version_fields(client, url) | {"q:name": "Lark", "q:activity": "Holding company"})
    page = version_fields(client, url)
    client.post(url, version_fields(client, url) | {"q:name": "Lark", "q:activity": "Trading"})
    return page


def test_what_only_others_have_changed_stays_and_is_said(as_owner: Client, application: Application) -> None:
    page = elsewhere(as_owner, application)
    post = page | {"q:name": "Larkfield", "q:activity": "Holding company"}
    response = as_owner.post(f"{root(application)}sections/the-company/", post, follow=True)
    raw = open_draft(application).entity_raw
    assert (raw["entity.name"], raw["xy.activity"]) == ("Larkfield", "Trading")
    assert "“Activity” was changed in another window" in response.content.decode()


@pytest.mark.parametrize("value", ["", "x", "1.2", "-1.0123456789.0", "1.<b>.x"])
def test_a_page_that_does_not_say_what_it_saw_is_old(as_owner: Client, application: Application, value: str) -> None:
    page = elsewhere(as_owner, application) | {"drawn": value}
    post = page | {"q:name": "Larkfield", "q:activity": "Trading"}
    assert as_owner.post(f"{root(application)}sections/the-company/", post).status_code == 409


def test_numbers_of_somebody_who_was_removed_meanwhile_are_told(as_owner: Client, duo: Draft, owner: Any) -> None:
    url, gone = f"{root(duo)}shares/", cell(duo, 1, 0)
    page = version_fields(as_owner, url)
    services.remove_party(open_draft(duo.application), duo.parties[1], by=owner)
    response = as_owner.post(url, page | {cell(duo, 0, 0): "5", gone: "4,321"}, follow=True)
    assert "4,321 was not saved because the shareholder or share class was removed." in response.content.decode()
    assert typed(duo) == ["5"]


def test_holdings_that_went_over_to_another_entry_are_not_written_over(
    as_owner: Client, duo: Draft, owner: Any
) -> None:
    services.add_party(duo, "person", ["shareholder"], factories.ADA, by=owner)
    namesake, ordinary = duo.parties[2], duo.share_classes[0]
    services.save_holdings(duo, {(namesake.token, ordinary.token): "900"}, by=owner)
    url = f"{root(duo)}shares/"
    page = version_fields(as_owner, url)
    services.merge_parties(duo, namesake, duo.parties[0], by=owner)
    as_owner.post(url, page | {cell(duo, 0, 0): "", cell(duo, 1, 0): "5"})
    assert typed(duo) == ["5", "900"]
