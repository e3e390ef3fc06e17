"""Nothing that is typed about a party is lost if somebody else removes it: one press restores it and saves."""

import re
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import typed_stakes
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, people_page, people_url, root, sound
from tests.portal.parties.test_owners import JOOST
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_beneficial_owners import with_owners
from tests.portal.sharing.test_access import let_in
from tests.portal.sharing.test_overtaking_posts import version_fields as fields_of_version

pytestmark = pytest.mark.django_db(databases=["default", "service"])

KING = {"roles": ["", "director", "shareholder"], "q:person.last_name": "King"}


def with_button(page: Markup) -> tuple[str, dict[str, list[str]]]:
    """Where the page's one form goes, and what it posts when its button is pressed."""
    form = next(one for one in page.all("form") if one.attributes.get("class") == "entries")
    inside = [one for one in page.all("input") if form in one.ancestors]
    post: dict[str, list[str]] = {}
    for one in (*inside, page.one("button", name="restore")):
        post.setdefault(one.attributes["name"], []).append(one.attributes.get("value", ""))
    return form.attributes["action"], post


@pytest.fixture
def ada(complete: Draft) -> str:
    """Her page."""
    return people_url(complete, "ada/")


@pytest.fixture
def version_fields(as_owner: Client, ada: str) -> dict[str, str]:
    """What her page says that it was drawn from, before she was removed."""
    return fields_of_version(as_owner, ada)


@pytest.fixture
def removed(complete: Draft, version_fields: dict[str, str], owner: Any) -> Draft:
    services.remove_party(complete, complete.parties[0], by=owner)
    return complete


def test_the_page_says_who_was_removed_and_one_press_restores_all_of_it_and_saves(
    as_owner: Client, removed: Draft, ada: str, version_fields: dict[str, str]
) -> None:
    page = sound(as_owner.post(ada, version_fields | KING), 409)
    assert page.one("h1").text == "Ada Lovelace was removed"
    assert "You removed Ada Lovelace in another window" in page.one("main").text
    typed = page.one("dl", _class="summary").text
    assert ("King" in typed, "Lovelace" in typed) == (True, False)
    assert factories.again(removed).parties == ()
    address, post = with_button(page)
    assert as_owner.post(address, post)["Location"] == f"{ada}?open=1"
    now = factories.again(removed)
    assert now.needs == ()
    assert now.parties[0].label == "Ada King"
    assert page_at(as_owner, ada).one("div", id="messages").text == "Ada Lovelace was restored."
    changes = now.application.changes.count()
    assert as_owner.post(address, post)["Location"] == f"{ada}?open=1"
    assert now.application.changes.count() == changes


def test_a_change_that_script_posts_is_told_beside_the_answers(
    as_owner: Client, removed: Draft, ada: str, version_fields: dict[str, str]
) -> None:
    response = as_owner.post(ada, version_fields | KING, headers={"HX-Request": "true"})
    page = sound(response, 422)
    banner = page.one("div", id="banner")
    assert banner.attributes["hx-swap-oob"] == "true"
    assert "Not saved, because Ada Lovelace was removed." in banner.text
    button = page.one("button")
    assert button.attributes["form"] == "answers"
    pressed = {button.attributes["name"]: button.attributes["value"]}
    assert as_owner.post(ada, version_fields | KING | pressed)["Location"] == f"{ada}?open=1"
    assert factories.again(removed).parties[0].label == "Ada King"


def test_a_file_that_came_along_is_said_to_be_lost_and_one_at_the_banner_is_taken(
    as_owner: Client, removed: Draft, ada: str, version_fields: dict[str, str]
) -> None:
    def save(**more: str) -> Any:
        file = {"slot:ada/Passport": factories.upload(factories.PDF + b"new", name="new.pdf")}
        return as_owner.post(ada, version_fields | KING | file | more)

    assert "Choose your file again" in sound(save(), 409).one("main").text
    assert save(restore="ada").status_code == 302
    assert [one.name for one in factories.again(removed).documents] == ["new.pdf"]


def test_what_others_changed_before_they_removed_it_is_compared(
    as_owner: Client, complete: Draft, ada: str, version_fields: dict[str, str], other_customer: Any
) -> None:
    let_in(complete, other_customer, Right.EDIT)
    party = complete.parties[0]
    services.save_party(complete, party, {"person.last_name": "Byron"}, version=party.version, by=other_customer)
    services.remove_party(complete, complete.parties[0], by=other_customer)
    page = sound(as_owner.post(ada, version_fields | KING), 409)
    assert "Otto Fremd removed Ada Byron" in page.one("main").text
    address, post = with_button(page)
    clash = sound(as_owner.post(address, post), 409)
    assert [one.text.strip() for one in clash.all("legend")] == ["Last name"]
    assert factories.again(complete).parties[0].label == "Ada Byron"


def test_an_answer_that_cannot_be_read_is_kept_with_the_rest(
    as_owner: Client, removed: Draft, ada: str, version_fields: dict[str, str]
) -> None:
    born = {"q:person.date_of_birth:day": "31", "q:person.date_of_birth:month": "2", "q:person.date_of_birth:year": "1"}
    address, post = with_button(sound(as_owner.post(ada, version_fields | born), 409))
    page = sound(as_owner.post(address, post), 422)
    assert page.one("input", name="q:person.date_of_birth:day").attributes["value"] == "31"


