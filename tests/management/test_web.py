"""`manage.py web`: pages without workers, an end that cuts nobody off, and a restart node by node that nobody sees."""

import os
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.client import HTTPResponse
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import requests

from formation_portal.management.commands.web import Command
from tests.waiting import wait_until

from .served import PATIENCE, READY, Served, free_port, opened

# Nobody reads a line for each request.
ONE_PROCESS = {"WEB_PROCESSES": "1", "LOG_LEVEL": "WARNING"}

# Of one folder, so that they run one after the other.
pytestmark = pytest.mark.xdist_group("web")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, with_databases: Callable[..., Path]) -> Path:
    return with_databases(tmp_path_factory.mktemp("web"))


@pytest.fixture
def portals() -> Iterator[ExitStack]:
    with ExitStack() as portals:
        yield portals


def start(data: Path, portals: ExitStack, **more: str) -> Served:
    portal = Served(data, free_port(), ONE_PROCESS | more, "web").start()
    portals.callback(lambda: portal.process.poll() is None and portal.end(signal.SIGKILL))
    portal.until(READY)
    return portal


def is_closed(port: int) -> bool:
    try:
        opened(port).close()
    except ConnectionRefusedError:
        return True
    return False


def test_told_to_end_it_says_that_others_should_serve_and_gives_every_answer(data: Path, portals: ExitStack) -> None:
    portal, answers = start(data, portals, DRAIN_SECONDS="3"), []
    assert portal.children() == set(portal.web_servers()), "no worker"
    browser, address = requests.Session(), f"http://127.0.0.1:{portal.port}/accounts/login/"
    browser.get(address, timeout=PATIENCE)
    posted = {"login": "demo@example.com", "password": "formation-demo"}
    posted["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]

    def sign_in() -> None:
        answers.append(browser.post(address, posted, allow_redirects=False, timeout=PATIENCE))

    assert portal.get("/readyz")[0] == 200
    with closing(sqlite3.connect(data / "portal.sqlite3", isolation_level=None)) as other:
        # Nobody else writes until this transaction is over.
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(target=sign_in)
        waiting.start()
        wait_until(lambda: portal.read_connections() > 0)
        portal.process.send_signal(signal.SIGTERM)
        wait_until(lambda: portal.get("/readyz") == (503, "not ready: ending\n"))
        assert portal.get("/livez")[0] == 200
        wait_until(lambda: is_closed(portal.port))
        assert not answers
        other.execute("COMMIT")
    waiting.join()
    assert [answer.status_code for answer in answers] == [302]
    assert portal.wait() == 0


@pytest.mark.long
def test_who_has_connected_and_who_is_still_sending_is_answered(data: Path, portals: ExitStack) -> None:
    portal = start(data, portals)
    [web] = portal.web_servers()
    with opened(portal.port) as sending, opened(portal.port) as connected:
        sending.sendall(b"GET /livez HTTP/1.1\r\nHost: local")
        wait_until(lambda: portal.read_connections() == 2)
        # It accepts nobody now; the system does, and lets them wait.
        os.kill(web, signal.SIGSTOP)
        with opened(portal.port) as waiting:
            portal.process.send_signal(signal.SIGTERM)
            wait_until(lambda: has_pending(web, signal.SIGTERM))
            os.kill(web, signal.SIGCONT)
            waiting.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert status(waiting) == 200
        sending.sendall(b"host\r\n\r\n")
        assert status(sending) == 200
        assert not connected.recv(1), "who asks nothing is no reason to stay"
    assert portal.wait() == 0


def has_pending(pid: int, number: int) -> bool:
    """Report that a signal waits for a process that is stopped."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(lines["ShdPnd"], 16) & 1 << (number - 1))


def status(client: socket.socket) -> int:
    answer = HTTPResponse(client)
    answer.begin()
    return answer.status


@pytest.mark.parametrize(
    ("demo", "goes_out", "is_warned"), [(False, False, True), (False, True, False), (True, False, False)]
)
def test_a_start_after_which_nobody_can_confirm_an_address_says_so(
    demo: bool, goes_out: bool, is_warned: bool, settings: Any
) -> None:
    settings.DEMO, settings.LETTERS_GO_OUT = demo, goes_out
    output = StringIO()
    Command(stdout=output)._announce()
    assert ("EMAIL_URL is not set" in output.getvalue()) is is_warned
