"""Documents: uploaded, stopped, looked at, replaced, removed, and used again from another application."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.documents import sample_files
from tests.journeys.actors.interactions import Interactions
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def file(name: str, content: bytes) -> Any:
    return {"name": name, "mimeType": "application/pdf", "buffer": content}


def with_ada(owner: Any = None) -> Draft:
    draft = new_draft(owner)
    services.add_party(draft, "person", ["director"], factories.ADA, by=draft.application.owner)
    return draft


def send(actor: Interactions, words: str, upload: Any, *, button: str) -> None:
    """Choose a file; without script it is sent by the button."""
    actor.choose_file(words, upload)
    if not actor.browser.has_script:
        actor.follow(f"{button} “Passport”")


def upload(actor: Interactions, words: str, upload: Any, *, button: str) -> None:
    send(actor, words, upload, button=button)
    actor.expect_text("“Passport” was")


def names(draft: Draft) -> list[str]:
    return [one.name for one in reloaded(draft).documents]


@in_every_mode
def test_a_document_is_uploaded_looked_at_replaced_and_removed(open_as: OpenAs) -> None:
    draft = with_ada()
    ida = open_as(draft.application.owner, f"{address_of(draft)}documents/")
    if ida.browser.has_script:
        _begin_and_cancel(ida)
        assert names(draft) == []
    upload(ida, "File for “Passport”", file("old.pdf", sample_files.pdf(2)), button="Upload")
    assert names(draft) == ["old.pdf"]
    ida.follow("old.pdf")
    ida.expect_heading("Passport")
    ida.follow("Next page")
    ida.expect_text("Page 2 of 2")
    assert ida.download("Download the file").path().read_bytes() == sample_files.pdf(2)
    ida.follow("Documents")

    ida.expand("Replace or remove the file for “Passport”")
    send(ida, "New file for “Passport”", file("new.pdf", sample_files.encrypted()), button="Replace")
    ida.expect_text("This PDF is protected. Print it to a new PDF without a password and upload that")
    assert names(draft) == ["old.pdf"]
    upload(ida, "New file for “Passport”", file("new.pdf", sample_files.pdf(3)), button="Replace")
    assert names(draft) == ["new.pdf"]
    ida.expect_text("1 earlier file")
    ida.expand("1 earlier file for “Passport”")
    expect(ida.tab.get_by_role("link", name="old.pdf", exact=True)).to_be_visible()
    ida.visit_all_controls()
    ida.expand("Replace or remove the file for “Passport”")
    ida.follow("Remove the file for “Passport”")
    ida.follow("Remove")
    assert names(draft) == []


def _begin_and_cancel(actor: Interactions) -> None:
    """The limit stays, and what follows is small: lifted before the browser's network has heard of the cancel, it would
    let the rest of the file go."""
    network = actor.tab.context.new_cdp_session(actor.tab)
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
    network.send("Network.emulateNetworkConditions", limits)
    actor.choose_file("File for “Passport”", file("large.pdf", factories.PDF + b"0" * 900_000))
    actor.expect_text(" of 0.9 MB")
    with actor.tab.expect_event("requestfailed"):
        actor.press("Cancel")
    actor.expect_text("Upload cancelled.")


@in_every_mode
def test_a_document_of_another_application_is_used_again(open_as: OpenAs) -> None:
    earlier = with_ada()
    user: Any = earlier.application.owner
    services.add_document(
        earlier, earlier.parties[0], "Passport", factories.upload(sample_files.jpeg(), "pass.jpg"), by=user
    )
    draft = with_ada(user)
    ida = open_as(user, f"{address_of(draft)}documents/")
    ida.follow("Use pass.jpg")
    expect(ida.tab.get_by_role("link", name=re.compile("^pass.jpg")).first).to_be_visible()
    assert names(draft) == ["pass.jpg"]
    assert names(earlier) == ["pass.jpg"]
