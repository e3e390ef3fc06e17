"""A PostgreSQL cluster of Debian's, made for one test and gone after it. It listens on a socket in its own folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote


def server_programs() -> Path | None:
    """The folder of the newest server's programs, or None where there is no server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _unprivileged() -> str | None:
    """Whom the server runs as: PostgreSQL refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else None


@contextmanager
def scratch_cluster(*, durable: bool = False) -> Iterator[str]:
    """Start a cluster; gives the URL of a server without databases of ours, up to the name.

    Unless it is to be `durable`, nothing waits for the disk: the cluster doesn't outlive the test.
    """
    programs, user = server_programs(), _unprivileged()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    data = folder / "data"

    def call(*command: str | Path) -> None:
        subprocess.run([*map(str, command)], user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    try:
        call(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        if not durable:
            options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        call(programs / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start")
        try:
            yield f"postgres://postgres@{quote(str(folder), safe='')}"
        finally:
            call(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
