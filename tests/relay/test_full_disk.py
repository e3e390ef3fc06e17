"""The relay on a full disk: the worker lives, rows stay as they were, and all goes on once there is."""

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.worker import Worker, drain
from formation_portal.service.models import Document as ServiceDocument
from tests import factories
from tests.encrypted_rows import values_of
from tests.full_disk import FullDisk, Mounted, databases_on_it, disk, needs_a_mount

from .conftest import row, wait_at_most
from .flaky_transport import FlakyTransport

__all__ = ["databases_on_it", "disk"]

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)

# Enough for the databases' own logs, where they lie on it, and not for the document.
SOME = 2_000_000


class ComplaintHandler(logging.Handler):
    """Waits for a word in the worker's log."""

    def __init__(self) -> None:
        super().__init__()
        self.complaint = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "database did not answer" in record.getMessage():
            self.complaint.set()


@pytest.fixture
def complaints() -> Iterator[ComplaintHandler]:
    logger, handler = logging.getLogger("formation_portal.relay.worker"), ComplaintHandler()
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


@contextmanager
def running() -> Iterator[threading.Thread]:
    """A worker with connections of its own."""
    worker = Worker()

    def run() -> None:
        try:
            worker.run()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield thread
    finally:
        worker.stop()
        thread.join(timeout=30)
    assert not thread.is_alive()


@pytest.fixture
def off_the_disk(disk: FullDisk, settings: Any, tmp_path: Any) -> None:
    """The portal's own uploads lie elsewhere: it is the service that has no room."""
    settings.MEDIA_ROOT = tmp_path / "portals-documents"


def seen() -> list[tuple[Any, ...]]:
    return values_of(Delivery.objects.order_by("pk"), "kind", "subject", "state", "wanted", "sent", "remote_id")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a server has a disk of its own")
@pytest.mark.parametrize("disk", [pytest.param(Mounted, marks=needs_a_mount)], indirect=True)
def test_a_worker_outlives_a_full_database_and_goes_on(
    disk: FullDisk, complete: Draft, databases_on_it: None, complaints: ComplaintHandler, transport: FlakyTransport
) -> None:
    before = seen()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    with ExitStack() as stack:

        def meet_it() -> threading.Thread:
            worker = stack.enter_context(running())
            assert complaints.complaint.wait(30)
            assert seen() == before
            assert transport.calls == []
            return worker

        worker = disk.during(meet_it, room=0)
        assert worker.is_alive()
        for _ in range(100):
            wait_at_most(500, complete.application)
            if deliveries_of(complete.application).overall.words == "Received":
                break
    assert before
    assert deliveries_of(complete.application).overall.words == "Received"
    assert len([one for one in transport.calls if one.method == "POST"]) == len(before)


def test_a_document_that_the_service_has_no_room_for_waits_and_arrives_once(
    disk: FullDisk, off_the_disk: None, complete: Draft, owner: Any, service: FormationService
) -> None:
    large = SimpleUploadedFile("large.pdf", factories.PDF.ljust(5_000_000, b"\n"))
    services.add_document(complete, complete.party("ada"), "Passport", large, by=owner)

    disk.during(drain, room=SOME)
    assert [path for path in disk.folder.rglob("*") if path.is_file()] == []
    assert row("document", "ada/Passport").state == DeliveryState.WAITING
    assert Attempt.objects.filter(delivery=row("document", "ada/Passport"), status=503).count() == 1
    drain()
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.DONE}
    assert ServiceDocument.objects.count() == 1
