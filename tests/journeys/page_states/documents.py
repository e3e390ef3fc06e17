"""States of documents for pictures and barriers: every slot, every problem, uploads under way, pages of a file."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.documents.findings import FindingCode
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.journeys.page_states.screenshots import Shot

BORN = {"day": "12", "month": "8", "year": "1985"}
INGRID = factories.ADA | {"person.first_name": "Ingrid", "person.last_name": "Solheim", "person.date_of_birth": BORN}
PROBLEM = {"field": "", "code": "cut", "message": "The page with the photo is cut off. Upload the whole page."}


def document_states() -> Iterator[Shot]:
    """A company with a director whose passport is in another application, and one with documents in every state."""
    owner = get_user_model().objects.get(email="demo@example.com")
    earlier = factories.new_draft(owner)
    known = services.add_party(earlier, "person", ["director"], INGRID, by=owner)
    upload_document(earlier, known, "Passport", sample_files.jpeg(), "solheim-pass.jpg")
    draft = factories.new_draft(owner)
    root = f"/applications/{draft.application.reference}/"
    ingrid = services.add_party(draft, "person", ["director"], INGRID, by=owner)
    yield Shot("documents-to-use-again", f"{root}documents/")
    yield Shot("documents-in-a-form", f"{root}people/{ingrid.token}/")
    yield Shot("documents-uploading", f"{root}documents/", act=_choose)
    yield Shot("documents-cancelled", f"{root}documents/", act=_choose_and_stop)
    ada = services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner)
    upload_document(draft, ada, "Passport", sample_files.pdf(2), "ada-old.pdf")
    passport = upload_document(draft, ada, "Passport", sample_files.jpeg(640, 480), "ada-pass.jpg")
    letter = upload_document(draft, ada, "Letter", sample_files.pdf(), "lettre-de-référence-" * 6 + ".pdf")
    kept_before(letter)
    plan = upload_document(draft, None, "Business plan", sample_files.pdf(31), "Business plan 2027.pdf")
    for one, state in ((letter, DeliveryState.UNKNOWN), (plan, DeliveryState.DONE)):
        acknowledgement = {"acknowledged": {"sha256": "x"}} if state == DeliveryState.DONE else {}
        update_each(Delivery.objects.filter(kind="document", subject=one.subject), state=state, **acknowledgement)
    yield Shot("documents-in-every-state", f"{root}documents/")
    yield Shot("documents-in-a-form-with-files", f"{root}people/{ada.token}/")
    yield Shot("documents-check", f"{root}check/")
    yield Shot("document-page", f"{root}documents/{plan.pk}/pages/2/")
    yield Shot("document-picture", f"{root}documents/{passport.pk}/pages/1/")
    yield Shot("document-not-shown", f"{root}documents/{letter.pk}/pages/1/")
    [replaced] = draft.replaced_documents
    yield Shot("document-replaced-removal", f"{root}documents/{replaced.pk}/removal/")
    refused = Delivery.objects.filter(kind="document", subject=passport.subject)
    update_each(refused, state=DeliveryState.REFUSED, problems=[PROBLEM])
    yield Shot("documents-returned", f"{root}documents/")


def upload_document(draft: Draft, party: Any, slot: str, content: bytes, name: str) -> Any:
    """Upload a file as the draft's owner."""
    return services.add_document(draft, party, slot, factories.upload(content, name), by=draft.application.owner)


def kept_before(document: Any) -> None:
    """As if it had been uploaded before such files were refused: it needs a password."""
    type(document).objects.filter(pk=document.pk).update(findings={"codes": [FindingCode.PROTECTED]})


def _choose(tab: Tab) -> None:
    network = tab.context.new_cdp_session(tab)
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
    network.send("Network.emulateNetworkConditions", limits)
    content = sample_files.pdf() + b"0" * 900_000
    file: Any = {"name": "solheim-pass.pdf", "mimeType": "application/pdf", "buffer": content}
    tab.locator("input[type=file]").first.set_input_files(file)
    tab.get_by_text(" of 0.9 MB").wait_for()


def _choose_and_stop(tab: Tab) -> None:
    _choose(tab)
    tab.get_by_role("button", name="Cancel").click()
