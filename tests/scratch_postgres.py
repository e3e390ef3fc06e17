"""A PostgreSQL cluster of Debian's, made for one test and gone after it. It listens on a socket in its own folder."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.process_table import children, is_running
from tests.waiting import wait_until

# Settings of a portal without SECRETS_KEY: on PostgreSQL or with a bucket it starts only with all three.
KEYS = {
    "SECRET_KEY": "tests-sign-sessions-with-this-key-0123456789-abcdefghijkl",
    "AUDIT_KEY": "tests-attest-with-this-key-0123456789",
    # As in tests/conftest.py.
    "FIELD_KEYS": "dGVzdHMtb2YtdGhlLXBvcnRhbC1hbmQtbm90aGluZy0=",
}
DATABASES = ("portal", "service")
_PATIENCE_SECONDS = 60
_HASTY = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


def server_programs() -> Path | None:
    """The folder of the newest server's programs, or None where there is no server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _unprivileged() -> str | None:
    return "postgres" if os.geteuid() == 0 else None


@dataclass
class Cluster:
    """A server with its data, which can be killed and started again."""

    programs: Path
    folder: Path
    options: tuple[str, ...]

    @property
    def url(self) -> str:
        """Without databases of ours, up to the name."""
        return f"postgres://postgres@{quote(str(self.folder), safe='')}"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def call(self, program: str, *arguments: str | Path) -> None:
        """Run one of the server's programs as whom the server runs as."""
        command = [str(self.programs / program), *map(str, arguments)]
        subprocess.run(command, user=_unprivileged(), cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        """Start it, and wait until it takes connections.

        It is a child of this process and not of `pg_ctl`: whoever is killed stands in its own way until buried.
        """
        command = [
            self.programs / "postgres",
            "-D",
            self.data,
            "-k",
            self.folder,
            "-c",
            "listen_addresses=",
            *self.options,
        ]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen([*map(str, command)], user=_unprivileged(), cwd=self.folder, stderr=log)
        ready = [str(self.programs / "pg_isready"), "-q", "-h", str(self.folder)]
        wait_until(
            lambda: subprocess.run(ready, check=False).returncode == 0,
            _PATIENCE_SECONDS,
            "PostgreSQL takes connections",
        )

    def stop(self) -> None:
        """End it without saying good-bye to anybody."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(_PATIENCE_SECONDS)

    def make_database(self, name: str) -> None:
        self.call("createdb", "-h", self.folder, "-U", "postgres", name)

    def make_databases(self) -> dict[str, str]:
        """Make both databases of a portal, empty. Return the settings that name them."""
        for name in DATABASES:
            self.make_database(name)
        portal, service = DATABASES
        return {"DATABASE_URL": f"{self.url}/{portal}", "SERVICE_DATABASE_URL": f"{self.url}/{service}"}

    def kill(self) -> None:
        """kill -9 of the postmaster and of everything that it has started; returns when all of them are gone."""
        backends = children(self._server.pid)
        for pid in (self._server.pid, *backends):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait(_PATIENCE_SECONDS)
        wait_until(lambda: not any(map(is_running, backends)), _PATIENCE_SECONDS, "every backend is gone")


@contextmanager
def running_cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """A new cluster, started. Unless it is to be `durable`, nothing waits for the disk: it doesn't outlive the test."""
    programs, user = server_programs(), _unprivileged()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    cluster = Cluster(programs, folder, () if durable else _HASTY)
    try:
        cluster.call("initdb", "-D", cluster.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch_cluster(*, durable: bool = False) -> Iterator[str]:
    """Start a cluster; gives the URL of a server without databases of ours, up to the name."""
    with running_cluster(durable=durable) as cluster:
        yield cluster.url
