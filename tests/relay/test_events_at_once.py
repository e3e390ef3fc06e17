"""An event that arrives while the worker notes what it has read, on PostgreSQL."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.relay import entity_status
from formation_portal.relay.models import EntityReading
from tests.relay.calls.status_changes import submitted
from tests.relay.conftest import read_all_entities, row
from tests.two_connections import _waits_for_a_lock, postgresql_only

__all__ = ["submitted"]

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def test_what_an_event_tells_of_while_the_status_is_noted_is_read_again(
    submitted: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    entity_id, note = row("entity").remote_id, entity_status._note_record
    told: list[Future[None]] = []

    def event_arrives() -> None:
        try:
            entity_status.read_entity_soon(entity_id)
        finally:
            connections.close_all()

    def wait_for_the_event() -> None:
        # On a connection of its own: within a transaction PostgreSQL goes on showing what it has shown once.
        try:
            _waits_for_a_lock(told[0])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:

        def note_while_it_arrives(*of: Any) -> None:
            told.append(pool.submit(event_arrives))
            pool.submit(wait_for_the_event).result()
            note(*of)

        monkeypatch.setattr(entity_status, "_note_record", note_while_it_arrives)
        assert read_all_entities() == 1
        told[0].result()
    assert EntityReading.objects.get().next_at <= timezone.now()