# What differs from answer to answer.
_OWN = rb'name="csrfmiddlewaretoken" value="[^"]+"|<p id="session-clock".*?</p>|nonce=[\w-]{22}'


def unsigned(page: bytes) -> bytes:
    return re.sub(_OWN, b"", page, flags=re.DOTALL)


def test_another_customer_finds_as_little_as_where_there_never_was_anybody(
    as_other_customer: Client, as_agent: Client, as_nobody: Client, removed: Draft, ada: str
) -> None:
    restoring = KING | {"restore": "ada"}
    for client in (as_other_customer, as_agent):
        there = client.post(ada, restoring)
        nowhere = client.post("/applications/FP-0000-0000-0000/people/0000000000/", restoring)
        assert (there.status_code, nowhere.status_code) == (404, 404)
        assert unsigned(there.content) == unsigned(nowhere.content)
    assert as_nobody.post(ada, restoring)["Location"].startswith("/accounts/login/")
    assert factories.again(removed).parties == ()


def test_who_may_only_read_is_refused_as_before(
    as_other_customer: Client, removed: Draft, other_customer: Any, ada: str
) -> None:
    let_in(removed, other_customer, Right.VIEW)
    response = as_other_customer.post(ada, KING | {"restore": "ada"})
    assert response.status_code == 403
    assert "Lovelace" not in response.content.decode()
    assert factories.again(removed).parties == ()


def test_a_party_that_is_removed_between_finding_and_saving_it_is_offered_too(
    as_owner: Client, complete: Draft, ada: str, version_fields: dict[str, str], owner: Any
) -> None:
    save_party = services.save_party

    def overtaken(draft: Draft, party: Any, *args: Any, **more: Any) -> Any:
        services.remove_party(factories.again(draft), party, by=owner)
        return save_party(draft, party, *args, **more)

    with patch.object(services, "save_party", overtaken):
        page = sound(as_owner.post(ada, version_fields | KING), 409)
    address, post = with_button(page)
    assert as_owner.post(address, post)["Location"] == f"{ada}?open=1"
    assert factories.again(complete).parties[0].label == "Ada King"


def test_a_role_is_given_to_whoever_comes_back(as_owner: Client, draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.remove_party(draft, party, by=owner)
    response = as_owner.post(people_url(draft, f"{party.token}/roles/"), {"role": "shareholder"})
    address, post = with_button(sound(response, 409))
    assert as_owner.post(address, post)["Location"] == people_url(draft)
    assert sorted(factories.again(draft).parties[0].roles) == ["director", "shareholder"]


def test_undoing_a_choice_keeps_what_was_typed_about_whoever_comes_back(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    pep = {"xy.person.is_pep": "true", "xy.person.pep_office": "Mayor"}
    party = services.add_party(draft, "person", ["director"], factories.ADA | pep, by=owner)
    services.save_party(draft, party, {"xy.person.is_pep": "false"}, version=1, by=owner)
    number = draft.application.changes.latest("pk").pk
    services.remove_party(draft, party, by=owner)
    undo = f"/applications/{draft.application.reference}/changes/{number}/restoration/"
    typed = {"version": "2", "q:xy.person.is_pep": "false", "q:person.last_name": "King"}
    page = sound(as_owner.post(undo, typed), 409)
    assert "King" in page.one("dl", _class="summary").text
    address, post = with_button(page)
    assert as_owner.post(address, post).status_code == 302
    raw = factories.again(draft).parties[0].raw
    assert (raw["xy.person.is_pep"], raw["person.last_name"]) == ("true", "King")


def test_the_parts_of_a_companys_owners_are_kept(as_owner: Client, owner: Any) -> None:
    draft = limited(owner, schema=with_owners())
    hold(draft, owner, ("2,500",), ("7,500",))
    company = draft.parties[1]
    address = people_url(draft, f"{company.token}/owners/")
    typed = fields_of_version(as_owner, address) | JOOST
    services.remove_party(draft, company, by=owner)
    page = sound(as_owner.post(address, typed), 409)
    assert "40%" in page.one("dl", _class="summary").text
    address, post = with_button(page)
    assert as_owner.post(address, post).status_code == 302
    assert list(typed_stakes(factories.again(draft)).values()) == ["40%"]


def test_an_address_to_invite_somebody_at_is_kept(as_owner: Client, removed: Draft, ada: str) -> None:
    response = as_owner.post(f"{ada}invitation/", {"email": "guest@example.com"})
    address, post = with_button(sound(response, 409))
    assert post["email"] == ["guest@example.com"]
    as_owner.post(address, post)
    assert factories.again(removed).parties[0].model.invitation.email == "guest@example.com"


def test_the_pages_of_a_removed_party_are_gone_until_one_press_restores_all_of_it(
    as_owner: Client, removed: Draft, ada: str
) -> None:
    [document] = removed.removed_party_models[0].documents.all()
    for address in (ada, f"{root(removed)}documents/{document.pk}/"):
        assert as_owner.get(address).status_code == 404
    page = people_page(as_owner, removed)
    assert "Removed" in [heading.text for heading in page.all("h2")]
    page = sound(as_owner.post(page.one("form", action=f"{ada}restoration/").attributes["action"], follow=True))
    assert factories.again(removed).needs == ()
    assert page.one("div", id="messages").text.strip() == "Ada Lovelace was restored."
    assert "Removed" not in [heading.text for heading in page.all("h2")]
