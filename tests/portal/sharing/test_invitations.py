"""The owner's side of an invitation: its page, the row of the list, a reminder, and whose turn it is."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from tests import factories
from tests.invitations import mailbox
from tests.portal.pages import page_at, query_counts, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> PartyRow:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    return draft.parties[0]


def url(draft: Draft, party: PartyRow, more: str = "") -> str:
    return f"{root(draft)}people/{party.token}/invitation/{more}"


@pytest.mark.parametrize(
    ("typed", "to"),
    [
        (" \u2060New@Example.com\u200b ", "new@example.com"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
    ],
)
def test_an_invitation_goes_out_and_stands_at_the_row(
    as_owner: Client, draft: Draft, ada: PartyRow, typed: str, to: str
) -> None:
    response = as_owner.post(url(draft, ada), {"email": typed})
    assert response["Location"] == url(draft, ada)
    assert mailbox.latest_mail("invitation").to == to
    text = page_at(as_owner, f"{root(draft)}people/").one("li", id=f"party-{ada.token}").text
    assert "Invitation: Sent, " in text


@pytest.mark.parametrize(
    "typed", ["ada", "ada@example.com, bob@example.com", "ada@example.com\r\nBcc: all@example.com"]
)
def test_what_is_no_address_is_said_and_kept(as_owner: Client, draft: Draft, ada: PartyRow, typed: str) -> None:
    page = sound(as_owner.post(url(draft, ada), {"email": typed}), 422)
    assert page.one("input", id="email").attributes["value"] == typed
    assert page.one("p", id="email-error").text.startswith("Error: Enter an e-mail address")
    assert not Email.objects.exists()


def test_withdrawing_shuts_it_and_says_so(as_owner: Client, draft: Draft, ada: PartyRow) -> None:
    as_owner.post(url(draft, ada), {"email": "ada@example.com"})
    Invitation.objects.update(sent_at=timezone.now() - timedelta(days=2))
    for more in ("withdrawal/", "reminder/"):
        assert as_owner.get(url(draft, ada, more))["Location"] == url(draft, ada)
    assert Invitation.objects.get().withdrawn_at is None, "nothing is done by looking"
    assert not Email.objects.filter(kind="nudge").exists()
    as_owner.post(url(draft, ada, "withdrawal/"))
    assert Invitation.objects.get().withdrawn_at is not None
    text = page_at(as_owner, f"{root(draft)}people/").one("li", id=f"party-{ada.token}").text
    assert "Invitation: Withdrawn, " in text


def test_a_reminder_from_the_overview_goes_once(as_owner: Client, draft: Draft, ada: PartyRow, owner: Any) -> None:
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    Invitation.objects.update(sent_at=timezone.now() - timedelta(days=2))
    turn = page_at(as_owner, root(draft)).one("li", id=f"turn-{ada.token}")
    assert "Ada Lovelace" in turn.text
    assert "1 item to complete" in turn.text
    for _ in range(2):
        response = as_owner.post(url(draft, ada, "reminder/"), {"from": "overview"})
        assert response["Location"] == root(draft)
    assert Email.objects.filter(kind="nudge").count() == 1
    page = as_owner.get(root(draft)).content.decode()
    assert "We wrote to Ada Lovelace less than a day ago." in page
    assert url(draft, ada, "reminder/") not in page


def test_the_overview_says_whose_turn_it_is_once_others_have_theirs(
    as_owner: Client, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    assert "Waiting for" not in as_owner.get(root(draft)).content.decode()
    everything = len(draft.needs)
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    assert f"{everything - 1} items to complete" in page_at(as_owner, root(draft)).one("li", id="turn-you").text
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)
    Invitation.objects.update(done_at=timezone.now())
    page = page_at(as_owner, root(draft))
    assert f"{everything - 1} items to complete" in page.one("li", id="turn-you").text
    assert "Finished" in page.one("li", id=f"turn-{ada.token}").text


def test_the_list_names_who_is_waited_for(as_owner: Client, draft: Draft, ada: PartyRow, owner: Any) -> None:
    assert "Waiting for you." in as_owner.get("/applications/").content.decode()
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    assert "Waiting for you and Ada Lovelace, since " in as_owner.get("/applications/").content.decode()


def test_seven_invitations_take_as_many_queries_as_one(
    as_owner: Client, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    pages = (root(draft), f"{root(draft)}people/", "/applications/", url(draft, ada))
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    few = query_counts(as_owner, *pages)
    for number in range(6):
        services.add_party(draft, "person", ["director"], {"person.first_name": f"No {number}"}, by=owner)
        parts.invite(draft, draft.parties[-1], email=f"no{number}@example.com", by=owner, language="en")
    assert Application.objects.get().invitations.count() == 7
    assert query_counts(as_owner, *pages) == few
    assert max(few) <= 14
