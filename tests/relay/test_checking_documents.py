"""A file that the malware scanner has not seen is opened by nobody and sent nowhere, nor is the submission with it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import ScanState
from formation_portal.applications.models import Application, Change, Document
from formation_portal.applications.services.malware_scans import scan_waiting
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.mail.models import Email
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from tests import factories
from tests.documents.scanners import MARK, Scanner, small_scanner

from .conftest import row, submit

pytestmark = pytest.mark.django_db(databases=["default", "service"])

INFECTED = factories.JPEG[:-2] + b"\xff\xfe\x00\x24" + MARK + b"\xff\xd9"


@pytest.fixture
def scanner(settings: Any) -> Iterator[Scanner]:
    with small_scanner() as one:
        settings.CLAMD_URL = one.url
        yield one


@pytest.fixture
def away(scanner: Scanner) -> Scanner:
    """It answers each file with nothing that counts."""
    scanner.answer = b"ERROR\0"
    return scanner


def test_what_was_not_scanned_stays_here(away: Scanner, complete: Draft, service: FormationService) -> None:
    document = Document.objects.get()
    assert document.is_checking
    submit(complete)
    drain()
    entity = row("entity").remote_id
    assert not Delivery.objects.filter(kind="document").exists()
    assert service.records(entity, Collection.DOCUMENTS) == []
    assert service.entity(entity)["status"] == "draft"
    # The scanner answers, and everything goes on.
    assert scan_waiting() == 0
    away.answer = b""
    assert scan_waiting() == 1
    drain()
    assert len(service.records(entity, Collection.DOCUMENTS)) == 1
    assert service.entity(entity)["status"] != "draft"
    assert Document.objects.get().scan == ScanState.CLEAN
    assert scan_waiting() == 0


@pytest.mark.usefixtures("scanner", "complete")
def test_a_row_that_is_there_already_sends_nothing_either(service: FormationService) -> None:
    Document.objects.update(scan=ScanState.WAITING)
    drain()
    assert service.records(row("entity").remote_id, Collection.DOCUMENTS) == []


def test_malware_found_later_is_removed(
    away: Scanner, draft: Draft, owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    document = services.add_document(draft, None, "Business plan", factories.upload(INFECTED, "x.jpg"), by=owner)
    away.answer = b""
    with django_capture_on_commit_callbacks(execute=True):
        assert scan_waiting() == 1
    assert not Document.objects.exists()
    assert not document.file.storage.exists(str(document.file.name))
    assert Change.objects.latest("pk").text == "Removed “Business plan”, because it contains malware"
    assert Entry.objects.filter(action=AuditAction.REFUSAL).count() == 1
    assert open_draft(Application.objects.get()).documents_of(None) == {}
    email = Email.objects.get(kind="document_removed")
    assert (email.to, email.reference) == (owner.email, draft.application.reference)
    assert "uploaded as “Business plan”" in email.text
    assert "then upload a new copy" in email.text
    assert f"/applications/{draft.application.reference}/documents/" in email.text
    drain()
    assert not Delivery.objects.filter(kind="document").exists()


def test_nobody_opens_what_was_not_scanned(away: Scanner, complete: Draft, as_owner: Client, as_agent: Client) -> None:
    submit(complete)
    document, reference = Document.objects.get(), complete.application.reference
    for client, room in ((as_owner, f"/applications/{reference}"), (as_agent, f"/desk/{reference}")):
        answer = client.get(f"{room}/documents/{document.pk}/")
        assert answer.status_code == 409
        assert "We check each file for malware" in answer.content.decode()
        assert client.get(f"{room}/documents/{document.pk}/pages/1/picture/").status_code == 404
        assert "malware" in client.get(f"{room}/documents/{document.pk}/pages/1/").content.decode()
    assert not Entry.objects.filter(action=AuditAction.LOOK).exists()
    assert "Checking for malware" in as_agent.get(f"/desk/{reference}/").content.decode()
    page = as_agent.get(f"/desk/{reference}/parties/ada/").content.decode()
    assert "Checking for malware" in page
    assert "Download original" not in page
    shown = as_owner.get(f"/applications/{reference}/documents/").content.decode()
    assert "We are checking this file for malware" in shown
    assert f"documents/{document.pk}/thumbnail" not in shown


@pytest.mark.usefixtures("away", "complete")
def test_without_a_scanner_any_more_files_are_let_go(service: FormationService, settings: Any) -> None:
    settings.CLAMD_URL = ""
    assert scan_waiting() == 1
    assert Document.objects.get().scan == ScanState.NONE
    drain()
    assert len(service.records(row("entity").remote_id, Collection.DOCUMENTS)) == 1


def test_two_who_ask_at_once_let_it_go_once(away: Scanner, complete: Draft) -> None:
    revision = factories.again(complete).application.revision
    away.answer = b""
    assert [scan_waiting(), scan_waiting()] == [1, 0]
    assert factories.again(complete).application.revision == revision


def test_malware_is_refused_and_kept_in_the_audit(scanner: Scanner, draft: Draft, owner: Any) -> None:
    with pytest.raises(services.UploadRefused, match="malware"):
        services.add_document(draft, None, "Business plan", factories.upload(INFECTED, "x.jpg"), by=owner)
    assert not Document.objects.exists()
    [entry] = Entry.objects.filter(action=AuditAction.REFUSAL)
    assert (entry.account, entry.reference) == (owner.pk, draft.application.reference)


def test_nobody_is_told_at_an_address_that_was_not_confirmed(away: Scanner, complete: Draft, owner: Any) -> None:
    owner.emailaddress_set.update(verified=False)
    away.answer = b"stream: Test.Mark FOUND\0"
    assert scan_waiting() == 1
    assert not Email.objects.filter(kind="document_removed").exists()
