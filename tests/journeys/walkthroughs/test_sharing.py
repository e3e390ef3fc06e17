"""Others do their part: invitations, colleagues, and two people in one section."""

from typing import Any

import pytest

from formation_portal.accounts.models import GuessCount
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.invitations import mailbox
from tests.journeys.actors.interactions import Interactions
from tests.journeys.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.conftest import OpenAs, one_always
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


@one_always
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


@one_always
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
