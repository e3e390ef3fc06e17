"""`manage.py relay` ends in order: the call that is under way is made once, and no other is begun."""

import time

import pytest
from django.db import connections, transaction

from formation_portal.applications.draft import Draft
from formation_portal.core.databases import SERVICE
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from formation_portal.service.models import Account, Entity
from tests.worker_process import end, tell_to_end, worker_process

from .conftest import row
from .flaky_transport import FlakyTransport


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_what_is_under_way_is_made_once_and_the_rest_stays(complete: Draft, transport: FlakyTransport) -> None:
    # The service writes only when this transaction is over.
    with worker_process("relay") as process:
        with transaction.atomic(using=SERVICE):
            lock_service()
            until = time.monotonic() + 60
            while not Delivery.objects.filter(state="sending").exists():
                assert time.monotonic() < until
                time.sleep(0.02)
            tell_to_end(process)
        end(process)
    entity = row("entity")
    assert (entity.state, entity.lease, [one.outcome for one in entity.calls.all()]) == ("done", None, ["done"])
    assert not Delivery.objects.exclude(kind="entity").filter(calls__isnull=False).exists()
    drain()
    assert Entity.objects.count() == 1


def lock_service() -> None:
    if connections[SERVICE].vendor == "postgresql":
        Account.objects.select_for_update().get(name="portal")
        with connections[SERVICE].cursor() as cursor:
            cursor.execute(f"LOCK TABLE {Entity._meta.db_table} IN EXCLUSIVE MODE")
