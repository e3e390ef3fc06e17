"""Others do their part: invitations, colleagues, and two people in one section."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from formation_portal.accounts.models import GuessCount
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.invitations import mailbox
from tests.journeys.actors.interactions import Interactions
from tests.journeys.conftest import new_user
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PASSPORT_FILE = {"name": "ada.pdf", "mimeType": "application/pdf", "buffer": factories.PDF}


@pytest.fixture
def draft(site: str) -> Draft:
    """Ida Lund's company, with Ada, of whom only the name is known."""
    # E-mails to an address are counted for a day, by tests with one database together.
    GuessCount.objects.all().delete()
    draft = new_draft()
    named = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    services.add_party(draft, "person", ["director"], named, by=draft.application.owner)
    return draft


def enter(guest: Interactions) -> None:
    """With a code, from the page that a link has led to."""
    guest.follow("Send code")
    guest.fill("Code", mailbox.latest_code())
    guest.follow("Open your part")
    guest.expect_heading("Ada Lovelace")


@in_every_mode
def test_somebody_is_invited_opens_the_link_with_a_code_and_does_their_part(open_as: OpenAs, draft: Draft) -> None:
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/")
    ida.follow("Invite Ada Lovelace")
    ida.fill("Their e-mail address", "ada@example.com")
    ida.follow("Send invitation")
    ida.expect_text("Invitation sent to ada@example.com.")

    ada = open_as(None, mailbox.latest_link("invitation"))
    assert "key" not in ada.tab.url
    enter(ada)
    for part, text in (("Day", "10"), ("Month", "12"), ("Year", "1985")):
        ada.fill(f"Date of birth {part}", text)
    ada.choose_radio("Is pep", "Yes")
    ada.update("Update questions")
    ada.choose_file("File for “Passport”", PASSPORT_FILE)
    if ada.browser.has_script:
        ada.expect_text("“Passport” was uploaded.")
    ada.follow("I have finished")
    ada.expect_text("2 answers are missing. Complete them to finish.")
    ida.go(address_of(draft))
    ida.expect_text("In progress")
    ada.fill("E-mail address", "ada@example.com")
    ada.fill("Pep office", "Mayor")
    ada.follow("I have finished")
    ada.expect_heading("You have finished")
    row = reloaded(draft).parties[0]
    assert row.raw["xy.person.pep_office"] == "Mayor"
    assert row.raw["person.date_of_birth"]["year"] == "1985"
    assert len(reloaded(draft).documents) == 1

    ada.follow("Go back to your answers")
    ada.follow("Close in this browser")
    ada.expect_heading("Closed in this browser")
    ida.go(f"{address_of(draft)}people/")
    ida.expect_text("Invitation: Finished")


@in_every_mode
def test_an_invitation_is_reminded_of_sent_again_expires_and_is_withdrawn(open_as: OpenAs, draft: Draft) -> None:
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/{draft.parties[0].token}/invitation/")
    ida.fill("Their e-mail address", "ada@example.com")
    ida.follow("Send invitation")
    first = mailbox.latest_link("invitation")
    own = Invitation.objects.filter(application=draft.application)
    own.update(sent_at=timezone.now() - timedelta(days=2))
    ida.go(address_of(draft))
    ida.follow("Send a reminder to Ada Lovelace")
    ida.expect_text("Reminder sent to Ada Lovelace.")

    ida.go(f"{address_of(draft)}people/")
    ida.follow("Invitation Ada Lovelace")
    ida.follow("Send again")
    ada = open_as(None, first)
    ada.expect_text("The link may be out of date")
    ada.go(mailbox.latest_link("invitation"))
    enter(ada)

    own.update(sent_at=timezone.now() - timedelta(days=14), expires_at=timezone.now())
    ada.go(f"/part/{own.get().reference}/")
    ada.expect_text("The link has expired.")
    ada.follow("Ask for a new link")
    ida.go(f"{address_of(draft)}people/{draft.parties[0].token}/invitation/")
    ida.expect_text("Expired")
    ida.expect_text("They have asked for a new one. Send the invitation again.")
    ida.follow("Send again")
    ada.go(mailbox.latest_link("invitation"))
    enter(ada)

    ida.follow("Withdraw invitation")
    ida.expect_text("Invitation to Ada Lovelace withdrawn. We kept their answers.")
    ada.go(f"/part/{own.get().reference}/")
    ada.expect_text("The invitation was withdrawn.")


@in_every_mode
def test_a_colleague_is_invited_edits_then_only_reads_and_is_removed(open_as: OpenAs, draft: Draft) -> None:
    mira = new_user()
    ida = open_as(draft.application.owner, address_of(draft))
    ida.follow("Share this application")
    ida.fill("Their e-mail address", mira.email)
    ida.choose_radio("Access", "Can edit")
    ida.follow("Send invitation")
    ida.expect_text(f"Invitation sent to {mira.email}.")

    colleague = open_as(mira, mailbox.latest_link("collaboration"))
    colleague.follow("Accept")
    colleague.expect_text("You now have access. You can find this application in your list.")
    colleague.go(f"{address_of(draft)}sections/the-company/")
    colleague.fill("Name", "Larkfield")
    colleague.follow("Save and continue")
    assert reloaded(draft).entity_raw["entity.name"] == "Larkfield"

    ida.go(f"{address_of(draft)}access/")
    ida.move_to("", matches=lambda control: control.name == "right" and control.tag == "button")
    with ida.tab.expect_navigation():
        ida.activate()
    colleague.go(f"{address_of(draft)}sections/the-company/")
    colleague.expect_text("Larkfield")
    expect(colleague.tab.locator("main").get_by_role("textbox")).to_have_count(0)
    ida.follow("Remove")
    colleague.go(address_of(draft))
    expect(colleague.tab.locator("h1")).not_to_contain_text("Larkfield")


@in_every_mode
def test_two_people_write_in_one_section_and_nothing_is_overwritten_unseen(open_as: OpenAs, draft: Draft) -> None:
    user: Any = draft.application.owner
    address = f"{address_of(draft)}sections/the-company/"
    ida, mira = open_as(user, address), open_as(user, address)
    for actor, name, purpose in ((mira, "Kestrel", ""), (ida, "Larkfield", "Cold fish")):
        actor.fill("Name", name)
        if purpose:
            actor.fill("Purpose", purpose)
        actor.follow("Save and continue")
    ida.expect_heading("was changed while you were editing")
    ida.expect_text("As you typed it")
    ida.choose_radio("Name", "Kestrel")
    ida.visit_all_controls()
    ida.follow("Save these answers")
    raw = reloaded(draft).entity_raw
    assert (raw["entity.name"], raw["charter.purpose"]) == ("Kestrel", "Cold fish")
