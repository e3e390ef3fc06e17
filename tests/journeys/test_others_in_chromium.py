"""Somebody is invited, does their part without an account, and says so; in Chromium, with and without script."""

from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.invitations import post
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
at_both_widths = pytest.mark.parametrize("width", [1280, 320])


@pytest.fixture
def draft(site: str) -> Draft:
    """Ida Lund's company, with Ada, of whom only the name is known."""
    owner: Any = new_user()
    draft = open_draft(saving.start(owner=owner, product=made.product()))
    named = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    saving.add_party(draft, "person", ["director"], named, by=owner)
    return draft


def press(tab: Tab, name: str) -> None:
    with tab.expect_navigation():
        tab.get_by_role("button", name=name).click()


@at_both_widths
@with_and_without_script
def test_a_part_is_done_by_whoever_was_invited(open_tab: OpenTab, draft: Draft, has_script: bool, width: int) -> None:
    owner = open_tab(draft.application.owner, has_script=has_script, width=width)
    owner.get(f"/applications/{draft.application.reference}/people/")
    owner.tab.get_by_role("link", name="Invite Ada Lovelace").click()
    owner.tab.get_by_role("textbox", name="Their e-mail address").fill("ada@example.com")
    press(owner.tab, "Send the invitation")
    expect(owner.tab.get_by_text("The invitation is on its way to ada@example.com.")).to_be_visible()

    guest = open_tab(None, has_script=has_script, width=width)
    guest.get(post.link("invitation"))
    assert "key" not in guest.tab.url
    press(guest.tab, "Send me the code")
    guest.tab.get_by_role("textbox", name="Code").fill(post.code())
    press(guest.tab, "Open your part")
    expect(guest.tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    _fill_in(guest.tab, has_script=has_script)
    press(guest.tab, "I am done")
    expect(guest.tab.get_by_role("heading", level=1)).to_have_text("You are done")

    row = open_draft(Application.objects.get(pk=draft.application.pk)).parties[0]
    assert row.raw["xy.person.pep_office"] == "Mayor"
    assert row.raw["person.date_of_birth"]["year"] == "1985"
    owner.get(f"/applications/{draft.application.reference}/people/")
    expect(owner.tab.get_by_text("Invitation: Done")).to_be_visible()
    assert not [*owner.faults, *guest.faults]


def _fill_in(tab: Tab, *, has_script: bool) -> None:
    """One choice opens a question, which stands at once or after a press; a file goes along."""
    for part, value in (("Day", "10"), ("Month", "12"), ("Year", "1985")):
        tab.get_by_label(part).first.fill(value)
    tab.get_by_role("radio", name="Yes").check()
    if not has_script:
        with tab.expect_navigation():
            tab.get_by_role("button", name="Update questions").first.click()
    tab.get_by_role("textbox", name="Pep office").fill("Mayor")
    tab.get_by_label("File for “Passport”").set_input_files(
        {"name": "ada.pdf", "mimeType": "application/pdf", "buffer": made.PDF}
    )
