"""`manage.py serve` as a person uses it: one command, an address, Ctrl-C, and again."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process_table import is_running
from tests.waiting import wait_until

from .nodes import new_key
from .served import READY, Served, free_port

# Where the number doesn't matter: each process takes its time to start.
ONE_PROCESS = {"WEB_PROCESSES": "1"}

# The tests start and end one portal, so that they run one after the other.
pytestmark = pytest.mark.xdist_group("serve")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A portal in an empty folder, set up once for this module and started anew by each test."""
    portal = Served(tmp_path_factory.mktemp("served"), free_port()).start()
    portal.said_first = portal.until(READY)
    assert portal.end() == 0
    return portal


@pytest.fixture(autouse=True)
def _ends_with_its_test(served: Served) -> Iterator[None]:
    """A test that fails leaves no portal behind, which would have the port of the next one's."""
    yield
    if served.process.poll() is None:
        served.end(signal.SIGKILL)


def test_the_first_start_sets_everything_up_and_prints_address_accounts_and_key(served: Served) -> None:
    for words in (
        "the database “default”",
        "the database “service”",
        "Loaded the catalog",
        "Collecting static files",
        f"http://localhost:{served.port}/",
        "demo@example.com",
        "agent@example.com",
        "colleague@example.com",
        "formation-demo",
        "sk_test_demo",
        "Warning: ",
    ):
        assert words in served.said_first


@pytest.mark.skipif(sys.platform != "linux", reason="not run: only Linux tells children that their parent died")
def test_later_starts_do_no_work_twice_whatever_died_before(served: Served) -> None:
    served.start()
    output = served.until(READY)
    for words in ("Setting up", "Loaded the catalog", "Collecting"):
        assert words not in output
    status, html = served.get("/")
    assert status == 200
    assert "32 company types in 20 jurisdictions" in html
    assert served.get("/api/v1/catalog")[0] == 401
    assert len(served.children()) == len(os.sched_getaffinity(0)) + 1, "a web server for each core, and a worker"
    worker = served.worker
    os.kill(worker, signal.SIGKILL)
    served.until("The relay worker stopped unexpectedly (exit code -9). Restarting it.")
    served.until("The relay is running")
    web = served.web_servers()[0]
    os.kill(web, signal.SIGKILL)
    served.until("The web server stopped unexpectedly (exit code -9). Restarting it.")
    wait_until(lambda: len(served.children()) == len(os.sched_getaffinity(0)) + 1)
    before = served.children()
    assert not {worker, web} & before
    with socket.create_connection(("127.0.0.1", served.port)) as slow:
        # A body that is under way is no reason to stay.
        slow.sendall(b"POST /language/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nlang")
        served.end(signal.SIGKILL)
        served.start().until(READY)
        assert served.get("/livez")[0] == 200
    wait_until(lambda: all(not is_running(child) for child in before))
    after = served.children()
    assert served.end(signal.SIGTERM) == 0
    assert "Stopped." in "".join(served.lines)
    assert all(not is_running(child) for child in after)


@pytest.mark.long
def test_a_taken_port_is_said_at_once(served: Served) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", served.port))
        other.listen()
        served.start()
        assert served.wait() == 1
    assert f"Port {served.port} is in use. Choose another one" in "".join(served.lines)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgres://portal:secret@127.0.0.1:9/portal"),
        pytest.param("FORMATION_SERVICE_URL", "https://formation.example", marks=pytest.mark.long),
        pytest.param("SERVICE_DATABASE_URL", "sqlite:////nowhere/at/all.sqlite3", marks=pytest.mark.long),
        pytest.param("LOG_LEVEL", "verbose", marks=pytest.mark.long),
        pytest.param("HOST", "192.0.2.1", marks=pytest.mark.long),
        pytest.param("HOST", "0.0.0.0", marks=pytest.mark.long),
    ],
)
def test_a_setting_that_does_not_do_stops_the_start_with_a_clear_line(served: Served, name: str, value: str) -> None:
    more = {"SECURE_COOKIES": "true", "DEMO": "false"} if value == "192.0.2.1" else {}
    wrong = Served(served.data, served.port, {name: value, "SECRETS_KEY": new_key("a"), **more}).start()
    assert wrong.wait() == 1
    output = "".join(wrong.lines)
    assert any(words in output for words in (f"{name}: ", f"{name}=", "DEMO: ", "FORMATION_SERVICE_KEY is empty"))
    assert "Traceback" not in output
    assert "secret" not in output


@pytest.mark.long
def test_a_service_that_is_down_is_a_warning_and_a_clear_page(served: Served, tmp_path: Path) -> None:
    down = {"FORMATION_SERVICE_URL": f"http://127.0.0.1:{free_port()}", "FORMATION_SERVICE_KEY": "sk_live_x"}
    portal = Served(served.data, served.port, ONE_PROCESS | down).start()
    output = portal.until(READY)
    assert "Warning: no catalog from http://127.0.0.1:" in output
    status, html = portal.get("/")
    assert status == 503
    assert "Everything you saved is safe" in html
    assert portal.end() == 0


@pytest.mark.long
def test_without_the_demo_nothing_of_it_is_printed(served: Served) -> None:
    portal = Served(served.data, served.port, ONE_PROCESS | {"DEMO": "false"}).start()
    output = portal.until(READY)
    assert "formation-demo" not in output
    assert "sk_test_demo" not in output
    assert portal.end() == 0
