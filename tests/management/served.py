"""A portal that a test starts by its command, as a person does."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.process_table import children
from tests.waiting import wait_until

PROJECT = Path(__file__).resolve().parent.parent.parent
READY = "Press Ctrl-C to stop."
# A slow machine with other work; nothing waits this long when all is well.
PATIENCE = 120
# The states of a socket in /proc/net/tcp (proc(5)).
_IS_CONNECTED, _LISTENS = "01", "0A"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_of(data: Path, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return clean | {"DATA_DIR": str(data)} | more


def begin(data: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
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

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> tuple[int, str]:
        answer = requests.get(self.base + path, timeout=PATIENCE)
        return answer.status_code, answer.text

    def signed_in(self, email: str = "demo@example.com", password: str = "formation-demo") -> requests.Session:
        """A browser of one of the demo's accounts, or of another one."""
        session, address = requests.Session(), f"{self.base}/accounts/login/"
        session.get(address, timeout=PATIENCE)
        posted = {"login": email, "password": password, "csrfmiddlewaretoken": session.cookies["csrftoken"]}
        answer = session.post(address, posted, allow_redirects=False, timeout=PATIENCE)
        assert answer.status_code == requests.codes.found
        return session

    def end(self, how: int = signal.SIGINT) -> int:
        """Send the signal and wait; the exit code."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        rest, _ = self.process.communicate(timeout=PATIENCE)
        self.lines.append(rest)
        return self.process.returncode

    def children(self) -> set[int]:
        return set(children(self.process.pid))

    def web_servers(self) -> list[int]:
        """Those of its children that hold its listening socket."""
        return sorted(child for child in self.children() if self._socket in _open_files(child))

    @property
    def worker(self) -> int:
        """Its relay worker: the child without that socket. Process ids begin anew, and tell no order."""
        # A moment after the start it still has the socket.
        wait_until(lambda: len(self.children()) == len(self.web_servers()) + 1)
        [worker] = self.children() - set(self.web_servers())
        return worker

    def read_connections(self) -> int:
        """Return how many connections were accepted whose bytes so far have all been read."""
        rows = self._rows(_IS_CONNECTED)
        return sum(row[9] != "0" and row[4].endswith(":00000000") for row in rows)

    @property
    def _socket(self) -> str:
        """The listening socket, as the system names it among the files of a process."""
        [row] = self._rows(_LISTENS)
        return f"socket:[{row[9]}]"

    def _rows(self, state: str) -> list[list[str]]:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return [row for row in rows if row[1].endswith(f":{self.port:04X}") and row[3] == state]


def _open_files(pid: int) -> set[str]:
    return {str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()}


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
