"""The moment of a backup: both copies are begun while no worker may begin a call, and made while they all go on. The
whole of it, on a portal that runs, is tests/deploy/test_backup.py."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from formation_portal.management import backups
from formation_portal.relay.service_profile import locked_profile


def _begins_a_call() -> bool:
    """Whether a worker may, as it does, without waiting for anybody."""
    is_sqlite = connection.vendor == "sqlite"
    try:
        with connection.cursor() as cursor:
            cursor.execute("pragma busy_timeout = 0" if is_sqlite else "SET lock_timeout = '50ms'")
        with transaction.atomic():
            locked_profile()
    except OperationalError:
        return False
    finally:
        connection.close()
    return True


def a_worker_begins_a_call() -> bool:
    """With a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_begins_a_call).result()


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_no_call_lies_between_the_copies_and_none_waits_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun, made, take = list[bool](), list[bool](), backups._snapshot

    @contextmanager
    def taken(of: Any) -> Iterator[Any]:
        with take(of) as snapshot:
            begun.append(a_worker_begins_a_call())
            monkeypatch.setattr(type(snapshot), "copy_to", lambda *_: made.append(a_worker_begins_a_call()))
            yield snapshot

    monkeypatch.setattr(backups, "_snapshot", taken)
    backups._copy_databases(tmp_path)
    assert begun == [False, False]
    assert made == [True, True]
