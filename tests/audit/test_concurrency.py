"""Several who add entries at once: one chain without a gap, on SQLite and PostgreSQL alike."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from formation_portal.applications.models import Application
from formation_portal.audit import anchor, chain
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.audit.verification import verify

pytestmark = pytest.mark.django_db(transaction=True)

THREADS, EACH = 4, 8


def add(number: int) -> None:
    about = Application(pk=number, reference="FP-7K3M-92QX-4TBD")
    try:
        for one in range(EACH):
            with transaction.atomic():
                chain.append(AuditAction.CHANGE, by=None, application=about, subject=one)
                transaction.set_rollback(one % 4 == 3)
    finally:
        connection.close()


@pytest.fixture
def crowd() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


def test_all_of_them_make_one_chain(crowd: ThreadPoolExecutor, anchor_file: Any) -> None:
    list(crowd.map(add, range(THREADS)))
    expected = THREADS * EACH * 3 // 4
    assert Entry.objects.count() == expected
    assert len(anchor.read_anchor()[0]) == expected
    report = verify(now=0)
    assert (report.rows, report.newest, report.findings) == (expected, expected, ())
