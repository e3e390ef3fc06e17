"""Documents: uploaded, stopped, looked at, replaced, removed, and used again from another application."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.documents import sample_files
from tests.journeys.actors.interactions import Interactions
from tests.journeys.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.conftest import OpenAs, one_always
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


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
