"""The nodes of a cluster: a web server, or a process of workers, each with a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[4]
# A slow machine with other work; nothing waits this long when all is well.
PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 0.02
# What of this process's environment a node may have: nothing that the tests or the developer set for the portal.
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ", "VIRTUAL_ENV", "AWS_EC2_METADATA_DISABLED")


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """A node's, with these settings and none of ours."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | dict(settings)


@dataclass
class Node:
    """One machine of the cluster: `manage.py` with these commands, a process each, and a log of all they say."""

    name: str
    folder: Path
    settings: dict[str, str]
    commands: Sequence[str]
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def start(self) -> None:
        """Begin; `until_ready` waits."""
        env = environment({**self.settings, "DATA_DIR": str(self.folder)})
        with self.log.open("ab") as log:
            self.processes = [
                # Each leads a session: what is sent to its group reaches the children, and no terminal's Ctrl-C does.
                subprocess.Popen(
                    [sys.executable, "manage.py", command],
                    cwd=PROJECT,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
                for command in self.commands
            ]

    def until_ready(self) -> None:
        """Workers have nothing to answer with."""

    @property
    def pids(self) -> list[int]:
        """Everything that runs here, children included."""
        return [pid for process in self.processes for pid in (process.pid, *descendants(process.pid))]

    @property
    def lives(self) -> bool:
        """Whether all its processes run."""
        return bool(self.processes) and all(process.poll() is None for process in self.processes)

    def kill(self) -> None:
        """The machine is gone: kill -9 of all at once."""
        doomed = self.pids
        for pid in doomed:
            _send(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait(PATIENCE_SECONDS)
        until(lambda: not any(_lives(pid) for pid in doomed), f"{self.name} is gone")

    def end(self) -> None:
        """As an operator ends it: SIGTERM, and time to finish."""
        for process in self.processes:
            _send(process.pid, signal.SIGTERM)
        for process in self.processes:
            process.wait(PATIENCE_SECONDS)

    @property
    def said(self) -> str:
        """What it has said, for whoever has to find out why."""
        return self.log.read_text(errors="replace")[-5000:]


@dataclass
class WebNode(Node):
    """A node that serves pages at a port of this machine."""

    port: int = 0

    def until_ready(self) -> None:
        """Until it says that it serves the databases."""
        until(lambda: not self.lives or _is_ready(self.port), f"{self.name} serves")
        assert self.lives, self.said

    @property
    def web_processes(self) -> list[int]:
        """The children that answer, in their order; not those that open uploads for them, which come and go."""
        [process] = self.processes
        return sorted(_children().get(process.pid, ()))


def descendants(pid: int) -> list[int]:
    """Children of a process, and theirs."""
    children = _children()
    found, new = list[int](), [pid]
    while new:
        new = [child for parent in new for child in children.get(parent, ())]
        found += new
    return found


def _children() -> dict[int, list[int]]:
    """By process, those that it has begun."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The second field is the name in brackets, which may hold anything.
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(path.parent.name))
    return children


def until(happens: Callable[[], bool], what: str, *, seconds: float = PATIENCE_SECONDS) -> None:
    """Look until it is so. Raises TimeoutError that names what it waits for."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            raise TimeoutError(f"Waited {seconds:.0f} s in vain until {what}")
        time.sleep(_LOOK_SECONDS)


def _is_ready(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as asking:
            asking.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
            return asking.recv(1024).startswith((b"HTTP/1.0 200", b"HTTP/1.1 200"))
    except OSError:
        return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
