"""Others do their part: invitations, colleagues, and two people in one section."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.invitations.models import Invitation
from tests.applications import factories
from tests.invitations import mailbox
from tests.journeys.actors.interactions import Hands
from tests.journeys.conftest import new_user
from tests.journeys.walkthroughs.conftest import Sit
from tests.journeys.walkthroughs.drafts import begun, now, root
from tests.journeys.walkthroughs.modes import in_every_way
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PAPER = {"name": "ada.pdf", "mimeType": "application/pdf", "buffer": factories.PDF}


@pytest.fixture
def draft(site: str) -> Draft:
    """Ida Lund's company, with Ada, of whom only the name is known."""
    draft = begun()
    named = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    services.add_party(draft, "person", ["director"], named, by=draft.application.owner)
    return draft


def enter(guest: Hands) -> None:
    """With a code, from the page that a link has led to."""
    guest.follow("Send code")
    guest.field("Code", mailbox.latest_code())
    guest.follow("Open your part")
    guest.see_heading("Ada Lovelace")


@in_every_way
def test_somebody_is_invited_opens_the_link_with_a_code_and_does_their_part(sit: Sit, draft: Draft) -> None:
    ida = sit(draft.application.owner, f"{root(draft)}people/")
    ida.follow("Invite Ada Lovelace")
    ida.field("Their e-mail address", "ada@example.com")
    ida.follow("Send invitation")
    ida.see("Invitation sent to ada@example.com.")

    ada = sit(None, mailbox.latest_link("invitation"))
    assert "key" not in ada.tab.url
    enter(ada)
    for part, text in (("Day", "10"), ("Month", "12"), ("Year", "1985")):
        ada.field(f"Date of birth {part}", text)
    ada.answer("Is pep", "Yes")
    ada.update("Update questions")
    ada.field("Pep office", "Mayor")
    ada.choose_file("File for “Passport”", PAPER)
    if ada.browser.has_script:
        ada.see("“Passport” was uploaded.")
    ada.follow("I have finished")
    ada.see_heading("You have finished")
    row = now(draft).parties[0]
    assert row.raw["xy.person.pep_office"] == "Mayor"
    assert row.raw["person.date_of_birth"]["year"] == "1985"
    assert len(now(draft).documents) == 1

    ada.follow("Go back to your answers")
    ada.follow("Close in this browser")
    ada.see_heading("Closed in this browser")
    ida.go(f"{root(draft)}people/")
    ida.see("Invitation: Done")


@in_every_way
def test_an_invitation_is_reminded_of_sent_again_expires_and_is_withdrawn(sit: Sit, draft: Draft) -> None:
    ida = sit(draft.application.owner, f"{root(draft)}people/{draft.parties[0].token}/invitation/")
    ida.field("Their e-mail address", "ada@example.com")
    ida.follow("Send invitation")
    first = mailbox.latest_link("invitation")
    own = Invitation.objects.filter(application=draft.application)
    own.update(sent_at=timezone.now() - timedelta(days=2))
    ida.go(root(draft))
    ida.follow("Send a reminder to Ada Lovelace")
    ida.see("Reminder sent to Ada Lovelace.")

    ida.go(f"{root(draft)}people/")
    ida.follow("Invitation Ada Lovelace")
    ida.follow("Send again")
    ada = sit(None, first)
    ada.see("The link may be out of date")
    ada.go(mailbox.latest_link("invitation"))
    enter(ada)

    own.update(sent_at=timezone.now() - timedelta(days=14), expires_at=timezone.now())
    ada.go(f"/part/{own.get().reference}/")
    ada.see("The link has expired.")
    ada.follow("Ask for a new link")
    ida.go(f"{root(draft)}people/{draft.parties[0].token}/invitation/")
    ida.see("Expired")
    ida.see("They have asked for a new one. Send the invitation again.")
    ida.follow("Send again")
    ada.go(mailbox.latest_link("invitation"))
    enter(ada)

    ida.follow("Withdraw invitation")
    ida.see("Invitation to Ada Lovelace withdrawn. We kept their answers.")
    ada.go(f"/part/{own.get().reference}/")
    ada.see("The invitation was withdrawn.")


@in_every_way
def test_a_colleague_is_asked_in_edits_may_only_read_then_and_is_let_out(sit: Sit, draft: Draft) -> None:
    mira = new_user()
    ida = sit(draft.application.owner, root(draft))
    ida.follow("Share this application")
    ida.field("Their e-mail address", mira.email)
    ida.answer("Access", "Can edit")
    ida.follow("Send invitation")
    ida.see(f"Invitation sent to {mira.email}.")

    colleague = sit(mira, mailbox.latest_link("collaboration"))
    colleague.follow("Accept")
    colleague.see("You now have access. You can find this application in your list.")
    colleague.go(f"{root(draft)}sections/the-company/")
    colleague.field("Name", "Larkfield")
    colleague.follow("Save and continue")
    assert now(draft).entity_raw["entity.name"] == "Larkfield"

    ida.go(f"{root(draft)}access/")
    ida.to("", fits=lambda stop: stop.name == "right" and stop.tag == "button")
    with ida.tab.expect_navigation():
        ida.use()
    colleague.go(f"{root(draft)}sections/the-company/")
    colleague.see("Larkfield")
    expect(colleague.tab.locator("main").get_by_role("textbox")).to_have_count(0)
    ida.follow("Remove")
    colleague.go(root(draft))
    expect(colleague.tab.locator("h1")).not_to_contain_text("Larkfield")


@in_every_way
def test_two_people_write_in_one_section_and_nothing_is_overwritten_unseen(sit: Sit, draft: Draft) -> None:
    user: Any = draft.application.owner
    address = f"{root(draft)}sections/the-company/"
    ida, mira = sit(user, address), sit(user, address)
    for hands, name, purpose in ((mira, "Kestrel", ""), (ida, "Larkfield", "Cold fish")):
        hands.field("Name", name)
        if purpose:
            hands.field("Purpose", purpose)
        hands.follow("Save and continue")
    ida.see_heading("was changed while you were editing")
    ida.see("As you typed it")
    ida.answer("Name", "Kestrel")
    ida.look_around()
    ida.follow("Save these answers")
    raw = now(draft).entity_raw
    assert (raw["entity.name"], raw["charter.purpose"]) == ("Kestrel", "Cold fish")
