"""Workers of several machines on one PostgreSQL: each is woken by what another commits, and none waits for another."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest
from django.conf import settings
from django.db import connection, transaction

from formation_portal.applications.draft import Draft
from formation_portal.relay.wake import RELAY
from tests.waiting import wait_until

from .conftest import save

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    # tests/core/test_postgres.py runs these there.
    pytest.mark.skipif(connection.vendor != "postgresql", reason="not run: one machine alone works on SQLite"),
]

# A worker that says when it looks for work, and would do so by itself only after ten minutes.
ELSEWHERE = """
import django
django.setup()
from formation_portal.relay import worker
worker._idle_seconds = lambda: 600
worker.Worker.work_once = lambda self: print("looks", flush=True)
worker.Worker._poll_documents = lambda self: None
one = worker.Worker()
one.stop_on_signals()
one.run()
"""


class OtherMachine:
    """A worker in a process of its own."""

    def __init__(self, folder: Path) -> None:
        host, user = settings.DATABASES["default"]["HOST"], settings.DATABASES["default"]["USER"]
        name = connection.settings_dict["NAME"]
        url = f"postgres://{user}@{host.replace('/', '%2F')}/{name}"
        environment = {**os.environ, "DATA_DIR": str(folder), "DATABASE_URL": url}
        environment |= {"DJANGO_SETTINGS_MODULE": "formation_portal.settings"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", ELSEWHERE], env=environment, stdout=subprocess.PIPE, text=True
        )
        self._looks: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._looks.put(line)

    def looks(self) -> None:
        """Return when it has looked for work once more."""
        assert self._looks.get(timeout=60) == "looks\n"

    def rests(self) -> None:
        """Nothing more was said by now."""
        assert self._looks.empty()

    def settles(self) -> None:
        """Return when it no longer looks every second."""
        with contextlib.suppress(Empty):
            while True:
                self._looks.get(timeout=3)

    def end(self) -> None:
        # Told to end, it would wait for its ten minutes.
        self._process.kill()
        self._process.wait(60)
        self._reader.join(60)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[OtherMachine]:
    machine = OtherMachine(tmp_path / "elsewhere")
    try:
        # Once when it starts, and once more when it listens.
        machine.looks()
        machine.looks()
        yield machine
    finally:
        machine.end()


def test_a_worker_elsewhere_is_woken_by_a_commit_and_not_before(complete: Draft, elsewhere: OtherMachine) -> None:
    with transaction.atomic():
        save(complete, "the-company", {"entity.name": "Larkspur"})
        elsewhere.rests()
    elsewhere.looks()


def listening() -> list[int]:
    """The server's processes for those who listen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%relay'")
        return [pid for (pid,) in cursor.fetchall()]


def test_a_worker_elsewhere_listens_again_after_its_connection_was_lost(elsewhere: OtherMachine) -> None:
    [lost] = listening()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [lost])
    elsewhere.looks()
    wait_until(lambda: listening() not in ([], [lost]), seconds=60)
    elsewhere.settles()
    with transaction.atomic():
        RELAY.wake_after_commit()
    elsewhere.looks()


def test_a_page_waits_where_a_worker_lives_elsewhere(elsewhere: OtherMachine) -> None:
    assert RELAY.is_listened_to()
    elsewhere.end()
    wait_until(lambda: not RELAY.is_listened_to(), seconds=60)
