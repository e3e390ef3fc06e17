"""`manage.py serve` as a person uses it: one command, an address, Ctrl-C, and again."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

# The tests start and end one portal, so that they run one after the other.
pytestmark = pytest.mark.xdist_group("serve")

PROJECT = Path(__file__).resolve().parent.parent.parent
READY = "Ctrl-C ends it."
# A slow machine with other work; nothing waits this long when all is well.
PATIENCE = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Served:
    """A portal that was started by the command."""

    data: Path
    port: int
    more: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    said_first: str = ""

    def start(self) -> "Served":
        environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
        environment |= {"DATA_DIR": str(self.data), "PORT": str(self.port)} | self.more
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=PROJECT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return self

    def until(self, words: str) -> str:
        """Read what it says up to a line with these words; all of it so far."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                return "".join(self.lines)
        raise AssertionError(f"it never said “{words}”:\n{''.join(self.lines)}")

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

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


def eventually(happens: Callable[[], bool]) -> None:
    """Look until it is so; a process ends a moment after it was told to."""
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A portal in an empty folder, set up once for this module and started anew by each test."""
    portal = Served(tmp_path_factory.mktemp("served"), free_port()).start()
    portal.said_first = portal.until(READY)
    assert portal.end() == 0
    yield portal
    if portal.process.poll() is None:
        portal.end(signal.SIGKILL)


def test_the_first_start_sets_everything_up(served: Served) -> None:
    for words in ("the database “default”", "the database “service”", "Loaded the catalog", "Collecting static files"):
        assert words in served.said_first


def test_it_prints_address_accounts_and_key_with_a_warning(served: Served) -> None:
    assert f"http://localhost:{served.port}/" in served.said_first
    for words in (
        "demo@example.com",
        "agent@example.com",
        "colleague@example.com",
        "formation-demo",
        "sk_test_demo",
        "Warning: everybody knows",
    ):
        assert words in served.said_first


def test_a_second_start_does_no_work_twice_and_serves(served: Served) -> None:
    served.start()
    said = served.until(READY)
    assert "Setting up" not in said
    assert "catalog" not in said.splitlines()[0]
    assert "Collecting" not in said
    status, html = served.get("/")
    assert status == 200
    assert "32 products in 20 places" in html
    assert served.get("/api/v1/catalog")[0] == 401
    children = served.children()
    assert len(children) == 2, "a web server and a worker"
    assert served.end(signal.SIGTERM) == 0
    assert "Stopped." in "".join(served.lines)
    assert all(is_gone(child) for child in children)


def test_a_worker_that_dies_is_started_again_and_a_dead_web_server_ends_all(served: Served) -> None:
    served.start().until("The relay is running")
    web, worker = sorted(served.children())
    os.kill(worker, signal.SIGKILL)
    served.until("The relay worker ended by itself (exit code -9). Starting it again.")
    served.until("The relay is running")
    children = served.children()
    assert worker not in children
    os.kill(web, signal.SIGKILL)
    assert served.wait() == 1
    assert "The web server ended by itself (exit code -9). Ending the rest." in "".join(served.lines)
    assert all(is_gone(child) for child in children)


@pytest.mark.skipif(sys.platform != "linux", reason="not run: only Linux tells children that their parent died")
def test_nothing_is_left_when_it_is_killed(served: Served) -> None:
    served.start().until("The relay is running")
    children = served.children()
    served.end(signal.SIGKILL)
    eventually(lambda: all(is_gone(child) for child in children))


def test_a_taken_port_is_said_at_once(served: Served) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", served.port))
        other.listen()
        served.start()
        assert served.wait() == 1
    assert f"Port {served.port} is taken. Set PORT to another one" in "".join(served.lines)


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("formation.example", "sk_live_x", "FORMATION_SERVICE_URL"),
        ("https://formation.example", "", "FORMATION_SERVICE_KEY is empty"),
    ],
)
def test_a_wrong_service_is_a_clear_line(served: Served, url: str, key: str, words: str) -> None:
    wrong = Served(served.data, served.port, {"FORMATION_SERVICE_URL": url, "FORMATION_SERVICE_KEY": key}).start()
    assert wrong.wait() == 1
    assert words in "".join(wrong.lines)
    assert "Traceback" not in "".join(wrong.lines)


def test_a_service_that_is_down_is_a_warning_and_a_clear_page(served: Served, tmp_path: Path) -> None:
    down = {"FORMATION_SERVICE_URL": f"http://127.0.0.1:{free_port()}", "FORMATION_SERVICE_KEY": "sk_live_x"}
    portal = Served(served.data, served.port, down).start()
    said = portal.until(READY)
    assert "Warning: no catalog from http://127.0.0.1:" in said
    status, html = portal.get("/")
    assert status == 503
    assert "What you have saved is safe here" in html
    assert portal.end() == 0


@pytest.mark.long
def test_without_the_demo_nothing_of_it_is_printed(served: Served) -> None:
    portal = Served(served.data, served.port, {"DEMO": "false"}).start()
    said = portal.until(READY)
    assert "formation-demo" not in said
    assert "sk_test_demo" not in said
    assert portal.end() == 0
