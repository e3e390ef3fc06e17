"""A portal that a test starts by its command, as a person does."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import requests

PROJECT = Path(__file__).resolve().parent.parent.parent
READY = "Press Ctrl-C to stop."
# A slow machine with other work; nothing waits this long when all is well.
PATIENCE = 120
# The state of a socket in /proc/net/tcp (proc(5)).
_LISTENS = "0A"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_of(data: Path, **more: str) -> dict[str, str]:
    """The environment of a process whose DATA_DIR is a folder of the test's."""
    clean = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return clean | {"DATA_DIR": str(data)} | more


def begin(data: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    """Begin a command of manage.py; its output and its errors are one."""
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=environment_of(data, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a command; its exit code and output."""
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def manage(data: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py."""
    command, environment = [sys.executable, "manage.py", *arguments], environment_of(data, **more)
    return subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@dataclass
class Served:
    """A portal that was started by the command."""

    data: Path
    port: int
    more: dict[str, str] = field(default_factory=dict)
    command: str = "serve"
    lines: list[str] = field(default_factory=list)
    said_first: str = ""
    reader: threading.Thread = field(default_factory=threading.Thread)

    def start(self) -> "Served":
        self.lines = []
        self.process = begin(self.data, self.command, PORT=str(self.port), **self.more)
        return self

    def until(self, words: str) -> str:
        """Read what it says up to a line with these words; all of it so far. Who is silent too long is ended."""
        assert self.process.stdout is not None
        patience = threading.Timer(PATIENCE, self.process.kill)
        patience.start()
        try:
            for line in self.process.stdout:
                self.lines.append(line)
                if words in line:
                    return "".join(self.lines)
        finally:
            patience.cancel()
        raise AssertionError(f"it never said “{words}”:\n{''.join(self.lines)}")

    def get(self, path: str) -> tuple[int, str]:
        answer = requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE)
        return answer.status_code, answer.text

    def end(self, how: int = signal.SIGINT) -> int:
        """Send the signal and wait; the exit code."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        rest, _ = self.process.communicate(timeout=PATIENCE)
        self.lines.append(rest)
        return self.process.returncode

    def children(self) -> set[int]:
        listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
        return {pid for pid, parent in pairs if parent == self.process.pid}

    def web_servers(self) -> list[int]:
        """Those of its children that hold its listening socket."""
        return sorted(child for child in self.children() if self._socket in _open_files(child))

    @property
    def worker(self) -> int:
        """Its relay worker: the child without that socket. Process ids begin anew, and tell no order."""
        # A moment after the start it still has the socket.
        eventually(lambda: len(self.children()) == len(self.web_servers()) + 1)
        [worker] = self.children() - set(self.web_servers())
        return worker

    @property
    def _socket(self) -> str:
        """The listening socket, as the system names it among the files of a process."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        [inode] = [row[9] for row in rows if row[1].endswith(f":{self.port:04X}") and row[3] == _LISTENS]
        return f"socket:[{inode}]"


def _open_files(pid: int) -> set[str]:
    return {str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()}


def eventually(happens: Callable[[], bool]) -> None:
    """Look until it is so; a process ends a moment after it was told to."""
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    """It runs no more; the system may still keep its number until its parent asked how it ended."""
    asked = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return asked.stdout.strip().startswith("Z") or not asked.stdout.strip()


SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
SLOW_BODY = (
    b"POST /language/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 100000\r\n\r\n"
)


def opened(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


@contextlib.contextmanager
def slow_clients(port: int, *, each: int) -> Iterator[None]:
    """So many who send a head, and as many who send a body, a byte after the other."""
    with contextlib.ExitStack() as all_of_them:
        clients = [all_of_them.enter_context(opened(port)) for _ in range(2 * each)]
        for number, client in enumerate(clients):
            client.sendall(SLOW_HEAD if number % 2 else SLOW_BODY)
        is_over = threading.Event()

        def send() -> None:
            while not is_over.wait(0.5):
                for client in clients:
                    client.sendall(b"x")

        sending = threading.Thread(target=send)
        sending.start()
        try:
            yield
        finally:
            is_over.set()
            sending.join()
