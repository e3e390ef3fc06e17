"""Before anything is removed, its page names what refers to it, and what will then be needed."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery, Reason
from tests import factories
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.portal.pages import page_at, people_url, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PATHS = {
    "party": "people/ada/removal/",
    "share_class": "shares/classes/ordinary/removal/",
    "holding": "shares/holdings/ada/ordinary/removal/",
    "document": "documents/{}/removal/",
    "document-from-page": "documents/{}/removal/?next=page",
}


def address(draft: Draft, name: str) -> str:
    return root(draft) + PATHS[name].format(draft.documents[0].pk)


def page_of(client: Client, draft: Draft, name: str) -> Markup:
    return page_at(client, address(draft, name))


def entry(markup: Markup, heading: str) -> str:
    """The text that stands under a heading of the margin; empty without one."""
    found = [one for one in markup.all("section") if one.attributes.get("aria-labelledby") == heading]
    return found[0].text if found else ""


def counts(draft: Draft) -> tuple[int, ...]:
    now = factories.again(draft)
    return (len(now.parties), len(now.share_classes), len(now.holdings), len(now.documents))


@pytest.mark.parametrize("name", PATHS)
def test_looking_removes_nothing_and_confirming_does(complete: Draft, as_owner: Client, name: str) -> None:
    before = counts(complete)
    page_of(as_owner, complete, name)
    assert counts(complete) == before
    response = as_owner.post(address(complete, name))
    assert response.status_code == 302
    assert counts(complete) != before
    assert "removed." in as_owner.get(response["Location"]).content.decode()


def test_a_party_names_the_roles_that_then_have_too_few(complete: Draft, as_owner: Client) -> None:
    markup = page_of(as_owner, complete, "party")
    assert "Holds 10,000 “Ordinary” shares" in entry(markup, "goes")
    assert "“passport.pdf” (Passport)" in entry(markup, "goes")
    needed = entry(markup, "needed")
    assert "Add 1 more under “Directors” (at least 1)" in needed
    assert "Add 1 more under “Shareholders” (at least 1)" in needed


def test_what_was_needed_before_is_not_said_to_be_needed_then(draft: Draft, owner: Any, as_owner: Client) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    needed = entry(page_at(as_owner, people_url(draft, f"{ada.token}/removal/")), "needed")
    assert "Directors" in needed
    assert "Shareholders" not in needed, "it has none as it is"


def test_a_share_class_and_a_holding_name_their_holders_and_the_answers_that_name_them(
    complete: Draft, owner: Any, as_owner: Client
) -> None:
    ada = complete.parties[0]
    services.save_party(complete, ada, {"xy.person.appointed_by": "ordinary"}, version=ada.version, by=owner)
    markup = page_of(as_owner, complete, "share_class")
    assert "Ada Lovelace holds 10,000 of its shares." in entry(markup, "goes")
    assert "you will need to answer “Appointed by” again." in entry(markup, "goes")
    assert "Add 1 share class" in entry(markup, "needed")
    markup = page_of(as_owner, complete, "holding")
    assert markup.one("h1").text == "Remove 10,000 “Ordinary” shares of Ada Lovelace?"
    assert "Ada Lovelace will hold no shares." in entry(markup, "goes")
    assert "Allocate shares to Ada Lovelace" in entry(markup, "needed")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("party", "party"), ("share_class", "share_class"), ("holding", "shareholding"), ("document", "document")],
)
def test_what_the_service_can_not_be_told_to_remove_is_said(
    complete: Draft, as_owner: Client, settings: Any, name: str, kind: str
) -> None:
    words = "can’t delete it automatically. Our team will ask for it to be removed."
    update_each(Delivery.objects.filter(kind=kind), state="done", acknowledged={"answers": {}}, remote_id=f"{kind}_1")
    assert words not in page_of(as_owner, complete, name).one("main").text, "this service has the call"
    settings.FORMATION_SERVICE_EDITS = False
    assert words in page_of(as_owner, complete, name).one("main").text
    Delivery.objects.filter(kind=kind).update(state="held", reason=Reason.UNCLEAR, acknowledged=None, remote_id="")
    assert words in page_of(as_owner, complete, name).one("main").text, "it may be there"
    Delivery.objects.filter(kind=kind).update(state="queued", reason="")
    assert words not in page_of(as_owner, complete, name).one("main").text, "it never was there"


@pytest.mark.parametrize("name", PATHS)
def test_after_submitting_nothing_is_removed(submitted: Draft, as_owner: Client, name: str) -> None:
    before = counts(submitted)
    assert not [one for one in page_of(as_owner, submitted, name).all("button") if one.text == "Remove"]
    assert as_owner.post(address(submitted, name)).status_code == 302
    assert counts(submitted) == before
