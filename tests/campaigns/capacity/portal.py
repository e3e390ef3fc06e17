"""The portal as on many machines, in small: a web process and one of each worker, on PostgreSQL; and what each used.

Processor time comes from the system's own books of the processes, so that what else the machine does matters little.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path

import psycopg

from tests.campaigns.environment import operators_command
from tests.management.served import PATIENCE, PROJECT, READY, Served, free_port
from tests.process_table import descendants
from tests.scratch_postgres import KEYS, Cluster, running_cluster
from tests.waiting import wait_until

WORKERS = ("relay", "mail", "webhooks")
DEMO_PASSWORD = "formation-demo"
# Seconds in which a run of several minutes comes to rest.
_PATIENCE = 1_800
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
    data: Path
    cluster: Cluster
    web: Served
    workers: dict[str, Served]

    def make_customers(self, number: int) -> None:
        """Accounts with PASSWORD: customer0@example.com and so on."""
        environment = os.environ | {"DJANGO_SETTINGS_MODULE": "formation_portal.settings", "DATA_DIR": str(self.data)}
        command = operators_command("tests.campaigns.scale.preparing", str(number))
        subprocess.run(command, cwd=PROJECT, env=environment | self.web.more, check=True, timeout=PATIENCE)

    def rest(self) -> None:
        with self._asked("portal") as portal:
            wait_until(lambda: portal.execute(_DUE).fetchone() == (0,), _PATIENCE, "every worker is at rest")

    def used(self) -> Used:
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


@contextmanager
def running_portal(folder: Path, **more: str) -> Iterator[Portal]:
    with ExitStack() as stack:
        # What is written waits for the disk, as in earnest.
        cluster = stack.enter_context(running_cluster(durable=True))
        settings = {
            **cluster.make_databases(),
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
    ticks = 0
    for one in (pid, *descendants(pid)):
        with suppress(OSError):
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS
