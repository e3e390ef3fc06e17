"""A case with documents of several kinds, and the keys of an agent."""

from typing import Any

from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.documents.findings import FindingCode
from tests import factories
from tests.documents import sample_files


def in_review(owner: Any) -> Draft:
    """The small product's application with three parties and documents of several kinds, submitted."""
    draft = factories.complete_draft(owner)
    upload_document(draft, "ada", "Passport", sample_files.pdf(3), "lovelace-pass.pdf")
    letter = upload_document(draft, "ada", "Letter", sample_files.pdf(), "reference.pdf")
    # As if it had been uploaded before such files were refused: it needs a password.
    type(letter).objects.filter(pk=letter.pk).update(findings={"codes": [FindingCode.PROTECTED]})
    ingrid = {"person.first_name": "Ingrid", "person.last_name": "Solheim"}
    services.add_party(draft, "person", ["director"], factories.ADA | ingrid, by=owner, token="ingrid")
    upload_document(draft, "ingrid", "Passport", sample_files.jpeg(640, 480), "solheim-pass.jpg")
    services.add_party(draft, "corporate", ["director"], kestrel(draft), by=owner, token="kestrel")
    upload_document(draft, "kestrel", "Register extract", sample_files.pdf(14), "extract.pdf")
    services.submit(draft, by=owner)
    return draft


def upload_document(draft: Draft, token: str, slot: str, content: bytes, name: str) -> Any:
    file = factories.upload(content, name)
    return services.add_document(draft, draft.party(token), slot, file, by=draft.application.owner)


def kestrel(draft: Draft) -> dict[str, str]:
    asked = draft.schema.fields_of("corporate", ["director"])
    return {spec.name: "Kestrel Capital B.V." for spec in asked if spec.required and spec.field_type == "text"}


def press(tab: Tab, *keys: str) -> None:
    """Press keys once the page has its shortcuts."""
    tab.wait_for_load_state("load")
    for key in keys:
        tab.keyboard.press(key)


def turn_on_keys(tab: Tab) -> None:
    press(tab, "?", "Escape")
