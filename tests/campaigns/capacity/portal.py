"""The portal as on many machines, in small: a web process and one of each worker, on PostgreSQL; and what each used.

Processor time comes from the system's own books of the processes, so that what else the machine does matters little.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import psycopg
import requests

from tests.journeys.clients import HttpBrowser
from tests.management.served import PATIENCE, PROJECT, READY, Served, free_port
from tests.scratch_postgres import KEYS, Cluster, running_cluster

WORKERS = ("relay", "mail", "webhooks")
DATABASES = ("portal", "service")
DEMO_PASSWORD = "formation-demo"
_TICKS = os.sysconf("SC_CLK_TCK")
# What the relay has to do within the minute; later it only asks what the service says of documents.
_DUE = "SELECT COUNT(*) FROM relay_delivery WHERE next_at < now() + interval '1 minute'"
_COUNTED = {"calls": "relay_attempt", "emails": "letters_letter", "entries": "audit_entry"}
_CHANGED = "SELECT COALESCE(SUM(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables"


@dataclass
class Used:
    """What has been used so far: processor seconds by part, then what was written, sent and asked."""

    web: float = 0
    relay: float = 0
    mail: float = 0
    webhooks: float = 0
    database: float = 0
    rows: float = 0
    log_bytes: float = 0
    database_bytes: float = 0
    file_bytes: float = 0
    files: float = 0
    calls: float = 0
    emails: float = 0
    entries: float = 0

    def __sub__(self, before: "Used") -> "Used":
        return Used(*(getattr(self, one.name) - getattr(before, one.name) for one in fields(self)))

    def __mul__(self, times: float) -> "Used":
        return Used(*(getattr(self, one.name) * times for one in fields(self)))


@dataclass
class Portal:
    """Running, with its database."""

    data: Path
    cluster: Cluster
    web: Served
    workers: dict[str, Served]

    def make_customers(self, number: int) -> None:
        """Accounts with PASSWORD: customer0@example.com and so on."""
        environment = os.environ | {"DJANGO_SETTINGS_MODULE": "formation_portal.settings", "DATA_DIR": str(self.data)}
        command = [sys.executable, "-m", "tests.campaigns.scale.preparing", "--customers", str(number)]
        subprocess.run(command, cwd=PROJECT, env=environment | self.web.more, check=True, timeout=PATIENCE)

    def signed_in(self, email: str, password: str = DEMO_PASSWORD) -> HttpBrowser:
        """A browser of one of the demo's accounts, or of another one."""
        browser = HttpBrowser(f"http://127.0.0.1:{self.web.port}")
        address = f"{browser.base}/accounts/login/"
        browser.session.get(address, timeout=PATIENCE)
        posted = {"login": email, "password": password}
        posted["csrfmiddlewaretoken"] = browser.session.cookies["csrftoken"]
        answer = browser.session.post(address, posted, allow_redirects=False, timeout=PATIENCE)
        assert answer.status_code == requests.codes.found
        return browser

    def rest(self) -> None:
        """Wait until no worker has anything to do within the minute."""
        while self._due():
            time.sleep(0.2)

    def used(self) -> Used:
        """Up to now."""
        with self._asked("portal") as portal, self._asked("service") as service:
            [rows] = portal.execute(_CHANGED).fetchone() or (0,)
            [of_service] = service.execute(_CHANGED).fetchone() or (0,)
            [written] = portal.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").fetchone() or (0,)
            [size] = portal.execute("SELECT SUM(pg_database_size(datname)) FROM pg_database").fetchone() or (0,)
            counts = {
                name: (portal.execute(f"SELECT COUNT(*) FROM {table}").fetchone() or (0,))[0]
                for name, table in _COUNTED.items()
            }
        stored = [
            path.stat().st_size
            for folder in ("documents", "service-documents")
            for path in (self.data / folder).rglob("*")
            if path.is_file()
        ]
        return Used(
            web=_processor_seconds(self.web.process.pid),
            **{name: _processor_seconds(one.process.pid) for name, one in self.workers.items()},
            database=_processor_seconds(int((self.cluster.data / "postmaster.pid").read_text().split()[0])),
            rows=float(rows + of_service),
            log_bytes=float(written),
            database_bytes=float(size),
            file_bytes=sum(stored),
            files=len(stored),
            **counts,
        )

    @contextmanager
    def _asked(self, database: str) -> Iterator["psycopg.Connection[tuple[float]]"]:
        with psycopg.connect(
            host=str(self.cluster.folder), user="postgres", dbname=database, autocommit=True
        ) as opened:
            yield opened

    def _due(self) -> int:
        with self._asked("portal") as connection:
            [number] = connection.execute(_DUE).fetchone() or (0,)
            return int(number)


@contextmanager
def running_portal(folder: Path, **more: str) -> Iterator[Portal]:
    """Set up and started; gone at the end."""
    with ExitStack() as stack:
        # What is written waits for the disk, as in earnest.
        cluster = stack.enter_context(running_cluster(durable=True))
        for name in DATABASES:
            cluster.make_database(name)
        settings = {
            "DATABASE_URL": f"{cluster.url}/portal",
            "SERVICE_DATABASE_URL": f"{cluster.url}/service",
            "WEB_PROCESSES": "1",
            "LOG_LEVEL": "WARNING",
            "EMAIL_URL": f"file://{folder}/letters",
            **KEYS,
            **more,
        }
        (folder / "data").mkdir()
        started: dict[str, Served] = {}
        for command in ("web", *WORKERS):
            started[command] = Served(folder / "data", free_port(), settings, command).start()
            stack.callback(_end, started[command])
            if command == "web":
                started[command].until(READY)
        yield Portal(folder / "data", cluster, started.pop("web"), started)


def _end(one: Served) -> None:
    if one.process.poll() is None:
        one.end(signal.SIGTERM)


def _processor_seconds(pid: int) -> float:
    """Of a process and all that it has started, ended children included."""
    books: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        books[int(stat.parent.name)] = (int(words[1]), sum(map(int, words[11:15])) / _TICKS)

    def of(one: int) -> float:
        return books[one][1] + sum(of(child) for child, (parent, _) in books.items() if parent == one)

    return of(pid)
