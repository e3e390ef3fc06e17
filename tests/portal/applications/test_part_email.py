"""When somebody is done with their part, its owner hears of it: once by e-mail, and on the overview."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import unsubscribe, unsubscribe_path
from formation_portal.portal.applications import status_emails
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, ResourceKind
from tests import factories
from tests.encrypted_rows import update_each
from tests.portal.pages import page_at, people_page, root
from tests.portal.sharing.test_part import let_in, stored, url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def invitation(draft: Draft, owner: Any) -> Invitation:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)
    return parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="de")


@pytest.fixture
def guest(invitation: Invitation) -> Client:
    return let_in(Client(), invitation)


def done(guest: Client, invitation: Invitation, **answers: str) -> Any:
    """Press "I have finished", with these answers changed."""
    posted = {f"q:{name}": value for name, value in answers.items()}
    return guest.post(url(invitation), {"version": str(stored(invitation).version), "done": "1"} | posted)


def sent_emails() -> list[Email]:
    return list(Email.objects.filter(kind="part_done").order_by("pk"))


def test_the_owner_reads_who_has_finished_and_that_nothing_is_missing(
    owner: Any, invitation: Invitation, guest: Client
) -> None:
    done(guest, invitation)
    [letter] = sent_emails()
    assert (letter.to, letter.language) == (owner.email, "en")
    assert letter.subject == "Ada Lovelace has finished their part"
    assert ("Nothing is missing." in letter.text, "Nothing is missing." in letter.html) == (True, True)
    assert f"/applications/{invitation.application.reference}/people/{invitation.party.token}/" in letter.text
    assert "Stop these e-mails" in letter.text
    assert "ada@example.com" not in letter.text + letter.html


def test_a_second_press_writes_nothing_and_being_done_again_does(invitation: Invitation, guest: Client) -> None:
    done(guest, invitation)
    done(guest, invitation)
    parts.finish(open_draft(Application.objects.get()), Invitation.objects.get())
    assert len(sent_emails()) == 1
    done(guest, invitation, **{"person.last_name": "Byron"})
    assert [letter.subject.split(" has ")[0] for letter in sent_emails()] == ["Ada Lovelace", "Ada Byron"]


@pytest.mark.usefixtures("invitation")
def test_two_presses_at_the_same_moment_are_one() -> None:
    windows = [(open_draft(Application.objects.get()), Invitation.objects.get()) for _ in range(2)]
    for draft, invitation in windows:
        parts.finish(draft, invitation)
    assert len(sent_emails()) == 1


def test_somebody_who_says_so_without_end_is_not_heard_without_end(
    invitation: Invitation, guest: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_emails, "MOST_A_DAY", 2)
    for name in ("Byron", "King", "Lovelace"):
        done(guest, invitation, **{"person.last_name": name})
    assert len(sent_emails()) == 2


def test_an_owner_who_wants_none_gets_none(
    owner: Any, invitation: Invitation, guest: Client, as_nobody: Client
) -> None:
    path = unsubscribe_path(kind="part_done", to=owner.email)
    assert "someone you invited has finished" in as_nobody.get(path).content.decode()
    unsubscribe(path.split("/")[-2])
    done(guest, invitation)
    assert sent_emails() == []


def test_the_overview_and_the_history_say_so(as_owner: Client, invitation: Invitation, guest: Client) -> None:
    done(guest, invitation)
    page = page_at(as_owner, root(invitation.application))
    line = page.one("li", id=f"turn-{invitation.party.token}")
    assert "Finished their part" in line.text
    assert "Finished, " in line.text
    assert page.one("li", id="turn-you")
    draft = open_draft(Application.objects.get())
    assert draft.application.changes.first().what == "Ada Lovelace finished their part"  # type: ignore[union-attr]


def lines_of_owner(as_owner: Client, invitation: Invitation) -> tuple[str, str, str]:
    """Return what overview, people and invitation page say of the part."""
    application, token = invitation.application, invitation.party.token
    overview = page_at(as_owner, root(application)).one("li", id=f"turn-{token}").text
    people = people_page(as_owner, application).one("li", id=f"party-{token}").text
    page = people_page(as_owner, application, f"{token}/invitation/")
    return overview, people, page.one("section", aria_labelledby="stands").text


def test_no_page_says_finished_once_something_is_missing_again(
    as_owner: Client, invitation: Invitation, guest: Client
) -> None:
    done(guest, invitation)
    assert ["Finished" in line for line in lines_of_owner(as_owner, invitation)] == [True, True, True]
    draft = open_draft(invitation.application)
    services.remove_document(draft, draft.documents[0], by=draft.application.owner)
    lines = lines_of_owner(as_owner, invitation)
    assert ["Finished" in line for line in lines] == [False, False, False]
    assert ["In progress" in line for line in lines] == [True, True, True]
    assert [lines[0].count("1 item to complete"), lines[2].count("1 item to complete")] == [1, 1]


def test_no_page_says_finished_once_the_service_has_rejected_a_document(
    as_owner: Client, invitation: Invitation, guest: Client
) -> None:
    done(guest, invitation)
    document = Delivery.objects.filter(application=invitation.application, kind=ResourceKind.DOCUMENT)
    rejected = {"document_status": REJECTED, "document_note": "Blurred", "acknowledged": {"document_key": "Passport"}}
    assert update_each(document, state=DeliveryState.DONE, **rejected) == 1
    lines = lines_of_owner(as_owner, invitation)
    assert ["Finished" in line for line in lines] == [False, False, False]
    assert ["In progress" in line for line in lines] == [True, True, True]
    done(guest, invitation)
    assert len(sent_emails()) == 1
    page = page_at(guest, url(invitation, "?finishing=1"))
    assert page.one("h2", id="missing").text == "Correct 1 item to finish."
