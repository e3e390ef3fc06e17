"""What was erased stands in no byte of the databases any more, nor in their write-ahead logs, encrypted or not."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, models, router
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract.lifecycle import State
from formation_portal.core.overwriting import vacuum
from formation_portal.relay.models import Delivery, ResourceKind
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity, KeptAnswer, Party
from formation_portal.service.retention import delete_expired_data
from tests.privacy.stages import again, database_files, started
from tests.relay.conftest import _files_go_nowhere_else, transport

__all__ = ["_files_go_nowhere_else", "transport"]
pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.usefixtures("transport"),
]
# So much of a stored value tells it from all others: its nonce is random.
PREFIX = 60


def stored(model: type[models.Model], column: str, where: str = "1 = 1") -> list[bytes]:
    """Return the beginnings of a column's values as the database stores them; empty and short ones are left out."""
    with connections[router.db_for_read(model)].cursor() as cursor:
        cursor.execute(f'SELECT "{column}" FROM "{model._meta.db_table}" WHERE {where}')
        values = [value.encode() if isinstance(value, str) else bytes(value or b"") for [value] in cursor.fetchall()]
    return [value[:PREFIX] for value in values if len(value) >= PREFIX]


def left(values: Collection[bytes]) -> list[bytes]:
    content = b"".join(database_files())
    return [value for value in values if value in content]


@pytest.fixture
def delivered(owner: Any) -> Draft:
    """A draft that the service has whole."""
    draft = started(owner)
    drain()
    return open_draft(again(draft.application))


def test_what_is_deleted_is_overwritten_here_at_once_and_then_at_the_service(delivered: Draft, owner: Any) -> None:
    acknowledged = stored(Delivery, "acknowledged", f"kind = '{ResourceKind.PARTY.value}'")
    values = [*stored(Party, "properties"), *stored(Entity, "properties"), *stored(KeptAnswer, "body", "status < 300")]
    assert len(values) > 3
    assert left(values) == values
    assert left(acknowledged) == acknowledged != []
    services.delete_draft(delivered.application, by=owner)
    assert left(acknowledged) == [], "the service need not answer for it"
    assert {row.state for row in Delivery.objects.filter(kind=ResourceKind.ENTITY)} == {"queued"}
    drain()
    assert not Entity.objects.exists()
    assert left(values) == []


def test_a_party_that_is_removed_is_overwritten_there_and_here(delivered: Draft, owner: Any) -> None:
    acknowledged = stored(Delivery, "acknowledged", f"kind = '{ResourceKind.PARTY.value}'")
    values = [*stored(Party, "properties"), *acknowledged]
    assert acknowledged
    assert left(values) == values
    for party in list(delivered.parties):
        services.remove_party(delivered, party, by=owner)
    drain()
    assert not Party.objects.exists()
    assert left(values) == []


def test_what_the_services_retention_deletes_is_overwritten(delivered: Draft) -> None:
    values = [*stored(Party, "properties"), *stored(KeptAnswer, "body", "status < 300")]
    assert left(values) == values != []
    Entity.objects.update(status=State.REJECTED, updated_at=timezone.now() - timedelta(days=40_000))
    delete_expired_data()
    assert not Entity.objects.exists()
    assert left(values) == []


@pytest.mark.skipif(connections["default"].vendor != "sqlite", reason="not run: PostgreSQL has no list of free pages")
def test_a_thorough_vacuum_alone_leaves_no_free_pages() -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("CREATE TABLE deleted_soon (text)")
        cursor.execute("INSERT INTO deleted_soon VALUES (zeroblob(400000))")
        cursor.execute("DROP TABLE deleted_soon")
        vacuum()
        assert cursor.execute("PRAGMA freelist_count").fetchone()[0] > 50
        vacuum(is_thorough=True)
        assert cursor.execute("PRAGMA freelist_count").fetchone()[0] == 0
