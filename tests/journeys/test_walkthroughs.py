"""An application from the catalog to its receipt: by keyboard alone on a narrow screen, and without script."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.accounts.models import GuessCount
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.documents import sample_files
from tests.invitations import mailbox
from tests.journeys.actors.interactions import Interactions, Keyboard, Pointer
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.drafts import address_of, complete_draft, new_draft, reloaded

OpenAs = Callable[[Any, str], Interactions]


@dataclass(frozen=True)
class Mode:
    """With a pointer or the keyboard, with or without script, and on how wide a screen."""

    interactions: type[Interactions]
    has_script: bool
    width: int


KEYS = Mode(Keyboard, has_script=True, width=320)
NO_SCRIPT = Mode(Pointer, has_script=False, width=320)


def _in(*modes: Any) -> Any:
    return pytest.mark.parametrize("mode", modes, ids=["keys", "no-script"])


# By the keyboard alone and without script: in `make test-long`, in every run by keys, or in every run in both.
by_keys_and_without_script = _in(*(pytest.param(mode, marks=pytest.mark.long) for mode in (KEYS, NO_SCRIPT)))
one_always = _in(KEYS, pytest.param(NO_SCRIPT, marks=pytest.mark.long))
both_always = _in(KEYS, NO_SCRIPT)


@pytest.fixture
def open_as(open_tab: OpenTab, mode: Mode) -> Iterator[OpenAs]:
    """Opens the page of an address for somebody; None is nobody."""
    opened: list[Interactions] = []

    def at(user: Any, address: str) -> Interactions:
        browser = open_tab(user, has_script=mode.has_script, width=mode.width)
        actor = mode.interactions(browser)
        opened.append(actor)
        actor.go(address)
        return actor

    yield at
    for actor in opened:
        assert not actor.faults, "\n".join(dict.fromkeys(actor.faults))
        assert not actor.browser.faults, actor.browser.faults


PASSWORD = "quite-a-long-one"
ACTIVITY = "Activity"
PASSPORT_FILE = {"name": "ada.pdf", "mimeType": "application/pdf", "buffer": factories.PDF}
NO_LONGER_NEEDED = "No longer needed because of this answer: 1 section, 1 person"
HELD = {"xy.activity": "Trading", "xy.goods": "Cold fish"}


@by_keys_and_without_script
def test_a_product_is_read_with_its_checklist_and_started_after_signing_in(open_as: OpenAs) -> None:
    user = new_user(password=PASSWORD)
    ida = open_as(None, "/")
    ida.follow("Texas LLC")
    ida.expect_heading("Texas LLC")
    ida.expand("questions")
    ida.follow("Print a checklist")
    ida.expect_heading("What you will need")
    ida.visit_all_controls()
    ida.follow("Texas LLC")
    ida.follow("Start this application")
    ida.fill("E-mail", user.email)
    ida.fill("Password", PASSWORD)
    ida.move_to("Sign in", matches=lambda control: control.tag == "button")
    with ida.tab.expect_navigation():
        ida.activate()
    ida.expect_text("You are signed in. Start your application when you are ready.")
    ida.follow("Start this application")
    expect(ida.tab).to_have_url(re.compile("/applications/FP-[^/]+/$"))


def choose(actor: Interactions, label: str) -> None:
    actor.choose_radio(ACTIVITY, label)
    actor.update("Update questions")


@both_always
def test_a_choice_makes_people_inactive_is_undone_is_made_again_and_restores_them(open_as: OpenAs) -> None:
    draft = new_draft()
    user: Any = draft.application.owner
    section = draft.schema.section("the-company")
    assert section is not None
    services.save_section(draft, section, factories.COMPANY | HELD, version=0, by=user)
    services.add_party(draft, "person", ["manager"], factories.ADA, by=user)
    address = f"{address_of(draft)}sections/the-company/"
    ida = open_as(user, address)
    choose(ida, "Holding company")
    ida.expect_text(NO_LONGER_NEEDED)
    ida.follow("Undo")
    ida.expect_text("“Activity” has been changed back.")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")

    choose(ida, "Holding company")
    ida.expect_text(NO_LONGER_NEEDED)
    ida.go(f"{address_of(draft)}check/")
    expect(ida.tab.get_by_role("region", name="No longer needed")).to_contain_text("Cold fish")
    ida.expect_text("We restore them if you change “Activity” back.")
    ida.go(address)
    choose(ida, "Trading")
    expect(ida.tab.get_by_label("Goods")).to_have_value("Cold fish")
    ida.follow("Save and continue")
    ida.go(f"{address_of(draft)}check/")
    expect(ida.tab.get_by_role("region", name=re.compile("No longer needed"))).to_have_count(0)
    assert reloaded(draft).entity_raw["xy.goods"] == "Cold fish"


@by_keys_and_without_script
def test_a_known_person_takes_a_role_in_one_press_is_removed_and_restored(open_as: OpenAs, site: str) -> None:
    other_application = new_draft()
    user: Any = other_application.application.owner
    services.add_party(other_application, "person", ["director"], factories.ADA, by=user)
    draft = new_draft(user)
    ida = open_as(user, f"{address_of(draft)}people/")
    ida.follow("Use Ada Lovelace as Directors")
    ida.expect_text("Ada Lovelace is now a director. We filled in 4 answers")
    ida.follow("Use Ada Lovelace as Shareholders")
    assert sorted(reloaded(draft).parties[0].roles) == ["director", "shareholder"]
    ida.follow("Remove Ada Lovelace")
    ida.expect_text("Also removed")
    ida.follow("Remove")
    assert reloaded(draft).parties == ()
    ida.follow("Restore Ada Lovelace")
    ida.expect_text("Ada Lovelace was restored")
    ida.visit_all_controls()
    assert reloaded(draft).parties[0].raw["person.email"] == "ada@example.com"


def file(name: str, content: bytes) -> Any:
    return {"name": name, "mimeType": "application/pdf", "buffer": content}


def upload(actor: Interactions, words: str, upload: Any, *, button: str) -> None:
    """Choose a file; without script it is sent by the button."""
    actor.choose_file(words, upload)
    if not actor.browser.has_script:
        actor.follow(f"{button} “Passport”")
    actor.expect_text("“Passport” was")


def names(draft: Draft) -> list[str]:
    return [document.name for document in reloaded(draft).documents]


@one_always
def test_a_document_is_uploaded_looked_at_replaced_and_removed(open_as: OpenAs) -> None:
    draft = new_draft()
    services.add_party(draft, "person", ["director"], factories.ADA, by=draft.application.owner)
    ida = open_as(draft.application.owner, f"{address_of(draft)}documents/")
    upload(ida, "File for “Passport”", file("old.pdf", sample_files.pdf(2)), button="Upload")
    assert names(draft) == ["old.pdf"]
    ida.follow("old.pdf")
    ida.expect_heading("Passport")
    ida.follow("Next page")
    ida.expect_text("Page 2 of 2")
    assert ida.download("Download the file").path().read_bytes() == sample_files.pdf(2)
    ida.follow("Documents")

    ida.expand("Replace or remove the file for “Passport”")
    upload(ida, "New file for “Passport”", file("new.pdf", sample_files.pdf(3)), button="Replace")
    assert names(draft) == ["new.pdf"]
    ida.visit_all_controls()
    ida.expand("Replace or remove the file for “Passport”")
    ida.follow("Remove the file for “Passport”")
    ida.follow("Remove")
    assert names(draft) == []


@both_always
def test_answers_are_checked_changed_and_submitted_and_the_receipt_follows(open_as: OpenAs) -> None:
    draft = complete_draft()
    ida = open_as(draft.application.owner, f"{address_of(draft)}check/")
    ida.follow("Purpose")
    ida.fill("Purpose", "Cold fish")
    ida.follow("Save and continue")
    row = ida.tab.locator("dl.summary > div:target")
    expect(row).to_contain_text("Cold fish")
    expect(row).to_be_in_viewport()
    if isinstance(ida, Keyboard):
        # Whoever goes by keys goes on from that row.
        assert "Purpose" in ida.move_to("Change the ").words
    ida.follow("Submit")
    ida.expect_text("Not submitted yet")
    ida.check("agree")
    ida.follow("Submit")
    message = ida.tab.locator("#messages > :first-child")
    expect(message).to_contain_text("has been submitted. Your reference is")
    expect(message).to_be_focused()
    assert reloaded(draft).application.status is State.SUBMITTED_FOR_REVIEW

    ida.expect_text("Our reviewer checks people and documents")
    ida.expect_text(draft.application.reference)
    ida.visit_all_controls()
    assert ida.download("Save as PDF").path().read_bytes().startswith(b"%PDF")
    assert b"Cold fish" in ida.download("Download as JSON").path().read_bytes()
    ida.follow("View what you submitted")
    ida.expect_heading("What you submitted")
    ida.expect_text("Cold fish")


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
