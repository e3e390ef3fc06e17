"""The nodes of a cluster: a web server, or a process of workers, each with a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.management.served import PATIENCE, PROJECT
from tests.process_table import children, descendants, is_running
from tests.waiting import wait_until

# What of this process's environment a node may have: nothing that the tests or the developer set for the portal.
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ", "VIRTUAL_ENV", "AWS_EC2_METADATA_DISABLED")


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | dict(settings)


@dataclass
class Node:
    """One machine of the cluster: `manage.py` with these commands, a process each, and a log of all they say."""

    name: str
    folder: Path
    settings: dict[str, str]
    commands: Sequence[str]
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self) -> None:
        env = environment({**self.settings, "DATA_DIR": str(self.folder)})
        with self.folder.with_suffix(".log").open("ab") as log:
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
    def is_alive(self) -> bool:
        return bool(self.processes) and all(process.poll() is None for process in self.processes)

    def kill(self) -> None:
        """The machine is gone: kill -9 of all at once, children included."""
        doomed = [pid for process in self.processes for pid in (process.pid, *descendants(process.pid))]
        for pid in doomed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait(PATIENCE)
        wait_until(lambda: not any(map(is_running, doomed)), what=f"{self.name} is gone")

    def end(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(PATIENCE)

    def log(self) -> str:
        return self.folder.with_suffix(".log").read_text(errors="replace")[-5000:]


@dataclass
class WebNode(Node):
    port: int = 0

    def until_ready(self) -> None:
        wait_until(lambda: not self.is_alive or self._is_ready(), PATIENCE, f"{self.name} serves")
        assert self.is_alive, self.log()

    @property
    def web_processes(self) -> list[int]:
        """The children that answer, in their order; not those that open uploads for them, which come and go."""
        [process] = self.processes
        return children(process.pid)

    def _is_ready(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as asking:
                asking.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
                return asking.recv(1024).startswith((b"HTTP/1.0 200", b"HTTP/1.1 200"))
        except OSError:
            return False
