"""A customer with a complete draft, and the embedded service behind a transport that may fail."""

from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from formation_portal import gateway
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.gateway import FormationService
from formation_portal.gateway.transports.in_process import BASE_URL
from formation_portal.relay import document_status, entity_status
from formation_portal.relay.models import Delivery, EntityReading
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities, update_profile
from formation_portal.relay.wake import wait_for
from formation_portal.relay.worker import drain
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Entity
from tests import factories
from tests.service.caller import forget_calls

from .flaky_transport import FlakyTransport, answers

STATUS, SUBMIT, READ = "POST entities/status", "POST entities/submit", "GET entities"
RETURNED = ["begin_review", "return"]


@pytest.fixture(autouse=True)
def _files_go_nowhere_else(own_folders: None) -> None:
    """For every test here."""


@pytest.fixture(autouse=True)
def _anchor_of_its_own(settings: Any, tmp_path: Path) -> None:
    """What other tests have committed is in another anchor."""
    settings.AUDIT_ANCHOR = tmp_path / "anchor"


@pytest.fixture
def transport(db: None, monkeypatch: pytest.MonkeyPatch) -> FlakyTransport:
    """It works until a test makes it fail."""
    store_catalog([factories.ITEM])
    forget_calls()
    key, transport = portal_key(), FlakyTransport()
    service = FormationService(base_url=BASE_URL, read_key=lambda: key, adapter=transport)
    monkeypatch.setattr(gateway, "service", lambda: service)
    return transport


@pytest.fixture
def service(transport: FlakyTransport) -> FormationService:
    """The service as any client sees it, to look what it holds."""
    key = portal_key()
    return FormationService(base_url=BASE_URL, read_key=lambda: key, adapter=transport._within)


@pytest.fixture
def strict(transport: FlakyTransport) -> FlakyTransport:
    """The service honours nothing that isn't documented; its lists, but for the parties', are not there."""
    transport.forgets_keys = True
    update_profile(capabilities=Capabilities(), can_edit=True)
    return transport


@pytest.fixture
def without_keys(transport: FlakyTransport) -> FlakyTransport:
    """A service that does again what comes again, and whose records can be read."""
    update_profile(capabilities=Capabilities(lists=EMBEDDED_CAPABILITIES.lists, merges_csp_data=True), can_edit=True)
    transport.forgets_keys = True
    return transport


@pytest.fixture
def draft(transport: FlakyTransport, draft: Draft) -> Draft:
    """A new draft of the owner's, of a product that the embedded service has."""
    return draft


@pytest.fixture
def submitted(transport: FlakyTransport, submitted: Draft) -> Draft:
    """Submitted, and received whole."""
    drain()
    transport.clear()
    return submitted


# What the owner of an application does, as pages that show its newest version.


def save(draft: Draft, key: str, raw: dict[str, Any]) -> None:
    factories.save_section(draft, key, raw, by=draft.application.owner)


def save_first_party(draft: Draft, raw: dict[str, Any]) -> None:
    party = draft.parties[0]
    services.save_party(draft, party, raw, version=party.model.version, by=draft.application.owner)


def save_class(draft: Draft, token: str, raw: dict[str, Any]) -> None:
    share_class = draft.share_class(token)
    services.save_share_class(draft, share_class, raw, version=share_class.version, by=draft.application.owner)


def submit(draft: Draft) -> None:
    services.submit(draft, by=draft.application.owner)


def withdraw(draft: Draft) -> None:
    services.withdraw(draft, by=draft.application.owner)


def row(kind: str, subject: str = "") -> Delivery:
    return Delivery.objects.get(kind=kind, subject=subject)


def download(service: FormationService, entity_id: str, document_id: str) -> bytes:
    """Return the content of a document, which the portal itself never asks back."""
    path = f"/entities/{entity_id}/documents/{document_id}/download"
    call = service._records.make("GET", path, headers={"Accept": "*/*"}, limit=2**24)
    return service._records.call(call).body


def read_all_documents() -> int:
    """Make every document due that may be read, and read them."""
    document_status._open_documents().update(read_next_at=timezone.now())
    return document_status.read_due_documents()


def read_all_entities() -> int:
    """Make every entity due that may be read, and read them."""
    for entity in entity_status._entities():
        entity_status.schedule_reading(entity.application_id, at=timezone.now())
    return entity_status.read_due_entities()


def wait_at_most(milliseconds: int, application: Application) -> None:
    with override_settings(RELAY_WAIT_MS=milliseconds):
        wait_for(application)


# What agents and the service do.


def advance(draft: Draft, *transitions: str, by: Any, note: str = "") -> None:
    for transition in transitions:
        services.advance(draft, transition, by=by, note=note)


def status_there() -> str:
    """Where the entity stands at the service."""
    return Entity.objects.get().status


def sent_statuses(transport: FlakyTransport) -> list[str]:
    return [body["status"] for body in transport.bodies(STATUS)]


def status_row(status: str) -> Delivery:
    found = [one for one in Delivery.objects.filter(kind="status") if status in str([one.wanted, one.sent])]
    return found[-1]


def drain_until_still() -> None:
    """Until nothing moves any more, whatever time it takes in life."""
    for _ in range(8):
        drain()


def shows(transport: FlakyTransport, status: str, **members: Any) -> None:
    """From now on the service's record of the only entity shows this."""
    transport.clear()
    record = {"id": row("entity").remote_id, "status": status, **members}
    transport.fail_on(READ, answers(200, {"data": record}))


def lets_time_pass() -> None:
    """Every reading is due by now."""
    EntityReading.objects.update(next_at="2026-01-01T00:00:00Z")


def approve(draft: Draft, agent: Any) -> None:
    """Our review has approved it, and the service knows."""
    advance(draft, "begin_review", "approve", by=agent)
    drain()
